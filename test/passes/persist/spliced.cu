// Where gpusched-cicc reads the PTX, a kernel keeps its text, and so does the function that it calls; its twin
// calls the loop that gpusched-cicc copies into it, with the kernel's PTX. One that asks barriers that threads have left is outlined.
// RUN: %gpusched-opt --splice %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s | %reparse --cicc-prefix %build/bin/gpusched-cicc
// CHECK: {{^}}__device__ int index(int n) { return blockIdx.x * n; }{{$}}
// CHECK-NOT: index__gs
// CHECK: {{^}}__global__ void plain(int* out, int n) { out[blockIdx.x] = index(n); } __global__ void plain__gs(const ::gpusched_params gpusched_launch, int * out , int n) { ::gpusched::splicedLoop<::gpusched::BatchWorker, false>(gpusched_launch); }
// CHECK: } __global__ void drains__gs({{.*}} { ::gpusched::splicedLoop<::gpusched::BatchWorker, true>(gpusched_launch); }
// CHECK: counts__gs_body(
// CHECK: gpusched_worker.drainCounting()
// CHECK-NOT: splicedLoop
// CHECK: template <class T> __global__ void shaped(T* out) { out[blockIdx.y] = T(); } template < class T > __global__ void shaped__gs({{.*}} ::gpusched::splicedLoop
// CHECK: made__gs({{.*}} ::gpusched::splicedLoop
// CHECK-NOT: spins__gs
__device__ int index(int n) { return blockIdx.x * n; }
__global__ void plain(int* out, int n) { out[blockIdx.x] = index(n); }
__global__ void drains(int* out, int n) {
  if (threadIdx.x > 7)
    return;
  __syncthreads();
  out[blockIdx.x] = n;
}
__global__ void counts(int* out, int n) {
  if (threadIdx.x > 7)
    return;
  out[blockIdx.x] = __syncthreads_count(n);
}
template <class T> __global__ void shaped(T* out) { out[blockIdx.y] = T(); }
#define KERNEL(name) __global__ void name(int* out) { out[blockIdx.x] = 1; }
KERNEL(made)
__global__ void spins(volatile int* out) {
  atomicAdd(const_cast<int*>(out), 1);
  while (*out < gridDim.x) {
  }
}
void launch(int* a) {
  plain<<<1, 1>>>(a, 1);
  shaped<<<1, 1>>>(a);
  made<<<1, 1>>>(a);
  drains<<<1, 32>>>(a, 1);
  counts<<<1, 32>>>(a, 1);
  spins<<<1, 1>>>(a);
}
