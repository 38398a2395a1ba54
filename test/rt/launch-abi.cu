// A program of another launch ABI than the runtime's: every launch is native, and one line says why.
//
// RUN: rm -rf %t.dir %t.json && mkdir -p %t.dir/gpusched && cp -r %root/rt/include/gpusched/. %t.dir/gpusched
// RUN: sed -i 's/define GPUSCHED_ABI_VERSION .*/define GPUSCHED_ABI_VERSION 2u/' %t.dir/gpusched/LaunchAbi.h
// RUN: env GPUSCHED_INCLUDE=%t.dir %gpusched-cc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu --variant=persistent --trace=%t.json -- %t > %t.out 2>&1
// RUN: FileCheck %s < %t.out
// CHECK-COUNT-1: compiled for launch ABI 2, this runtime has {{[0-9]+}}; launching natively. Compile the program again
// CHECK-NOT: launch ABI
// CHECK: 2 launches
// RUN: not grep -q persistent %t.json
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count(unsigned* launches) {
  if (blockIdx.x == 0)
    ++*launches;
}

int main() {
  unsigned* launches;
  cudaMallocManaged(&launches, sizeof *launches);
  *launches = 0;
  count<<<4, 1>>>(launches);
  count<<<4, 1>>>(launches);
  cudaDeviceSynchronize();
  std::printf("%u launches\n", *launches);
}
