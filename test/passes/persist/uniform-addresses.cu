// What looks the same for all lanes and is not: an address of a local variable that a function hands
// out, mutable parts, memory of its own for each thread, and numbers below 0, which are divided
// towards 0. Lanes that return then are drained; the last two kernels need that no more than before.
// RUN: %gpusched-opt %s -- -std=c++17 >%t.out
// RUN: grep -o '__global__ void [a-zA-Z]*__gs(const\|gpusched_worker[.][ad][a-z]*()' %t.out | FileCheck %s
// RUN: %reparse %t.out -std=c++17
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
#include <cstdlib>
#define EXIT_IF(condition) if (condition) return; a[threadIdx.x] = __ballot_sync(0xffffffff, 1)
__device__ const int* place(const int& value) { return &value; }
struct View { const int* to; };
__device__ View view(const int& value) { return {&value}; }
struct Row {
  int values[4];
  __device__ const int* begin() const { return values; }
};
struct Count {
  mutable int calls;
  __device__ int next() const { return calls++; }
};
__device__ void set(const Count& count, int calls) { count.calls = calls; }
__device__ int* own() { int* memory = (int*)malloc(4); return memory; }
__device__ int ticket(int* counter) {
  int mine = __nv_atomic_fetch_add(counter, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  return mine;
}
// CHECK: void pointer__gs(
// CHECK-NEXT: drain
__global__ void pointer(int* a) { int x = 0; const int* p = place(x); x = threadIdx.x; EXIT_IF(*p > 20); }
// CHECK: void object__gs(
// CHECK-NEXT: drain
__global__ void object(int* a) { int x = 0; View v = view(x); x = threadIdx.x; EXIT_IF(*v.to > 20); }
// CHECK: void member__gs(
// CHECK-NEXT: drain
__global__ void member(int* a) {
  Row row = {{0}};
  const int* first = row.begin();
  row.values[0] = threadIdx.x;
  EXIT_IF(*first > 20);
}
// CHECK: void counts__gs(
// CHECK-NEXT: drain
__global__ void counts(int* a) {
  Count count{0};
  for (int i = 0; i < threadIdx.x; ++i) count.next();
  EXIT_IF(count.calls > 20);
}
// CHECK: void sets__gs(
// CHECK-NEXT: drain
__global__ void sets(int* a) { Count count{0}; set(count, threadIdx.x); EXIT_IF(count.calls > 20); }
// CHECK: void memory__gs(
// CHECK-NEXT: drain
__global__ void memory(int* a) { int* p = own(); *p = threadIdx.x; EXIT_IF(*p > 20); }
// CHECK: void tickets__gs(
// CHECK-NEXT: drain
__global__ void tickets(int* a) { EXIT_IF(ticket(a + 99) % 32 > 20); }
// CHECK: void divided__gs(
// CHECK-NEXT: drain
__global__ void divided(int* a) { int i = int(blockIdx.x - 1) * 32 + threadIdx.x; EXIT_IF(i / 32 == 0); }
// CHECK: void narrow__gs(
// CHECK-NEXT: drain
__global__ void narrow(int* a) { signed char i = threadIdx.x; EXIT_IF(i % 32 < 0); }
// CHECK: void sizes__gs(
// CHECK-NEXT: drain
__global__ void sizes(int* a) {
  namespace cg = cooperative_groups;
  cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), threadIdx.x < 32 ? 8 : 16);
  if (tile.size() == 8) return;
  __syncthreads();
  a[threadIdx.x] = 1;
}
// CHECK: void warps__gs(
// CHECK-NEXT: advance
__global__ void warps(int* a) { int i = blockIdx.x * blockDim.x + threadIdx.x; EXIT_IF(i / 32 > 7); }
struct Span {
  const int* data;
  __device__ const int* begin() const { return data; }
};
// CHECK: void loaded__gs(
// CHECK-NEXT: advance
__global__ void loaded(int* a, Span span) { const int* p = span.begin(); EXIT_IF(*p > 7); }
