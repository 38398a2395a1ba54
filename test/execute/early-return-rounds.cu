// Lanes leave a loop with warp primitives one by one, so that nvcc's copies of its body have
// different lanes; in a function too, and with a barrier of the block behind each round.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
#include "Inputs/Expect.h"

#include <algorithm>

constexpr int kBlocks = 40, kThreads = 80;

/// How many lanes are still in the loop, asked in three ways.
__device__ int lanesHere(int round) {
  const unsigned all = 0xffffffffu;
  const unsigned here = __ballot_sync(all, true);
  const int first = __shfl_sync(all, round, __ffs(here) - 1);
  return __popc(here) * 100 + (first == round) * 10 + (__all_sync(all, round >= 0) ? 1 : 0);
}

__global__ void rounds(long long* out, int rounds) {
  const int mine = rounds - static_cast<int>(threadIdx.x % 32 + blockIdx.x) % 11;
  long long sum = 0;
  for (int round = 0; round < mine; ++round) {
    sum = sum * 3 + lanesHere(round) % 7777;
    __syncwarp();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

/// The count of rounds is known, so the loop is unrolled; lanes leave at its copies.
__global__ void unrolled(int* out, int live) {
  int sum = 0;
#pragma unroll
  for (int round = 0; round < 8; ++round) {
    if (static_cast<int>(threadIdx.x % 32) >= live - round)
      break;
    sum += __popc(__ballot_sync(0xffffffffu, true)) * (round + 1);
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

__global__ void withBarriers(int* out, int live) {
  __shared__ int counts[3];
  for (int round = 0; static_cast<int>(threadIdx.x) < live - round; ++round) {
    const int here = __popc(__ballot_sync(0xffffffffu, true));
    if (threadIdx.x % 32 == 0)
      counts[threadIdx.x / 32] = here;
    __syncthreads();
    out[blockIdx.x * kThreads + threadIdx.x] += counts[threadIdx.x / 32] + (round + 1) * 1000;
    __syncthreads();
  }
}

int lanesOf(int warp) { return warp == 2 ? kThreads - 64 : 32; }

int main() {
  for (int length : {11, 12, 21}) {
    long long* sums = deviceArray<long long>(kBlocks * kThreads);
    rounds<<<kBlocks, kThreads>>>(sums, length);
    expect<long long>("rounds", sums, kBlocks * kThreads, [&](std::size_t index) {
      const int thread = index % kThreads, block = index / kThreads;
      const auto roundsOf = [&](int lane) { return length - (lane + block) % 11; };
      long long sum = 0;
      for (int round = 0; round < roundsOf(thread % 32); ++round) {
        int votes = 0;
        for (int lane = 0; lane < lanesOf(thread / 32); ++lane)
          votes += round < roundsOf(lane);
        sum = sum * 3 + (votes * 100 + 11) % 7777;
      }
      return sum;
    });
  }
  int* counts = deviceArray<int>(kBlocks * kThreads);
  unrolled<<<kBlocks, kThreads>>>(counts, 20);
  expect<int>("unrolled", counts, kBlocks * kThreads, [](std::size_t index) {
    const int lane = index % kThreads % 32, warp = index % kThreads / 32;
    int sum = 0;
    for (int round = 0; round < 8 && lane < 20 - round; ++round)
      sum += std::min(lanesOf(warp), 20 - round) * (round + 1);
    return sum;
  });
  int* waited = deviceArray<int>(kBlocks * kThreads);
  withBarriers<<<kBlocks, kThreads>>>(waited, 70);
  expect<int>("withBarriers", waited, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads, warp = thread / 32;
    int sum = 0;
    for (int round = 0; thread < 70 - round; ++round)
      sum += std::min(32, 70 - round - warp * 32) + (round + 1) * 1000;
    return sum;
  });
}
