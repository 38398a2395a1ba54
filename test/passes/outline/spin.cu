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
// The number of the block comes from a counter, the address through a function and a variable.
__device__ int turn;
__device__ int waitFor(volatile int* done, int block) {
  int seen;
  do { seen = done[block]; } while (seen == 0);
  return seen;
}
// CHECK: drawn__gs(
__global__ void drawn(int* a, volatile int* done) {
  __shared__ int drawn;
  if (threadIdx.x == 0)
    drawn = atomicAdd(&turn, 1);
  __syncthreads();
  if (drawn > 0)
    a[drawn] = waitFor(done, drawn - 1);
  const int before = blockIdx.x - 1 - threadIdx.x;
  while (before >= 0) {
    if (done[before] != 0) break;
    __nanosleep(20);
  }
  done[drawn] = 1;
}
// A function waits for the word of an earlier block, as another function gave it.
__device__ void until(volatile int* flag) { while (*flag == 0); }
__device__ void untilBefore(volatile int* flags, int block) { until(flags + block - 1); }
struct Waiter { __device__ void operator()(volatile int* flag) const { while (*flag == 0); } };
// CHECK: given__gs(
__global__ void given(volatile int* done) {
  if (blockIdx.x > 1) {
    untilBefore(done, blockIdx.x);
    Waiter()(&done[blockIdx.x - 2]);
  }
  done[blockIdx.x] = 1;
}
// What looks like waiting: a queue, a search, a warp's turn in shared memory, a sum.
// CHECK: works__gs(
__global__ void works(int* a, volatile int* sorted, unsigned* next, unsigned n) {
  __shared__ volatile int warp;
  for (unsigned i; (i = atomicAdd(next, 1u)) < n;) ++a[0];
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < 7) low = middle + 1; else high = middle;
  }
  while (warp != threadIdx.x / 32);
  int sum = 0;
  for (int i = 0; i < low; ++i) sum += sorted[0];
  for (int i = 0; sorted[0] == 0; ++i) a[1] += i;
  a[0] = sum;
}
// CHECK-NOT: remark
