// A library's warp primitive where all lanes are, then the program's own while lanes leave. Lanes that are
// done with a block wait for the others before they ask the library about the next.
// RUN: rm -rf %t.lib && mkdir -p %t.lib/c++ && cp %s %t.lib/Warp.cuh
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-isystem %t.lib" --outlined=native
#ifndef TWICE
#define TWICE
#include "Inputs/Expect.h"

#include <Warp.cuh>

constexpr int kBlocks = 40, kWarps = kBlocks * 2 - 1;

/// Each warp has a row, of which its lanes add up what is behind the first element, one after the other.
__global__ void rows(const int* lengths, int* sums) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (warp >= kWarps)
    return;
  const int length = library::first(lane == 0 ? lengths[warp] : -1);
  if (lane >= length)
    return;
  int value = lane;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_down_sync(0xffffffffu, value, distance);
    value += lane + distance < length ? other : 0;
  }
  if (lane == 0)
    sums[warp] = value;
}

int main() {
  int* const lengths = deviceArray<int>(kWarps);
  int* const sums = deviceArray<int>(kWarps);
  for (int warp = 0; warp < kWarps; ++warp) {
    const int length = warp % 32 + 1;
    cudaMemcpy(lengths + warp, &length, sizeof length, cudaMemcpyHostToDevice);
  }
  rows<<<kBlocks, 64>>>(lengths, sums);
  expect<int>("sums", sums, kWarps, [](std::size_t warp) {
    const int length = static_cast<int>(warp) % 32 + 1;
    return length * (length - 1) / 2;
  });
}
#else
namespace library {
static __device__ int first(int x) { return __shfl_sync(0xffffffffu, x, 0); }
} // namespace library
#endif
