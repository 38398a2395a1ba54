// doubled.cu - a library with its own cudart and a kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__global__ void twice(int* value) { *value *= 2; }
extern "C" int doubled(int value) {
  int* device = nullptr;
  if (cudaMalloc(&device, sizeof(int)) != cudaSuccess)
    return -1;
  cudaMemcpy(device, &value, sizeof(int), cudaMemcpyHostToDevice);
  twice<<<1, 1>>>(device);
  cudaMemcpy(&value, device, sizeof(int), cudaMemcpyDeviceToHost);
  return value;
}
