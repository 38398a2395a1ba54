// Cooperative groups over the whole grid.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
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

// The value goes through a variable, or the loop ends in the middle.
// CHECK: remark: kernel 'byVariable' kept native: [GS025] {{.*}}: a loop that only waits for 'count'
__global__ void byVariable(volatile int* count, int n) {
  int seen, naps = 0;
  do { seen = *count; ++naps; } while (seen < n);
}
// CHECK: remark: kernel 'byBreak' kept native: [GS025] {{.*}}: a loop that only waits for 'arrived'
__global__ void byBreak(int n) {
  for (;;) {
    const int seen = arrived;
    if (seen >= n) break;
    __nanosleep(20);
  }
}
// CHECK: remark: kernel 'byAssembly' kept native: [GS025] {{.*}}: a loop that only waits for 'count'
__global__ void byAssembly(unsigned* count) {
  unsigned seen = 0;
  while (seen != gridDim.x)
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(count) : "memory");
}
__device__ unsigned loadAcquire(const unsigned* p) {
  unsigned value;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
}
#define WAIT_UNTIL(CONDITION) while (!(CONDITION)) { __nanosleep(20); }
// CHECK: remark: kernel 'byCall' kept native: [GS025] {{.*}}: a loop that only waits for 'count'
__global__ void byCall(unsigned* count) { WAIT_UNTIL(loadAcquire(count) == gridDim.x) }
// CHECK: remark: kernel 'byCompare' kept native: [GS025] {{.*}}: a loop that only waits for 'count'
__global__ void byCompare(unsigned* count, unsigned n) { while (atomicCAS(count, n, n) != n); }
// CHECK: remark: kernel 'byCache' kept native: [GS025] {{.*}}: a loop that only waits for 'count'
template <class T> __global__ void byCache(const T* count, T n) { while (__ldcg(count + 1) < n); }
template __global__ void byCache(const int*, int);
// One word per block, each waited for by a thread of the first block.
// CHECK: remark: kernel 'byArray' kept native: [GS025] {{.*}}: a loop that only waits for 'in'
__global__ void byArray(volatile int* in, volatile int* out, int goal) {
  if (blockIdx.x == 0)
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x)
      while (in[i] != goal);
  if (threadIdx.x == 0)
    while (out[blockIdx.x] != goal);
}
struct Barrier {
  volatile unsigned* arrived;
  unsigned blocks;
  __device__ void wait() const { while (*arrived < blocks); }
};
// CHECK: remark: kernel 'byMember' kept native: [GS025] {{.*}} calls 'wait' (a loop that only waits for 'arrived' at
__global__ void byMember(Barrier barrier) { barrier.wait(); }

// A later block may begin only when this one has ended; which one a number that counts down means,
// nobody knows here.
// CHECK: remark: kernel 'next' kept native: [GS025] {{.*}}: a loop that only waits for 'done' of a later block
__global__ void next(volatile int* done) {
  while (!done[blockIdx.x + 1]);
  done[blockIdx.x] = 1;
}
// CHECK: remark: kernel 'nextOfVariable' kept native: [GS025] {{.*}}: a loop that only waits for 'done' of a later block
__global__ void nextOfVariable(volatile int* done, int width) {
  const int own = blockIdx.x, later = 1 + own;
  volatile int* const place = done + later * width;
  while (*place == 0);
  done[own * width] = 1;
}
// CHECK: remark: kernel 'downwards' kept native: [GS025] {{.*}}: a loop that only waits for 'done' of a later block
__global__ void downwards(volatile int* done) {
  const unsigned own = gridDim.x - 1 - blockIdx.x;
  if (own > 0)
    while (!done[own - 1]);
  done[own] = 1;
}

// What a function waits for is its caller's business: the same word for every block, that of a
// later one, or of one that a function in between was given.
__device__ void until(volatile int* flags, int which) { while (flags[which] == 0); }
__device__ void untilZero(volatile int* flag) { while (*flag == 0); }
__device__ void between(volatile int* flags, int first) { until(flags + 1, first + 2); }
// CHECK: remark: kernel 'lastOne' kept native: [GS025] {{.*}}: a loop in 'until' that only waits for 'flags'
__global__ void lastOne(volatile int* flags, int last) { until(flags, last); }
// CHECK: remark: kernel 'laterOne' kept native: [GS025] {{.*}}: a loop in 'until' that only waits for 'flags' of a later block
__global__ void laterOne(volatile int* flags) { until(flags, blockIdx.x + 1); flags[blockIdx.x] = 1; }
// CHECK: remark: kernel 'handedOn' kept native: [GS025] {{.*}}: a loop in 'between' that only waits for 'flags'
__global__ void handedOn(volatile int* flags) { between(flags, gridDim.x); }
// CHECK: remark: kernel 'oneWord' kept native: [GS025] {{.*}}: a loop in 'untilZero' that only waits for 'flag'
__global__ void oneWord(volatile int* word) { untilZero(word); }
struct Waiter { __device__ void operator()(volatile int* flag) const { while (*flag == 0); } };
// CHECK: remark: kernel 'byOperator' kept native: [GS025] {{.*}} that only waits for 'flag'
__global__ void byOperator(Waiter wait, volatile int* word) { wait(word); }
using Wait = void (*)(volatile int*);
// CHECK: remark: kernel 'byPointer' kept native: [GS025] {{.*}} that only waits for 'flag'
__global__ void byPointer(volatile int* words) {
  const Wait wait = untilZero;
  wait(words + blockIdx.x);
}
