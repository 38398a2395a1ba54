// The mask and the budget of a forced persistent launch are what the device shows: blocks run on the
// named SMs only, few as they may be, and never more of them at once on an SM than the budget.
//
// RUN: %gpusched-cc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t > %t.native
// RUN: %gpusched run --device=cpu --variant=persistent --blocks-per-sm=2 --sms=4,6-7 -- %t | FileCheck %s
// RUN: FileCheck --check-prefix=NATIVE %s < %t.native
#include <cstdio>
#include <cuda_runtime.h>

__global__ void whereAmI(unsigned* blocksOnSm, unsigned* now, unsigned* most) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x == 0) {
    atomicAdd(&blocksOnSm[sm], 1u);
    atomicMax(most, atomicAdd(&now[sm], 1u) + 1);
  }
  __syncthreads();
  for (volatile int i = 0; i < 200; i = i + 1) {
  }
  __syncthreads();
  if (threadIdx.x == 0)
    atomicSub(&now[sm], 1u);
}

int main() {
  unsigned* data;
  cudaMallocManaged(&data, 1025 * sizeof(unsigned));
  cudaMemset(data, 0, 1025 * sizeof(unsigned));
  for (int i = 0; i < 10; ++i)
    whereAmI<<<4, 64>>>(data, data + 512, data + 1024);
  whereAmI<<<3000, 64>>>(data, data + 512, data + 1024);
  std::printf("%s; SMs", cudaGetErrorString(cudaDeviceSynchronize()));
  unsigned sum = 0, used = 0;
  for (unsigned sm = 0; sm < 512; ++sm) {
    sum += data[sm];
    used += data[sm] != 0;
    if (data[sm] && used <= 4)
      std::printf(" %u", sm);
  }
  // CHECK: no error; SMs 4 6 7, 3040 blocks, at most 2 at once
  // NATIVE: no error; SMs 0 1 2 3, 3040 blocks
  std::printf(", %u blocks, at most %u at once\n", sum, data[1024]);
}
