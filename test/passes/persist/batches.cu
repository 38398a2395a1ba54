// A twin claims several logical blocks at once only where nothing in the kernel can run twice: a
// loop in a callee, a macro or assembly, `goto`, and a loop in one instantiation keep single claims.
// RUN: %gpusched-opt --persist --register %s | grep -v '^//' | FileCheck %s
// RUN: %gpusched-opt --persist --register %s | %reparse
#define REPEAT(n) for (int round = 0; round < n; ++round)

__device__ int twice(int a) { return 2 * a; }
__device__ int sum(const int* a, int n) {
  int all = 0;
  for (int i = 0; i < n; ++i)
    all += a[i];
  return all;
}

// CHECK: void straight__gs({{.*}}) { ::gpusched::BatchWorker gpusched_worker(gpusched_launch);
// CHECK-SAME: straight__gs_registrar(&straight, &straight__gs, "straight", "{{[^"]*}}", [[#@LINE+1]], 1, 17);
__global__ void straight(int* a) {
  __shared__ int tile[32];
  tile[threadIdx.x] = twice(a[blockIdx.x]);
  __syncthreads();
  a[blockIdx.x] = tile[0] > 3 ? tile[1] : atomicAdd(a, 1);
}
// CHECK: void loops__gs({{.*}}) { ::gpusched::Worker gpusched_worker
// CHECK-SAME: loops__gs_registrar(&loops, &loops__gs, "loops", "{{[^"]*}}", [[#@LINE+1]], 1, 1);
__global__ void loops(int* a) {
  for (int i = 0; i < 4; ++i)
    a[blockIdx.x * 4 + i] = i;
}
// CHECK: void calls__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void calls(int* a) { a[blockIdx.x] = sum(a, 3); }
// CHECK: void expands__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void expands(int* a) { REPEAT(3) a[blockIdx.x] += round; }
// CHECK: void jumps__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void jumps(int* a) {
again:
  if (++a[blockIdx.x] < 5)
    goto again;
}
// CHECK: void branches__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void branches(int* a) {
  asm volatile("{ .reg .pred p; L%=: setp.ne.u32 p, %0, 0; @!p bra L%=; }" ::"r"(a[blockIdx.x]));
}
template <int N> struct Part { static __device__ int of(int* a) { return sum(a, N); } };
template <> struct Part<0> { static __device__ int of(int* a) { return *a; } };
// CHECK: void part__gs({{.*}}) { ::gpusched::Worker gpusched_worker
template <int N> __global__ void part(int* a) { a[blockIdx.x] = Part<N>::of(a); }
// CHECK: void whole__gs({{.*}}) { ::gpusched::BatchWorker gpusched_worker
template <class T> __global__ void whole(T* a) { a[blockIdx.x] = T(1); }

void launch(int* a, float* b) {
  part<0><<<1, 1>>>(a);
  part<2><<<1, 1>>>(a);
  whole<<<1, 1>>>(a);
  whole<<<1, 1>>>(b);
}
