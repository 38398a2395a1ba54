// A kernel that gpusched-cc keeps native has its name under a policy, and the class that its profile
// gives it.
// RUN: rm -rf %t && mkdir %t
// RUN: env GPUSCHED_HOME=%t/home %gpusched-cc -w -arch=sm_90 %s -o %t/program
// RUN: env GPUSCHED_HOME=%t/home %gpusched profile --device=cpu -- %t/program
// RUN: env GPUSCHED_HOME=%t/home %gpusched run --device=cpu --policy=kscheduler --trace=%t/trace.json -- %t/program
// RUN: FileCheck %s < %t/trace.json
// CHECK: "kernel": "waits<float>",
// CHECK: "variant": "native",
// CHECK: "reason": "memory, alone; kept native by the compiler, or not compiled by gpusched-cc"
#include <cuda_runtime.h>

/// For all that a compiler knows, a block waits for the one behind it.
template <class T> __global__ void waits(T* to, const T* from, volatile unsigned* ready) {
  while (ready[blockIdx.x + 1] == 0)
    ;
  to[blockIdx.x * blockDim.x + threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x];
}

int main() {
  constexpr int kBlocks = 400, kThreads = 128;
  float* data;
  unsigned* ready;
  cudaMalloc(&data, 2 * kBlocks * kThreads * sizeof(float));
  cudaMalloc(&ready, (kBlocks + 1) * sizeof(unsigned));
  cudaMemset(ready, 1, (kBlocks + 1) * sizeof(unsigned));
  waits<<<kBlocks, kThreads>>>(data, data + kBlocks * kThreads, ready);
  return cudaDeviceSynchronize();
}
