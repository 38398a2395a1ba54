// Lanes leave before warp primitives that do not name them: nothing has to wait for them. Where that
// is not seen, the lane drain looks at every mask; a group's primitives have none to look at.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --implicit-check-not=remark
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int next(int* counter) {
  cg::coalesced_group here = cg::coalesced_threads();
  int first = 0;
  if (here.thread_rank() == 0) first = atomicAdd(counter, here.size());
  return here.shfl(first, 0) + here.thread_rank();
}
// OUT: "filter", {{.*}}, [[@LINE+1]], 4, 49);
__global__ void filter(const int* in, int* out, int* counter, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) out[next(counter)] = in[i];
}
// OUT: "ballot", {{.*}}, [[@LINE+1]], 2, 49);
__global__ void ballot(int* a, int n) {
  const unsigned mask = __ballot_sync(0xffffffffu, threadIdx.x < n);
  if (threadIdx.x >= n) return;
  a[threadIdx.x] = __shfl_sync(mask, a[threadIdx.x], 0);
}
// OUT: "negated", {{.*}}, [[@LINE+1]], 3, 49);
__global__ void negated(int* a, const float* weights, int n) {
  const bool keep = threadIdx.x < n && weights[threadIdx.x] > 0;
  const unsigned mask = __ballot_sync(0xffffffffu, keep);
  if (!keep) return;
  a[threadIdx.x] = __shfl_sync(mask, a[threadIdx.x], 0);
}
// OUT: gpusched_lanes{true}; {{.*}} keptAnew__gs_body(
__global__ void keptAnew(int* a, int n) {
  bool keep = threadIdx.x < n;
  const unsigned mask = __ballot_sync(0xffffffffu, keep);
  keep = a[threadIdx.x] > 0;
  if (!keep) return;
  a[threadIdx.x] = __shfl_sync(mask, a[threadIdx.x], 0);
}
// OUT: "eachRound", {{.*}}, [[@LINE+1]], 2, 17);
__global__ void eachRound(int* a, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const unsigned mask = __activemask();
    a[i] = __shfl_sync(mask, a[i], __ffs(mask) - 1);
  }
}
// OUT: gpusched_lanes{true}; {{.*}} another__gs_body(
__global__ void another(int* a, int n) {
  int i = threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffffu, i++ < n);
  if (i < n) a[i] = __shfl_sync(mask, a[i], 0);
}
// CHECK: [[@LINE+4]]:3: remark: kernel 'since' kept native: [GS041] {{.*}}coalesced_group::sync
__global__ void since(int* a, int n) {
  cg::coalesced_group here = cg::coalesced_threads();
  a[threadIdx.x] = 0;
  if (threadIdx.x >= n) return;
  here.sync();
  a[threadIdx.x] += 1;
}
// OUT: gpusched_lanes{true}; {{.*}} twice__gs_body(
__global__ void twice(int* a, int n) {
  unsigned mask = __activemask();
  if (threadIdx.x >= n) return;
  mask |= 1;
  a[threadIdx.x] = __shfl_sync(mask, a[threadIdx.x], 0);
}
