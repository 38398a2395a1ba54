// Whole warps or nobody leaves: tiles, votes, broadcasts, loads from one address, and functions
// that ask nothing about their thread are as uniform as what they start from.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --allow-empty
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
// CHECK-NOT: remark
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int limit;
// OUT: "tile", {{.*}}, [[@LINE+1]], 2, 49);
__global__ void tile(int* a, int rows) {
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  a[row] = warp.shfl(a[row], 0);
}
// OUT: "votes", {{.*}}, [[@LINE+1]], 2, 1);
__global__ void votes(int* a, int n) {
  for (int i = threadIdx.x; __any_sync(~0u, i < n); i += blockDim.x)
    if (i < n) a[i] = 1;
}
// OUT: "takesWork", {{.*}}, [[@LINE+1]], 2, 1);
__global__ void takesWork(int* next, int* a) {
  int item;
  if (threadIdx.x % 32 == 0) item = atomicAdd(next, 1);
  item = __shfl_sync(0xffffffff, item, 0);
  while (item < limit) {
    a[item] = 1;
    if (threadIdx.x % 32 == 0) item = atomicAdd(next, 1);
    item = __shfl_sync(0xffffffff, item, 0);
  }
}
__device__ int roundUp(int n, int to) { return (n + to - 1) / to; }
// OUT: "counted", {{.*}}, [[@LINE+1]], 2, 49);
__global__ void counted(const int* count, int* a) {
  const int blocks = roundUp(*count, 64);
  if (blockIdx.x < blocks) a[blockIdx.x] = __syncthreads_count(a[threadIdx.x]);
}
__device__ int threadHere() { return threadIdx.x; }
__device__ int warpOf(int thread) { return thread / 32; }
// OUT: "returned", {{.*}}, [[@LINE+1]], 2, 53);
__global__ void returned(int* a, int n) {
  const int row = warpOf(threadHere());
  if (row >= n) return;
  a[row] = __shfl_sync(~0u, a[row], 0);
}
// OUT: "alignedDown", {{.*}}, [[@LINE+1]], 2, 53);
__global__ void alignedDown(int* a, int n) {
  const int thread = threadIdx.x, lane = threadHere() % 32;
  if (thread - lane >= n) return;
  a[thread] = __shfl_sync(~0u, a[thread], 0);
}
