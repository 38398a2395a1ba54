// nvcc and GCC do not look for constants in templates: a constexpr member with a variable that is
// none is a function like others, which may launch.
// RUN: %gpusched-opt --explain %s 2> %t.remarks | grep -v CHECK | FileCheck %s && not grep . %t.remarks
// RUN: %gpusched-opt %s > %t.cu && %reparse %t.cu
#include <vector>

// CHECK: void count__gs(
template <class T> __global__ void count(T* out) { out[blockIdx.x] += 1; }
// CHECK: void fill__gs(
template <class T> __global__ void fill(T* out) { out[blockIdx.x] = 1; }

namespace sketches {
template <class T> struct Sketch {
  T* out;
  __host__ constexpr T estimate() const {
    std::vector<int> copies(8);
    count<<<1, 1>>>(out);
    return copies[0];
  }
  template <class Other> __host__ constexpr int merge(Other) const;
};
template <class T> template <class Other> __host__ constexpr int Sketch<T>::merge(Other) const {
  std::vector<int> copies(8);
  fill<<<1, 1>>>(out);
  return copies[0];
}
} // namespace sketches

int main() {
  sketches::Sketch<int> sketch{nullptr};
  return sketch.estimate() + sketch.merge(2);
}
