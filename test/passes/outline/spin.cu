// Waiting that a persistent launch can serve: for a lock's holder, and for an earlier block at an
// address that the block's number gives.
// RUN: %gpusched-opt --explain %s 2>&1 | grep -v "^//" | FileCheck %s
// CHECK-NOT: remark
__device__ int lock;
// CHECK: locked__gs(
__global__ void locked(int* a) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0);
    a[0] += 1;
    atomicExch(&lock, 0);
  }
}
// CHECK: chained__gs(
__global__ void chained(volatile int* done) {
  while (blockIdx.x > 0 && done[blockIdx.x - 1] == 0);
  done[blockIdx.x] = 1;
}
// CHECK-NOT: remark
