// Lanes leave before warp primitives whose masks name a part of the warp, computed, handed on or
// narrowed round by round; some leave while the others wait for them already.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
#include "Inputs/Expect.h"

constexpr int kBlocks = 40, kThreads = 80;

__device__ int place() { return blockIdx.x * kThreads + threadIdx.x; }

/// Four lanes a pair. Those of the last pairs leave, and the third of every pair.
__global__ void pairs(int* out, int count) {
  const int pair = threadIdx.x / 4, lane = threadIdx.x % 32;
  if (pair >= count || lane % 4 == 2)
    return;
  const unsigned mask = 15u << (lane / 4 * 4);
  out[place()] = __popc(__ballot_sync(mask, true)) + __shfl_sync(mask, pair, 3, 4) * 10;
}

/// The mask loses the lanes of each round's end.
__global__ void rounds(int* out, int count) {
  unsigned mask = 0xffffffffu;
  int sum = 0;
  for (int i = threadIdx.x; (i < count) | ((mask = __ballot_sync(mask, i < count)) & 0); i += 37) {
    sum += __popc(__ballot_sync(mask, true));
    out[place()] = sum;
  }
}

/// One of the eight comes late, and leaves.
__global__ void late(int* out, const int* steps) {
  const int lane = threadIdx.x % 32;
  if (lane >= 8)
    return;
  int at = lane;
  for (int step = 0; lane == 3 && step < 100; ++step)
    at = steps[at];
  out[place()] = at;
  if (lane == 3 && at == 3)
    return;
  out[place()] = __popc(__ballot_sync(0xffu, true));
}

struct Group {
  unsigned mask;
  __device__ int count() const { return __popc(__ballot_sync(mask, true)); }
};
__device__ int countOf(unsigned mask) {
  __syncwarp(mask);
  return Group{mask}.count();
}

/// Halves and quarters of a warp in turn, each at its own pace, between barriers of the block.
__global__ void parts(int* out) {
  __shared__ int first;
  first = 1;
  __syncthreads();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane % 8 == 7)
    return;
  const unsigned half = 0xffffu << (lane / 16 * 16), quarter = 0xffu << (lane / 8 * 8);
  int sum = first;
  for (int round = 0; round <= lane / 16 + warp; ++round) {
    sum += countOf(half);
    if (lane % 8 == round)
      return;
    sum += countOf(quarter) * 100;
  }
  __syncthreads();
  if (lane % 16 == 4)
    return;
  out[place()] = sum + countOf(half) * 10000 + countOf(0xffffffffu) * 1000000;
}

int partOf(int thread) {
  const int lane = thread % 32, warp = thread / 32, rounds = lane / 16 + warp + 1;
  if (lane % 8 == 7 || lane % 8 < rounds || lane % 16 == 4)
    return 0;
  const auto left = [&](int half) { return 13 - 2 * (half + warp + 1); };
  int sum = 1;
  for (int round = 0; round < rounds; ++round)
    sum += 14 - 2 * round + (6 - round) * 100;
  return sum + left(lane / 16) * 10000 + (left(0) + (warp == 2 ? 0 : left(1))) * 1000000;
}

int main() {
  for (int count : {5, 11, 20}) {
    int* found = deviceArray<int>(kBlocks * kThreads);
    pairs<<<kBlocks, kThreads>>>(found, count);
    expect<int>("pairs", found, kBlocks * kThreads, [&](std::size_t index) {
      const int thread = index % kThreads;
      return thread / 4 >= count || thread % 4 == 2 ? 0 : 3 + thread / 4 * 10;
    });
  }
  for (int count : {1, 50, 200}) {
    int* found = deviceArray<int>(kBlocks * kThreads);
    rounds<<<kBlocks, kThreads>>>(found, count);
    expect<int>("rounds", found, kBlocks * kThreads, [&](std::size_t index) {
      const int thread = index % kThreads, warp = thread / 32 * 32;
      int sum = 0;
      for (int round = 0; thread + 37 * round < count; ++round)
        for (int lane = warp; lane < warp + 32 && lane < kThreads; ++lane)
          sum += lane + 37 * round < count;
      return sum;
    });
  }
  int* waited = deviceArray<int>(kBlocks * kThreads);
  late<<<kBlocks, kThreads>>>(waited, deviceCopy<int>({1, 2, 3, 4, 5, 6, 7, 3}));
  expect<int>("late", waited, kBlocks * kThreads, [](std::size_t index) {
    const int lane = index % kThreads % 32;
    return lane >= 8 ? 0 : lane == 3 ? 3 : 7;
  });
  int* mixed = deviceArray<int>(kBlocks * kThreads);
  parts<<<kBlocks, kThreads>>>(mixed);
  expect<int>("parts", mixed, kBlocks * kThreads,
              [](std::size_t index) { return partOf(index % kThreads); });
}
