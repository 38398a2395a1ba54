// Cooperative groups over the whole grid.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#include <cooperative_groups.h>
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS025]
__global__ void k(int* a) { cooperative_groups::this_grid().sync(); a[0] = 1; }

// A group of a kind that is known at run time only, made from the grid.
__device__ void wait(cooperative_groups::thread_group group) { group.sync(); }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'grid' kept native: [GS025]
__global__ void grid(int* a) { wait(cooperative_groups::this_grid()); a[0] = 1; }

// A barrier made by hand: block 0 waits for all blocks. One over a parameter, in a callee.
__device__ volatile int arrived;
__device__ void everybody(int blocks) {
  atomicAdd(const_cast<int*>(&arrived), 1);
  while (arrived < blocks);
}
// CHECK: remark: kernel 'byHand' kept native: [GS025] {{.*}} calls 'everybody' (a loop that only waits for 'arrived' at
__global__ void byHand(int* a) { everybody(gridDim.x); a[0] = 1; }
// CHECK: remark: kernel 'byAtomic' kept native: [GS025] {{.*}}: a loop that only waits for 'count'
__global__ void byAtomic(unsigned* count) { while (atomicAdd(count, 0) != gridDim.x) { __nanosleep(20); } }
