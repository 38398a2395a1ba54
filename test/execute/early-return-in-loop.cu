// Threads leave one after the other from inside a loop with a barrier.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
#include "Inputs/Expect.h"

__global__ void countdown(int* left, int* rounds) {
  __shared__ int alive;
  if (threadIdx.x == 0)
    alive = blockDim.x;
  __syncthreads();
  for (int round = 0;; ++round) {
    if (threadIdx.x == blockDim.x - 1 - round) {
      left[blockIdx.x * blockDim.x + threadIdx.x] = alive;
      if (threadIdx.x == 0)
        rounds[blockIdx.x] = round;
      return;
    }
    __syncthreads();
    if (threadIdx.x == 0)
      --alive;
    __syncthreads();
  }
}

int main() {
  constexpr int blocks = 40, threads = 48;
  int* left = deviceArray<int>(blocks * threads);
  int* rounds = deviceArray<int>(blocks);
  countdown<<<blocks, threads>>>(left, rounds);
  expect<int>("alive when leaving", left, blocks * threads,
              [](std::size_t index) { return static_cast<int>(index % threads) + 1; });
  expect<int>("rounds", rounds, blocks, [](std::size_t) { return threads - 1; });
}
