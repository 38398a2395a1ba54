// Device code may name functions of the host where nothing is called, which nvcc takes and Clang does not. nvcc's text is as it was.
// RUN: %gpusched-opt --splice %s -- -std=c++17 | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s -- -std=c++17 | %reparse -std=c++17 --cicc-prefix %build/bin/gpusched-cicc
// RUN: %gpusched-opt %s -- -std=c++17 | %reparse -std=c++17
// RUN: %gpusched-opt --explain %s -- -std=c++20 2>&1 >/dev/null | count 0
// CHECK: declares__gs(const
// CHECK: {{^}}int ofTheHost(int);
// CHECK: {{^}}template <class T> T made();
// CHECK: asks__gs(const
#include <type_traits>
#include <utility>
template <class T, class U> __device__ auto product(T a, U b) {
  using Result = decltype(std::declval<T>() * std::declval<U>());
  static_assert(std::is_same_v<Result, float>);
  return Result(a) * b;
}
__global__ void declares(float* out) { out[blockIdx.x] = product(2, 1.5f); }
int ofTheHost(int);
template <class T> T made();
struct Host {
  int runs() const;
};
__global__ void asks(int* out) {
  decltype(ofTheHost(1)) value = sizeof(made<double>()) + noexcept(ofTheHost(2)) + sizeof(std::declval<Host>().runs());
  out[blockIdx.x] = value;
}
int main() { declares<<<1, 1>>>(nullptr), asks<<<1, 1>>>(nullptr); }
