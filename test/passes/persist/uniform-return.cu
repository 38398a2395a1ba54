// All threads of a block leave together, or nobody does: no drain barrier is needed.
// RUN: %gpusched-opt %s | grep -v '^// ' | FileCheck %s --implicit-check-not='Body{{B}}arrier'
// RUN: %gpusched-opt %s | %reparse
// CHECK: void blocks__gs_body(
__global__ void blocks(const int* __restrict__ rows, int* a, int n) {
  __shared__ int s[64];
  const int row = blockIdx.x * 2;
  if (row >= n || rows[row] < 0) return;
  for (int tile = 0; tile < n / 64; ++tile) {
    s[threadIdx.x] = a[tile];
    __syncthreads();
    if (threadIdx.x == 0) a[row] += s[63];
    __syncthreads();
  }
}
// CHECK: void joined__gs_body(
__global__ void joined(int* a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x >= n) return;
  a[threadIdx.x] += 1;
}
// CHECK: void asserts__gs_body(
__global__ void asserts(int* a, int n) {
  if (threadIdx.x > n) __trap();
  __syncthreads();
  a[threadIdx.x] = 1;
}
