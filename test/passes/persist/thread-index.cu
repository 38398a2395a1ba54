// A body that reads threadIdx gets it from the worker, which reads it anew for each logical block. Left
// alone: kernels that do not read it, and those where a parameter of that name could not be used.
// RUN: %gpusched-opt %s > %t.cu
// RUN: grep -v '^// ' %t.cu | FileCheck %s
// RUN: %reparse %t.cu
#define ROW threadIdx.y

// CHECK: void reads__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::uint3 threadIdx, int* a)
// CHECK-SAME: reads__gs_body(::blockIdx, ::gridDim, ::threadIdx, a); }
// CHECK-SAME: reads__gs_body(gpusched_worker.block(), gpusched_worker.grid(), gpusched_worker.thread(), a);
__global__ void reads(int* a) { a[threadIdx.x] = 1; }

// CHECK: void macro__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::uint3 threadIdx, int* a)
__global__ void macro(int* a) { a[ROW] = 1; }

// CHECK: void generic__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::uint3 threadIdx, T* a)
// CHECK: generic__gs_body<T>(::blockIdx, ::gridDim, ::threadIdx, a); }
template <class T> __global__ void generic(T* a) {
  auto index = [=] { return threadIdx.x; };
  a[index()] = 1;
}

__device__ int row(int lane = threadIdx.x) { return lane / 32; }
// CHECK: void defaults__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::uint3 threadIdx, int* a)
__global__ void defaults(int* a) { a[row()] = threadIdx.x; }

// CHECK: void none__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a)
__global__ void none(int* a) { a[0] = 1; }

// CHECK: void captureless__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a)
__global__ void captureless(int* a) {
  auto index = [] { return threadIdx.x; };
  a[index() + threadIdx.y] = 1;
}

// CHECK: void local__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a)
__global__ void local(int* a) {
  struct Index { static __device__ int get() { return threadIdx.x; } };
  a[Index::get() + threadIdx.y] = 1;
}

// CHECK: void named__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a)
__global__ void named(int* a) {
  const int x = threadIdx.x;
  { const int threadIdx = x; a[threadIdx] = 1; }
}

void launch() { generic<<<1, 1>>>(static_cast<float*>(nullptr)); }
