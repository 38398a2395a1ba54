// A function of a library whose body is at hand is judged as one of the program: equal for all lanes
// where what it is given is, unless it asks about its thread or reads what may change meanwhile: then
// lanes may leave before the tile's primitive.
// RUN: %gpusched-opt --explain %s -- -std=c++17 2>%t.err | grep -o '__global__ void [a-zA-Z]*__gs(const\|gpusched_worker[.]advance\|gpusched_lanes[.][a-z]*()' | FileCheck %s
// RUN: count 0 < %t.err
// RUN: %gpusched-opt %s -- -std=c++17 > %t.cu && %reparse %t.cu -std=c++17 -Wno-deprecated-declarations
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>

namespace cg = cooperative_groups;
__device__ int exchange(cg::thread_block_tile<8> tile, int value) { return tile.shfl(value, 1); }

// CHECK: void chosen__gs(
// CHECK-NEXT: advance
__global__ void chosen(thrust::constant_iterator<bool> chosen, int n, int* a) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  for (int i = (threadIdx.x + blockDim.x * blockIdx.x) / 8; i < n; i += gridDim.x)
    if (*(chosen + i))
      a[i] = exchange(tile, i);
}
// CHECK: void counted__gs(
// CHECK-NEXT: advance
__global__ void counted(thrust::counting_iterator<int> first, int* a) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (first[threadIdx.x / 8] > 7) return;
  a[threadIdx.x] = exchange(tile, 1);
}
// CHECK: void parts__gs(
// CHECK-NEXT: gpusched_lanes.leave
__global__ void parts(thrust::counting_iterator<int> first, int* a) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (first[threadIdx.x / 4] > 7) return;
  a[threadIdx.x] = exchange(tile, 1);
}
// CHECK: void changing__gs(
// CHECK-NEXT: gpusched_lanes.leave
__global__ void changing(int* a) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (cuda::atomic_ref<int>(a[0]).load() > 7) return;
  a[threadIdx.x] = exchange(tile, 1);
}
// CHECK: void asking__gs(
// CHECK-NEXT: gpusched_lanes.leave
__global__ void asking(int* a) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (cg::this_thread_block().thread_rank() > 7 + blockIdx.x) return;
  a[threadIdx.x] = exchange(tile, 1);
}
