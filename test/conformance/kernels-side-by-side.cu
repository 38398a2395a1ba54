// Two kernels on two streams hand a token to and fro: both must be running at the same time.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

__global__ void player(volatile int* token, int me, int rounds, int* played) {
  if (threadIdx.x == 0)
    for (int round = 0; round < rounds; ++round) {
      while (*token % 2 != me) {
      }
      *token = *token + 1;
      ++*played;
      __threadfence();
    }
}

int main() {
  cudaStream_t first, second;
  must(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), "stream");
  must(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), "stream");
  int *token = deviceArray<int>(1), *played = deviceArray<int>(2);
  must(cudaDeviceSynchronize(), "setup");
  player<<<1, 64, 0, first>>>(token, 0, 100, played);
  player<<<1, 64, 0, second>>>(token, 1, 100, played + 1);
  expect<int>("played", played, 2, [](std::size_t) { return 100; });
  expect<int>("token", token, 1, [](std::size_t) { return 200; });
}
