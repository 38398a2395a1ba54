// Lanes leave a warp before a primitive that names them; also through a callee and a loop.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__device__ int sum(int v) { return v + __shfl_xor_sync(~0u, v, 1); }
// CHECK: remark: kernel 'a' kept native: [GS041] {{.*}}__shfl_xor_sync in 'sum'
__global__ void a(int* p, int n) {
  if (threadIdx.x >= n) return;
  p[threadIdx.x] = sum(1);
}
// CHECK: remark: kernel 'b' kept native: [GS041] {{.*}}__syncwarp
__global__ void b(int* p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) { p[i] = 1; __syncwarp(); }
}
