// Warp primitives whose mask comes from the caller: lanes that a ballot or a match named, and the
// whole warp after lanes have left.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
#include "Inputs/Expect.h"

#include <algorithm>

constexpr int kBlocks = 40, kThreads = 64;

template <class T> __device__ T largest(unsigned mask, T value) {
  T found = value;
  for (unsigned left = mask; left != 0; left &= left - 1) {
    const T other = __shfl_sync(mask, value, __ffs(left) - 1);
    found = other > found ? other : found;
  }
  return found;
}

__device__ int ofLastLane(unsigned mask, int value) {
  return __shfl_sync(mask, value, 31 - __clz(mask));
}

__device__ int votes(bool vote, unsigned mask = 0xffffffffu) {
  return __popc(__ballot_sync(mask, vote));
}

__global__ void byBallot(int* out, int live) {
  const unsigned lanes = __ballot_sync(0xffffffffu, threadIdx.x < live);
  if (threadIdx.x < live)
    out[blockIdx.x * kThreads + threadIdx.x] = largest(lanes, int(threadIdx.x * 3 + blockIdx.x));
}

__global__ void byMatch(int* out, int live) {
  const int i = threadIdx.x;
  if (i >= live)
    return;
  const unsigned same = __match_any_sync(0xffffffffu, i % 3);
  out[blockIdx.x * kThreads + i] = __popc(same) * 1000 + ofLastLane(same, i);
}

__global__ void wholeWarp(int* out, int live) {
  if (threadIdx.x >= live)
    return;
  out[blockIdx.x * kThreads + threadIdx.x] = votes(threadIdx.x % 2 == 0);
}

int main() {
  int* ballots = deviceArray<int>(kBlocks * kThreads);
  byBallot<<<kBlocks, kThreads>>>(ballots, 45);
  expect<int>("byBallot", ballots, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads, block = index / kThreads;
    return thread < 45 ? (thread < 32 ? 31 : 44) * 3 + block : 0;
  });
  int* matched = deviceArray<int>(kBlocks * kThreads);
  byMatch<<<kBlocks, kThreads>>>(matched, 50);
  expect<int>("byMatch", matched, kBlocks * kThreads, [](std::size_t index) {
    const int i = index % kThreads, first = i / 32 * 32;
    int count = 0, last = 0;
    for (int other = first; other < std::min(first + 32, 50); ++other)
      if (other % 3 == i % 3)
        ++count, last = other;
    return i < 50 ? count * 1000 + last : 0;
  });
  int* voted = deviceArray<int>(kBlocks * kThreads);
  wholeWarp<<<kBlocks, kThreads>>>(voted, 39);
  expect<int>("wholeWarp", voted, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads;
    return thread < 32 ? 16 : thread < 39 ? 4 : 0;
  });
}
