// The careful loops are for kernels whose threads may leave before others' waits, and for no others.
// RUN: %nvcc -ptx -arch=sm_90 %s -o %t.ptx
// RUN: %build/bin/gpusched-ptx --explain %t.ptx -o %t.twins.ptx 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: %cuda/bin/ptxas -arch=sm_90 %t.twins.ptx -o %t.cubin
// RUN: not grep "stays native" %t.err

// CHECK-DAG: kernel 'together(int*, int)' has a twin: claims batches{{$}}
__global__ void together(int* a, int rounds) {
  __shared__ int tile[64];
  for (int i = 0; i < rounds; ++i) {
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] += tile[63 - threadIdx.x];
    __syncthreads();
  }
}

// CHECK-DAG: kernel 'guarded(int*, int)' has a twin: claims batches, early{{$}}
__global__ void guarded(int* a, int n) {
  __shared__ int tile[64];
  if (int(threadIdx.x) < n)
    tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  if (int(threadIdx.x) < n)
    a[threadIdx.x] = tile[63 - threadIdx.x];
}

// CHECK-DAG: kernel 'leaves(int*, int)' has a twin: claims batches, early, knows at barriers who has left
__global__ void leaves(int* a, int n) {
  __shared__ int tile[64];
  if (int(threadIdx.x) >= n)
    return;
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[0];
}

// CHECK-DAG: kernel 'blockLeaves(int*, int)' has a twin: claims batches, early{{$}}
__global__ void blockLeaves(int* a, int n) {
  __shared__ int tile[64];
  if (int(blockIdx.x) >= n)
    return;
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[0];
}

// CHECK-DAG: kernel 'lanesLeave(int*, int)' has a twin: claims batches, early, knows at all waits who has left
__global__ void lanesLeave(int* a, int n) {
  if (int(threadIdx.x) >= n)
    return;
  a[threadIdx.x] = __shfl_xor_sync(__activemask(), a[threadIdx.x], 1);
}

// CHECK-DAG: kernel 'firstWarp(int*)' has a twin: claims batches, early, wants rows of whole warps
__global__ void firstWarp(int* a) {
  __shared__ int sums[32];
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = a[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32)
    a[threadIdx.x] = __reduce_add_sync(0xffffffffu, sums[threadIdx.x]);
}

// CHECK-DAG: kernel 'read(int*, int const*)' has a twin: claims batches, early, knows at barriers who has left
__global__ void read(int* a, const int* limit) {
  const int mine = static_cast<const volatile int*>(limit)[0];
  if (mine < 0)
    return;
  __syncthreads();
  a[threadIdx.x] = mine;
}

// CHECK-DAG: kernel 'readOnly(int*, int const*)' has a twin: claims batches, early{{$}}
__global__ void readOnly(int* a, const int* __restrict__ limit) {
  __shared__ int tile[64];
  if (limit[blockIdx.x] < 0)
    return;
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[0];
}

// CHECK-DAG: kernel 'some(int*)' has a twin: claims batches, early{{$}}
__global__ void some(int* a) {
  __shared__ int tile[64];
  tile[threadIdx.x] = a[threadIdx.x];
  if (threadIdx.x % 32 < 5)
    tile[threadIdx.x] = __shfl_xor_sync(0x1f, a[threadIdx.x], 1);
  __syncthreads();
  a[threadIdx.x] = tile[63 - threadIdx.x];
}

// CHECK-DAG: kernel 'tiles(int*)' has a twin: claims batches, has its words behind dynamic shared memory
extern __shared__ __align__(128) unsigned long long tile[];
__global__ void tiles(int* a) {
  const unsigned at = unsigned(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  asm volatile("{ .reg .b64 state; .reg .pred done;\n mbarrier.arrive.shared.b64 state, [%0];\n"
               "again: mbarrier.test_wait.shared.b64 done, [%0], state;\n @!done bra again; }" ::"r"(at)
               : "memory");
  a[threadIdx.x] = int(tile[threadIdx.x + 1]);
}

// CHECK-DAG: kernel 'inCallee(int*, int)' has a twin: claims batches, early, knows at barriers who has left
__device__ __noinline__ int meet(int* tile, int n) {
  if (int(threadIdx.x) >= n)
    return 0;
  __syncthreads();
  return tile[0];
}
__global__ void inCallee(int* a, int n) { a[threadIdx.x] = meet(a, n); }

// CHECK-DAG: kernel 'byArgument(int*)' has a twin: claims batches, early, knows at barriers who has left
__device__ __noinline__ int meetIf(int* tile, int comes) {
  if (!comes)
    return 0;
  __syncthreads();
  return tile[0];
}
__global__ void byArgument(int* a) { a[threadIdx.x] = meetIf(a, threadIdx.x < 5); }

// CHECK-DAG: kernel 'allMeet(int*)' has a twin: claims batches, early{{$}}
__device__ __noinline__ int meetAll(int* tile) {
  __syncthreads();
  return tile[0];
}
__global__ void allMeet(int* a) { a[threadIdx.x] = meetAll(a); }
