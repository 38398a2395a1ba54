// A kernel that spins on what nobody will write fails with who waits where; so does a barrier that
// cannot complete. A kernel that only takes long does not.
// RUN: %nvcc -arch=sm_80 -lineinfo -o %t %s
// RUN: env GPUSCHED_HANG=1 %gpusched run --device=cpu -- %t lock > %t.lock 2>&1
// RUN: FileCheck %s --check-prefix=LOCK < %t.lock
// RUN: env GPUSCHED_HANG=1 %gpusched run --device=cpu -- %t flag > %t.flag 2>&1
// RUN: FileCheck %s --check-prefix=FLAG < %t.flag
// RUN: env GPUSCHED_HANG=1 %gpusched run --device=cpu -- %t barrier > %t.barrier 2>&1
// RUN: FileCheck %s --check-prefix=BARRIER < %t.barrier
// RUN: env GPUSCHED_HANG=1 %gpusched run --device=cpu -- %t long | FileCheck %s --check-prefix=LONG
#include <cstdio>
#include <cstring>

__global__ void lock(int* mutex) {
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
  // The second lock of the same thread never comes.
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
}
__global__ void flag(volatile int* flag) {
  if (threadIdx.x >= 32)
    while (*flag == 0) {
    }
  __syncthreads();
}
__global__ void barrier() {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;");
  else
    asm volatile("bar.sync 2, 64;");
}
__global__ void takesLong(unsigned* out) {
  unsigned x = threadIdx.x;
  for (unsigned i = 0; i < 60u << 20; ++i)
    x = x * 1664525 + 1013904223 + (x >> 3);
  *out = x | 1;
}

int main(int, char** arguments) {
  int* device;
  cudaMalloc(&device, 4);
  cudaMemset(device, 0, 4);
  if (!strcmp(arguments[1], "lock"))
    lock<<<2, 1>>>(device);
  else if (!strcmp(arguments[1], "flag"))
    flag<<<1, 64>>>(device);
  else if (!strcmp(arguments[1], "barrier"))
    barrier<<<1, 64>>>();
  else
    takesLong<<<1, 1>>>((unsigned*)device);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

// LOCK: hang: every warp that runs repeats the same instructions, and no memory changes
// LOCK-DAG: block (0,0,0), warp 0, lanes 0x1 spins: kernel 'lock(int*)', {{.*}}, PTX line
// LOCK-DAG: block (1,0,0), warp 0, lanes 0x1 spins: kernel 'lock(int*)'
// LOCK: cudaErrorLaunchFailure
// FLAG: hang:
// FLAG-DAG: block (0,0,0), warp 0, lanes 0xffffffff waits at a barrier: {{.*}}`bar
// FLAG-DAG: block (0,0,0), warp 1, lanes 0xffffffff spins: kernel 'flag(int volatile*)'
// FLAG: cudaErrorLaunchFailure
// BARRIER: deadlock: every remaining thread
// BARRIER-NEXT: warp 0, lanes 0xffffffff waits at a barrier: {{.*}}`bar.sync 1, 64`
// BARRIER-NEXT: warp 1, lanes 0xffffffff waits at a barrier: {{.*}}`bar.sync 2, 64`
// BARRIER: cudaErrorLaunchFailure
// LONG: cudaSuccess
