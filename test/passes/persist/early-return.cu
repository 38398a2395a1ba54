// Threads that return before others' __syncthreads(): the barrier becomes a parameter, and the
// loop drains. A guarded body is the same pattern without `return`.
// RUN: %gpusched-opt %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt %s | %reparse
#define BARRIER() __syncthreads()
// CHECK: void leaves__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::gpusched::BodyBarrier __syncthreads, int* a, int n) {
__global__ void leaves(int* a, int n) {
  __shared__ int s[64];
  if (threadIdx.x >= n) return;
  s[threadIdx.x] = a[threadIdx.x];
  BARRIER();
  a[threadIdx.x] = s[0];
}
// CHECK: leaves__gs_body(::blockIdx, ::gridDim, ::gpusched::BodyBarrier{false}, a, n); }
// CHECK-SAME: leaves__gs_body(gpusched_worker.block(), gpusched_worker.grid(), ::gpusched::BodyBarrier{true}, a, n);{{.*}} gpusched_after: gpusched_worker.drain(); }
// CHECK-SAME: "leaves", {{.*}}, 7, 2, 51);

// CHECK: void guarded__gs_body({{.*}}BodyBarrier __syncthreads
__global__ void guarded(int* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    a[i] = 1;
    __syncthreads();
    a[i] += a[0];
  }
}
