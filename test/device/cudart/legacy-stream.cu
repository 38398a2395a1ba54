// The legacy default stream waits for blocking streams and holds them back, not non-blocking ones.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

__global__ void waitFor(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void set(int* flag) { *flag = 1; }

int main() {
  int *gate, *passed;
  CHECK_OK(cudaMallocManaged(&gate, sizeof(int)));
  CHECK_OK(cudaMallocManaged(&passed, 3 * sizeof(int)));
  *gate = passed[0] = passed[1] = passed[2] = 0;
  cudaStream_t blocking, later, independent;
  CHECK_OK(cudaStreamCreate(&blocking));
  CHECK_OK(cudaStreamCreate(&later));
  CHECK_OK(cudaStreamCreateWithFlags(&independent, cudaStreamNonBlocking));

  waitFor<<<1, 1, 0, blocking>>>(gate);
  set<<<1, 1>>>(passed);               // legacy: after blocking's kernel
  set<<<1, 1, 0, later>>>(passed + 1); // after the legacy kernel
  set<<<1, 1, 0, independent>>>(passed + 2);
  CHECK_OK(cudaStreamSynchronize(independent));
  CHECK_IS(passed[2], 1);
  CHECK_IS(cudaStreamQuery(later), cudaErrorNotReady);
  CHECK_IS(passed[0], 0);
  CHECK_IS(passed[1], 0);

  *static_cast<volatile int*>(gate) = 1;
  CHECK_OK(cudaStreamSynchronize(later));
  CHECK_IS(passed[0], 1);
  CHECK_IS(passed[1], 1);
}
