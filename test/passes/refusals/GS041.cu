// Lanes leave a warp before a primitive that names them and cannot be told; also in a callee.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__device__ int sum(int v) {
  int other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(other) : "r"(v));
  return v + other;
}
// CHECK: remark: kernel 'a' kept native: [GS041] {{.*}}asm warp primitive in 'sum'
__global__ void a(int* p, int n) {
  if (threadIdx.x >= n) return;
  p[threadIdx.x] = sum(1);
}
// CHECK: remark: kernel 'b' kept native: [GS041] {{.*}}__syncwarp
__global__ void b(int* p, int n, unsigned lanes) {
  const auto wait = [](unsigned mask) { __syncwarp(mask); };
  for (int i = threadIdx.x; i < n; i += blockDim.x) { p[i] = 1; wait(lanes); }
}
// CHECK: remark: kernel 'c' kept native: [GS041] {{.*}}__shfl_sync
__global__ void c(int* p, int n, unsigned lanes) {
  unsigned half = lanes >> 16;
  if (threadIdx.x < n) p[threadIdx.x] = ::__shfl_sync(half, 1, 0);
}
// CHECK: remark: kernel 'c' kept native: [GS041] {{.*}}asm warp primitive
__global__ void c(unsigned* p) {
  if (threadIdx.x % 32 >= 16) return;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(p[0]) : "r"(p[1]));
}
