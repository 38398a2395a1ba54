// Threads that pass a barrier and leave before another one, or pass more of them than others: the
// loop drains, and so do warps whose lanes differ that way.
// RUN: %gpusched-opt %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt %s | %reparse
// CHECK: producer__gs_body({{.*}} gpusched_after: gpusched_worker.drain(); }
__global__ void producer(int* a) {
  __shared__ int s[32];
  if (threadIdx.x < 32) {
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    return;
  }
  __syncthreads();
  a[threadIdx.x] = s[threadIdx.x - 32];
  __syncthreads();
}
// CHECK: loops__gs_body({{.*}} gpusched_after: gpusched_worker.drain(); }
__global__ void loops(int* a) {
  for (unsigned i = 0; i < threadIdx.x / 32; ++i)
    __syncthreads();
  __syncthreads();
  a[threadIdx.x] = 1;
}
__device__ void partly(int i) {
  if (i < 32) return;
  __syncthreads();
}
// CHECK: callee__gs_body({{.*}} gpusched_after: gpusched_worker.drain(); }
__global__ void callee(int* a) {
  partly(threadIdx.x);
  __syncthreads();
  a[threadIdx.x] = 1;
}
// CHECK: through__gs_body({{.*}} gpusched_after: gpusched_worker.drain(); }
__global__ void through(int* a) {
  switch (threadIdx.x / 32) {
  case 0: __syncthreads();
  case 1: __syncthreads();
  }
  a[threadIdx.x] = 1;
}
// CHECK: lanes__gs_body({{.*}} gpusched_after: gpusched_lanes.leave(), gpusched_worker.drain(); }
__global__ void lanes(int* a) {
  if (threadIdx.x % 32 < 16) {
    __syncwarp();
    return;
  }
  __syncwarp();
  a[threadIdx.x] = __ballot_sync(0xffffffff, a[threadIdx.x]);
}
// CHECK: even__gs_body({{.*}} gpusched_after: gpusched_worker.advance(); }
__global__ void even(int* a, int n) {
  if (threadIdx.x < 32) {
    a[threadIdx.x] = 1;
    __syncthreads();
  } else {
    __syncthreads();
    a[threadIdx.x] = 2;
  }
  for (int i = 0; i < n; ++i)
    __syncthreads();
}
