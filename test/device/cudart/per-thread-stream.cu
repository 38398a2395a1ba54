// With --default-stream per-thread, the default streams of two threads run at the same time.
// RUN: %nvcc -arch=sm_90 --default-stream per-thread %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

#include <thread>

__global__ void meet(volatile int* mine, volatile int* other) {
  *mine = 1;
  while (*other == 0) {
  }
}

int main() {
  int* flags;
  CHECK_OK(cudaMallocManaged(&flags, 2 * sizeof(int)));
  flags[0] = flags[1] = 0;
  std::thread other([=] {
    meet<<<1, 1>>>(flags + 1, flags);
    CHECK_OK(cudaStreamSynchronize(0));
  });
  meet<<<1, 1>>>(flags, flags + 1);
  CHECK_OK(cudaStreamSynchronize(0));
  other.join();
  int copy = 0;
  CHECK_OK(cudaMemcpy(&copy, flags + 1, sizeof copy, cudaMemcpyDeviceToHost));
  CHECK_IS(copy, 1);
}
