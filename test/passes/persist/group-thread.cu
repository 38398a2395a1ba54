// A kernel that asks its block for the thread's place is given it by the worker, as one that reads
// threadIdx. Left alone: what may be another group, device functions, macros, hidden names.
// RUN: %gpusched-opt %s > %t.cu
// RUN: grep -v '^ *// ' %t.cu | FileCheck %s
// RUN: %reparse %t.cu
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// CHECK: void plain__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::uint3 threadIdx, int* a)
__global__ void plain(int* a) {
  cg::thread_block block = cg::this_thread_block();
  // CHECK: a[((threadIdx.z * ::blockDim.y + threadIdx.y) * ::blockDim.x + threadIdx.x)] = ::dim3(threadIdx).y;
  a[block.thread_rank()] = block.thread_index().y;
  // CHECK: a[cg::tiled_partition<32>(block).thread_rank()] = ::dim3(threadIdx).x;
  a[cg::tiled_partition<32>(block).thread_rank()] = cg::this_thread_block().thread_index().x;
}

// CHECK: void generic__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::uint3 threadIdx, T* a)
template <class T> __global__ void generic(T* a) {
  auto block = cg::this_thread_block();
  // CHECK: a[::dim3(threadIdx).x] = 1;
  a[block.thread_index().x] = 1;
}
template __global__ void generic(int*);

template <class Group> __device__ Group made() { return cg::this_thread_block(); }
// CHECK: void any__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a)
template <class Group> __global__ void any(int* a) {
  Group group = cg::this_thread_block();
  auto same = made<Group>();
  // CHECK: a[group.thread_rank()] = same.thread_rank();
  a[group.thread_rank()] = same.thread_rank();
}
template __global__ void any<cg::thread_block>(int*);

__device__ int rank(cg::thread_block block) { return block.thread_rank(); }
#define RANK(group) group.thread_rank()
// CHECK: void others__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a)
__global__ void others(int* a) {
  cg::thread_block block = cg::this_thread_block();
  auto index = [](cg::thread_block block) { return block.thread_index().x; };
  // CHECK: a[rank(block)] = RANK(block) + index(block);
  a[rank(block)] = RANK(block) + index(block);
}

// CHECK: void named__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a)
__global__ void named(int* a) {
  int threadIdx = 0;
  // CHECK: a[threadIdx] = cg::this_thread_block().thread_rank();
  a[threadIdx] = cg::this_thread_block().thread_rank();
}
