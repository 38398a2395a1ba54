// A barrier of a library cannot be replaced. A block that leaves by a value all its threads load from
// one place waits there together; the kernel's own barriers beside it then need no replacement
// either. Not so where threads load from different places, or may be told different values.
// RUN: rm -rf %t.lib && mkdir -p %t.lib/c++ && cp %s %t.lib/Rendezvous.cuh
// RUN: %gpusched-opt --explain %s -- -isystem %t.lib 2>&1 >%t.out | FileCheck %s --check-prefix=REMARK
// RUN: grep -v CHECK %t.out | FileCheck %s
// RUN: %reparse %t.out -isystem %t.lib
#ifndef TWICE
#define TWICE
#include <Rendezvous.cuh>
struct Lane { int first, frames; };

// REMARK-NOT: remark: kernel 'same'
// CHECK: void same__gs({{.*}}::BatchWorker gpusched_worker(gpusched_launch);{{.*}} gpusched_after: gpusched_worker.advance(); }
__global__ void same(const Lane* lanes, int* a) {
  const Lane lane = lanes[blockIdx.y];
  for (int f = 0; f < lane.frames; f += blockDim.x) {
    __syncthreads();
    Rendezvous().meet(&a[f]);
  }
}
// REMARK-NOT: remark: kernel 'through'
static __device__ void helper(int* a) { Rendezvous().meet(a); }
__global__ void through(const int* n, int* a) {
  if (*n == 0) return;
  helper(a);
}
// REMARK: remark: kernel 'different' kept native: [GS040]
__global__ void different(const Lane* lanes, int* a) {
  if (lanes[threadIdx.x].frames == 0) return;
  Rendezvous().meet(a);
}
// REMARK: remark: kernel 'racing' kept native: [GS040]
__global__ void racing(const volatile int* n, int* a) {
  if (*n == 0) return;
  Rendezvous().meet(a);
}
// Without a library the barrier is at hand that counts who has left.
// CHECK: void own__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void own(const int* n, int* a) {
  if (*n == 0) return;
  __syncthreads();
  a[threadIdx.x] = 1;
}
#else
struct Rendezvous {
  __device__ void meet(int* a) { __syncthreads(); *a = 1; }
};
#endif
