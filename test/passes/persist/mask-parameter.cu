// The mask of a warp primitive is a parameter: its lanes are those that the call names, the caller's
// own or the whole warp. Where they may be others, the lane drain looks at every mask.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | count 0
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
template <class T> __device__ T sum(unsigned mask, T v) {
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(mask, v, step);
  return v;
}
__device__ int outer(int v, const unsigned lanes) { return sum(lanes, v) + __popc(__ballot_sync(lanes, v)); }
__device__ int standard(int v, unsigned mask = 0xffffffffu) { return __shfl_sync(mask, v, 0); }
__device__ int grown(unsigned mask, int v) { mask |= 1; return __shfl_sync(mask, v, 0); }
__device__ int mixed(unsigned mask, int v) { return __shfl_sync(mask, v, 0) + __shfl_sync(1, v, 0); }
__device__ int leaving(unsigned mask, int v) {
  if (v < 0) return v;
  return __shfl_sync(mask, v, 0);
}
// OUT: "lastStep", {{.*}}, [[@LINE+1]], 2, 17);
__global__ void lastStep(int* a, int n) {
  const unsigned part = __ballot_sync(0xffffffffu, threadIdx.x < n);
  if (threadIdx.x < n) a[threadIdx.x] = sum(part, outer(a[threadIdx.x], part));
}
// OUT: "matches", {{.*}}, [[@LINE+1]], 2, 17);
__global__ void matches(int* a, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const unsigned same = __match_any_sync(__activemask(), a[i]);
    a[i] = sum(same, i);
  }
}
// OUT: void wholeWarp__gs_body({{.*}}const ::sum__gs_call sum, const ::standard__gs_call standard,
__global__ void wholeWarp(int* a, int n) {
  unsigned all = 0xffffffffu;
  if (threadIdx.x < n) a[threadIdx.x] = sum(all, 1) + standard(1) + __shfl_sync(all, 1, 0);
}
// OUT: gpusched_lanes{false}; {{.*}} wholeWarp__gs_body(
// OUT: gpusched_lanes{true}; {{.*}} given__gs_body(
__global__ void given(int* a, int n, unsigned lanes) {
  if (threadIdx.x < n) a[threadIdx.x] = sum(lanes, 1);
}
// OUT: gpusched_lanes{true}; {{.*}} changes__gs_body(
__global__ void changes(int* a, int n) {
  const unsigned part = __ballot_sync(0xffffffffu, threadIdx.x < n);
  if (threadIdx.x < n) a[threadIdx.x] = grown(part, 1);
}
// OUT: gpusched_lanes{true}; {{.*}} others__gs_body(
__global__ void others(int* a, int n) {
  const unsigned part = __ballot_sync(0xffffffffu, threadIdx.x < n);
  if (threadIdx.x < n) a[threadIdx.x] = mixed(part, 1);
}
// OUT: gpusched_lanes{true}; {{.*}} leavesBelow__gs_body(
__global__ void leavesBelow(int* a, int n) {
  const unsigned part = __ballot_sync(0xffffffffu, threadIdx.x < n);
  if (threadIdx.x < n) a[threadIdx.x] = leaving(part, a[threadIdx.x]);
}
// OUT: gpusched_lanes{true}; {{.*}} afterwards__gs_body(
__global__ void afterwards(int* a, int n) {
  const unsigned part = __ballot_sync(0xffffffffu, threadIdx.x < n);
  if (threadIdx.x + 1 < n) a[threadIdx.x] = sum(part, 1);
}
