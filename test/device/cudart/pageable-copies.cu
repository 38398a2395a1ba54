// An asynchronous copy from pageable memory has read it when the call returns; one to pageable
// memory has arrived.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

__global__ void waitFor(volatile int* flag) {
  while (*flag == 0) {
  }
}

int main() {
  int *gate, *device;
  CHECK_OK(cudaMallocManaged(&gate, sizeof(int)));
  CHECK_OK(cudaMalloc(&device, sizeof(int)));
  *gate = 0;
  cudaStream_t stream;
  CHECK_OK(cudaStreamCreate(&stream));
  waitFor<<<1, 1, 0, stream>>>(gate);
  int value = 42;
  CHECK_OK(cudaMemcpyAsync(device, &value, sizeof value, cudaMemcpyHostToDevice, stream));
  value = 1; // the copy has not run yet: the stream is held back
  CHECK_IS(cudaStreamQuery(stream), cudaErrorNotReady);
  *static_cast<volatile int*>(gate) = 1;
  CHECK_OK(cudaMemcpyAsync(&value, device, sizeof value, cudaMemcpyDeviceToHost, stream));
  CHECK_IS(value, 42);
}
