// Launches through cudaLaunchKernelEx and cudaLaunchKernelExC: without attributes, with ones that
// may go (ignore, programmatic serialisation), and with a priority, which is CUDA's own business and
// not in the trace.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90"
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90 -default-stream=per-thread"
#include "Inputs/Expect.h"

__global__ void add(int* values, int amount) {
  cudaGridDependencySynchronize();
  values[blockIdx.x * blockDim.x + threadIdx.x] += amount * int(blockIdx.x + 1);
  cudaTriggerProgrammaticLaunchCompletion();
}

int main() {
  int* values = deviceArray<int>(50 * 32);
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(50);
  config.blockDim = dim3(32);
  config.attrs = attributes;
  must(cudaLaunchKernelEx(&config, add, values, 1), "none");
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeIgnore;
  config.numAttrs = 2;
  must(cudaLaunchKernelEx(&config, add, values, 10), "programmatic");
  int amount = 100;
  void* arguments[] = {&values, &amount};
  must(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(add), arguments), "array");
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = 0;
  must(cudaLaunchKernelEx(&config, add, values, 1000), "priority");
  expect<int>("values", values, 50 * 32, [](std::size_t i) { return 1111 * int(i / 32 + 1); });
}
