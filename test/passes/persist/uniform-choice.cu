// `c ? a : b` of two variables is an lvalue. Where it is only read, as a limit often is, both keep what
// they are; where it is written or kept, they may be anything.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --check-prefix=REMARK
// RUN: %reparse %t.out
__device__ inline int exchange(int value) {
  int other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(other) : "r"(value));
  return other;
}
#define EXCHANGE_ALL(n) for (int i = 0; i < (n); ++i) a[i] = exchange(a[i])
struct Limit { int value; };

// REMARK-NOT: remark: kernel 'limited'
__global__ void limited(int* a, const int* limits, int standard) {
  const int n = limits != nullptr ? limits[blockIdx.x] : standard;
  EXCHANGE_ALL(n);
}
// REMARK-NOT: remark: kernel 'copied'
__global__ void copied(int* a, bool first, Limit one, Limit other) {
  const Limit limit = (first ? one : other);
  EXCHANGE_ALL(limit.value);
}
// REMARK: remark: kernel 'differs' kept native: [GS041]
__global__ void differs(int* a, const int* limits, int standard) {
  const int n = threadIdx.x ? limits[0] : standard;
  EXCHANGE_ALL(n);
}
// REMARK: remark: kernel 'written' kept native: [GS041]
__global__ void written(int* a, bool first, int one, int other) {
  (first ? one : other) = threadIdx.x;
  EXCHANGE_ALL(one + other);
}
// REMARK: remark: kernel 'kept' kept native: [GS041]
__global__ void kept(int* a, bool first, int one, int other) {
  int& chosen = first ? one : other;
  chosen = threadIdx.x;
  EXCHANGE_ALL(other);
}
