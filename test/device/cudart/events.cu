// Events: query, elapsed time, and the errors of unrecorded and untimed ones. "Not ready" is an answer,
// not an error: programs that time with events ask, go on, and check cudaGetLastError() later.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

__global__ void waitFor(volatile int* flag) {
  while (*flag == 0) {
  }
}

int main() {
  int* gate;
  CHECK_OK(cudaMallocManaged(&gate, sizeof(int)));
  *gate = 0;
  cudaEvent_t start, stop, untimed;
  CHECK_OK(cudaEventCreate(&start));
  CHECK_OK(cudaEventCreate(&stop));
  CHECK_OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CHECK_OK(cudaEventQuery(stop)); // never recorded: complete
  float milliseconds = -1;
  CHECK_IS(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle);
  CHECK_IS(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  CHECK_OK(cudaEventRecord(start));
  waitFor<<<1, 1>>>(gate);
  CHECK_OK(cudaEventRecord(stop));
  CHECK_IS(cudaEventQuery(stop), cudaErrorNotReady);
  CHECK_IS(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorNotReady);
  CHECK_IS(cudaStreamQuery(nullptr), cudaErrorNotReady);
  CHECK_IS(cudaPeekAtLastError(), cudaSuccess);
  *static_cast<volatile int*>(gate) = 1;
  CHECK_OK(cudaEventSynchronize(stop));
  CHECK_OK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK_TRUE(milliseconds > 0 && milliseconds < 60000);
  CHECK_OK(cudaEventRecord(untimed));
  CHECK_IS(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);
  CHECK_OK(cudaEventDestroy(stop));
  CHECK_IS(cudaEventQuery(stop), cudaErrorInvalidResourceHandle);
}
