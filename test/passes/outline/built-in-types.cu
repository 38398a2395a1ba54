// Built-in variables have nvcc's types, uint3 and dim3: device code may copy them and deduce types from them. So they have in the parse
// for the host, where a header of cuRAND declares them once more; a kernel with conditions asks for that parse.
// RUN: %gpusched-opt --splice %s -- -std=c++17 | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s -- -std=c++17 | %reparse -std=c++17 --cicc-prefix %build/bin/gpusched-cicc
// RUN: %gpusched-opt %s -- -std=c++17 | %reparse -std=c++17
// RUN: %gpusched-opt --explain %s -- -std=c++17 2>&1 >/dev/null | count 0
// CHECK: copies__gs(const
// CHECK: deduces__gs(const
// CHECK: computes__gs(const
#include <type_traits>
__global__ void copies(int* out) {
  auto block = blockIdx;
  const auto& grid = gridDim;
  auto thread{threadIdx};
  static_assert(std::is_same_v<decltype(block), uint3> && std::is_same_v<decltype(blockDim), const dim3>);
  out[block.x + grid.x * thread.y] = blockDim.x;
}
template <class T> __device__ unsigned sum(T v) { return v.x + v.y + v.z; }
__global__ void deduces(unsigned* out) { out[sum(blockIdx)] = sum(threadIdx) + sum(gridDim); }
template <class A, class B> __device__ std::enable_if_t<std::is_same_v<A, uint3>, uint3> operator*(A a, B b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class A> __device__ A operator+(A a, A b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__global__ void computes(unsigned* out) { out[(blockIdx * blockDim + threadIdx).x] = 1; }
#ifdef __CUDA_ARCH__
__global__ void twice(int* out) { out[blockIdx.x] = 1; }
#else
__global__ void twice(int* out) {
  auto block = blockIdx;
  out[block.x] = 2;
}
#endif
int main() { copies<<<1, 1>>>(nullptr), deduces<<<1, 1>>>(nullptr), computes<<<1, 1>>>(nullptr), twice<<<1, 1>>>(nullptr); }
