// Two kernels on two streams are on the device at once: each waits for the other.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

__global__ void meet(volatile int* mine, volatile int* other) {
  *mine = 1;
  __threadfence();
  while (*other == 0) {
  }
}

int main() {
  cudaStream_t streams[2];
  int* flags;
  CHECK_OK(cudaMalloc(&flags, 2 * sizeof(int)));
  CHECK_OK(cudaMemset(flags, 0, 2 * sizeof(int)));
  for (cudaStream_t& stream : streams)
    CHECK_OK(cudaStreamCreate(&stream));
  meet<<<1, 1, 0, streams[0]>>>(flags, flags + 1);
  CHECK_IS(cudaStreamQuery(streams[0]), cudaErrorNotReady);
  meet<<<1, 1, 0, streams[1]>>>(flags + 1, flags);
  CHECK_OK(cudaDeviceSynchronize());
  CHECK_OK(cudaStreamQuery(streams[0]));
}
