// A twin claims several logical blocks at once only where none can be waiting for another one: loops
// that count, also in a callee, a macro or one instantiation, and that read memory which nothing
// makes them read again. Without any loop it claims ahead.
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

// CHECK: void straight__gs({{.*}}) { ::gpusched::AheadWorker gpusched_worker(gpusched_launch);
// CHECK-SAME: straight__gs_registrar(&straight, &straight__gs, "straight", "{{[^"]*}}", [[#@LINE+1]], 1, 49);
__global__ void straight(int* a) {
  __shared__ int tile[32];
  tile[threadIdx.x] = twice(a[blockIdx.x]);
  __syncthreads();
  a[blockIdx.x] = tile[0] > 3 ? tile[1] : atomicAdd(a, 1);
}
// CHECK: void counts__gs({{.*}}) { ::gpusched::BatchWorker gpusched_worker
// CHECK-SAME: counts__gs_registrar(&counts, &counts__gs, "counts", "{{[^"]*}}", [[#@LINE+1]], 2, 19);
__global__ void counts(int* a, const int* ends) {
  __shared__ int tile[32];
  for (int i = ends[0]; i < ends[1]; i += gridDim.x * blockDim.x)
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
      atomicAdd(&tile[i % 32], a[i]);
      if (half == 7)
        continue;
      __syncthreads();
    }
  for (const int *from = a, *to = a + 9; from != to; ++from)
    REPEAT(3) tile[0] += *from;
}
// CHECK: void calls__gs({{.*}}) { ::gpusched::BatchWorker gpusched_worker
__global__ void calls(int* a) { a[blockIdx.x] = sum(a, 3); }
// CHECK: void searches__gs({{.*}}) { ::gpusched::BatchWorker gpusched_worker
__global__ void searches(int* a, const int* keys, int n) {
  int low = 0, high = n;
  while (low < high && keys[low] != 7)
    if (keys[(low + high) / 2] < 3)
      low = (low + high) / 2 + 1;
    else
      high = (low + high) / 2;
  for (int i = 0; i < n; ++i)
    if (keys[i] == a[blockIdx.x])
      break;
  a[blockIdx.x] = low;
}
template <int N> struct Part { static __device__ int of(int* a) { return sum(a, N); } };
template <> struct Part<0> { static __device__ int of(int* a) { return *a; } };
// CHECK: void part__gs({{.*}}) { ::gpusched::BatchWorker gpusched_worker
template <int N> __global__ void part(int* a) { a[blockIdx.x] = Part<N>::of(a); }
// CHECK: void whole__gs({{.*}}) { ::gpusched::AheadWorker gpusched_worker
template <class T> __global__ void whole(T* a) { a[blockIdx.x] = T(1); }

// CHECK: void jumps__gs({{.*}}) { ::gpusched::Worker gpusched_worker
// CHECK-SAME: jumps__gs_registrar(&jumps, &jumps__gs, "jumps", "{{[^"]*}}", [[#@LINE+1]], 1, 1);
__global__ void jumps(int* a) {
again:
  if (++a[blockIdx.x] < 5)
    goto again;
}
// CHECK: void branches__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void branches(int* a) {
  asm volatile("{ .reg .pred p; L%=: setp.ne.u32 p, %0, 0; @!p bra L%=; }" ::"r"(a[blockIdx.x]));
}
// CHECK: void locks__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void locks(int* a) {
  while (atomicCAS(a, 0, 1) != 0) {
  }
}
// CHECK: void tries__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void tries(volatile int* ready, int* a) {
  for (int i = 0; i < 1000; ++i)
    if (ready[blockIdx.x] != 0)
      break;
  a[blockIdx.x] = 1;
}
// CHECK: void both__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void both(int* ready, int* a) {
  for (int i = 0; i < 1000 && ready[blockIdx.x] == 0; ++i)
    __syncthreads();
  a[blockIdx.x] = 1;
}
// CHECK: void holds__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void holds(volatile int* ready, int* a) {
  for (int i = 0; i < 1; ++i)
    if (ready[0] == 0)
      --i;
  a[blockIdx.x] = 1;
}
// CHECK: void given__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void given(volatile int* ready, int* a) {
  for (int i = 0; i < 1; i += ready[0])
    ++a[blockIdx.x];
}
// CHECK: void follows__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void follows(volatile int* ready, int* a) {
  for (int i = 0; i != ready[0]; ++i)
    ++a[blockIdx.x];
}
// CHECK: void fills__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void fills(int* ready, int* a) {
  while (ready[0] == 0)
    a[blockIdx.x] = 1;
}
// CHECK: void fenced__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void fenced(int* ready, int* a) {
  while (ready[0] == 0)
    __threadfence();
  a[blockIdx.x] = 1;
}
// CHECK: void meets__gs({{.*}}) { ::gpusched::Worker gpusched_worker
__global__ void meets(int* ready, int* a) {
  while (ready[blockIdx.x] == 0)
    __syncthreads();
  a[blockIdx.x] = 1;
}

void launch(int* a, float* b) {
  part<0><<<1, 1>>>(a);
  part<2><<<1, 1>>>(a);
  whole<<<1, 1>>>(a);
  whole<<<1, 1>>>(b);
}
