// A function that the cpu device lacks says so and returns cudaErrorNotSupported; the program's
// own functions whose names start with cuda stay its own.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t 2>&1 | FileCheck %s
#include <cstdio>

extern "C" __attribute__((noinline)) int cudaOfOurOwn(int value) { return value + 1; }

int main() {
  // CHECK: cudaDeviceFlushGPUDirectRDMAWrites is not implemented on the cpu device
  // CHECK: {{^}}cudaErrorNotSupported 42
  cudaError_t error = cudaDeviceFlushGPUDirectRDMAWrites(
      cudaFlushGPUDirectRDMAWritesTargetCurrentDevice, cudaFlushGPUDirectRDMAWritesToOwner);
  std::printf("%s %d\n", cudaGetErrorName(error), cudaOfOurOwn(41));
}
