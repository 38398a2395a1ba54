// std::array<T, N>(a, b) with the elements in parentheses, as nvcc takes it: the parse gets the braces.
// RUN: %gpusched-opt --explain %s -- -std=c++20 --expt-relaxed-constexpr > %t.cu 2> %t.remarks
// RUN: grep -v CHECK %t.cu | FileCheck %s && FileCheck --check-prefix=REMARK %s < %t.remarks && %reparse %t.cu -std=c++20 --expt-relaxed-constexpr
#include <array>

struct Pair {
  float both[2], last = 0;
};
__device__ float halved(float value) { return value / 2; }

// CHECK-NOT: {{\({|}\)}}
// CHECK: void lists__gs_body({{.*}}
// CHECK-NEXT: std::array<float, 3> plain(in[0], (halved)(in[1]), 2.f);
// CHECK-NEXT: auto pair = Pair( halved(in[plain.size()]), in[0] );
// CHECK-NEXT: out[blockIdx.x] = plain[1] + std::array<float, 2>(pair.both[0], pair.both[1])[0];
__global__ void lists(const float* in, float* out) {
  std::array<float, 3> plain(in[0], (halved)(in[1]), 2.f);
  auto pair = Pair( halved(in[plain.size()]), in[0] );
  out[blockIdx.x] = plain[1] + std::array<float, 2>(pair.both[0], pair.both[1])[0];
}

// CHECK: void generic__gs_body({{.*}}
// CHECK-NEXT: out[blockIdx.x] = std::array<T, 2>(in[0], in[1])[1];
template <class T> __global__ void generic(const T* in, T* out) {
  out[blockIdx.x] = std::array<T, 2>(in[0], in[1])[1];
}

// Clang says less of one argument.
// REMARK-COUNT-1: remark: kernel 'refused' kept native: [GS051]
// REMARK-NOT: remark:
__global__ void refused(float* out) { out[blockIdx.x] = std::array<float, 1>(*out)[0]; }

int main() {
  float* data = nullptr;
  lists<<<1, 1>>>(data, data);
  generic<<<1, 1>>>(data, data);
  refused<<<1, 1>>>(data);
}
