// --check=race finds what no barrier, fence or atomic orders, finds nothing in kernels that are
// right, and finds the same in their persistent forms, whatever the budget.
// RUN: %gpusched-cc -arch=sm_80 -lineinfo -o %t %s
// RUN: not %gpusched run --device=cpu --check=race --check-report=%t.native -- %t 2> %t.err
// RUN: FileCheck %s < %t.native
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: not %gpusched run --device=cpu --variant=persistent --blocks-per-sm=1 --sms=0-1 --check=race --check-report=%t.few -- %t 2> /dev/null
// RUN: diff %t.native %t.few
// RUN: not %gpusched run --device=cpu --variant=persistent --blocks-per-sm=8 --check=race --check-report=%t.many -- %t 2> /dev/null
// RUN: diff %t.native %t.many

__global__ void noBarrier(int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}
__global__ void noWarpBarrier(int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x + 1;
  out[blockIdx.x * 32 + threadIdx.x] = tile[31 - threadIdx.x];
}
__global__ void betweenBlocks(int* count) {
  if (threadIdx.x == 0)
    *count = *count + 1;
}
__global__ void blockScope(int* count) { atomicAdd_block(count, 1); }
__device__ unsigned ticket;
template <bool kFence> __global__ void lastBlock(int* part, int* sum) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x + 1;
    if (kFence)
      __threadfence();
    last = atomicAdd(&ticket, 1) % gridDim.x == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    int total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i)
      total += part[i];
    *sum = total;
  }
}
__global__ void right(int* out, int* count, int* flag) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int value = tile[255 - threadIdx.x];
  __syncthreads();
  tile[threadIdx.x] = value;
  __syncwarp();
  value += tile[threadIdx.x ^ 1];
  atomicAdd(count, value);
  *flag = 1; // everybody writes the same
  out[blockIdx.x * 256 + threadIdx.x] = value;
}

int main() {
  int* a;
  cudaMalloc(&a, 1 << 16);
  cudaMemset(a, 0, 1 << 16);
  right<<<8, 256>>>(a + 100, a, a + 1);
  lastBlock<true><<<8, 64>>>(a + 100, a);
  noBarrier<<<4, 256>>>(a);
  noWarpBarrier<<<4, 32>>>(a);
  betweenBlocks<<<4, 32>>>(a);
  blockScope<<<4, 32>>>(a);
  lastBlock<false><<<8, 64>>>(a + 100, a);
  return cudaDeviceSynchronize();
}

// CHECK: race: global memory, atomic at {{.*}} and atomic at {{.*}} in kernel 'blockScope(int*)'
// CHECK-NEXT: race: global memory, read at {{.*}}race.cu:24 and write at {{.*}}race.cu:24 in kernel 'betweenBlocks(int*)'
// CHECK-NEXT: race: global memory, read at {{.*}}race.cu:41 and write at {{.*}}race.cu:31 in kernel 'void lastBlock<false>(int*, int*)'
// CHECK-NEXT: race: global memory, write at {{.*}}race.cu:24 and write at {{.*}}race.cu:24 in kernel 'betweenBlocks(int*)'
// CHECK-NEXT: race: shared memory, read at {{.*}}race.cu:15 and write at {{.*}}race.cu:14 in kernel 'noBarrier(int*)'
// CHECK-NEXT: race: shared memory, read at {{.*}}race.cu:20 and write at {{.*}}race.cu:19 in kernel 'noWarpBarrier(int*)'
// CHECK-NOT: {{.}}

// ERR: kernel 'noBarrier(int*)'
// ERR-NEXT: shared '{{.*}}tile' + {{[0-9]+}}
// ERR-NEXT: now: block (0,0,0), thread ({{[0-9]+}},0,0), {{.*}}race.cu:{{14|15}}, PTX line
// ERR-NEXT: earlier: block (0,0,0), thread ({{[0-9]+}},0,0), {{.*}}race.cu:{{14|15}}, PTX line
