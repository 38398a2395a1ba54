// Lanes leave a warp before primitives that no text can tell who is left: in assembly, in captureless
// lambdas with a mask that nobody knows, in CUB, in scans of tiles; and in a function out of line.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-std=c++17" --outlined=native
#include "Inputs/Expect.h"

#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cub/warp/warp_reduce.cuh>

namespace cg = cooperative_groups;

constexpr int kBlocks = 60, kThreads = 64;

__noinline__ __device__ int below(int value, int distance) {
  int other;
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, %2, 31, -1; }" : "=r"(other) : "r"(value), "r"(distance));
  return other;
}

/// The lanes of a warp that are below `live` add up their places; others are gone.
__global__ void ofAssembly(int* out, int live) {
  const int lane = threadIdx.x % 32;
  if (lane >= live)
    return;
  int sum = lane + static_cast<int>(blockIdx.x);
  for (int distance = 16; distance > 0; distance /= 2) {
    const int other = below(sum, distance);
    sum += lane + distance < live ? other : 0;
  }
  if (lane == 0)
    out[blockIdx.x * 2 + threadIdx.x / 32] = sum;
}

/// Every other lane is in the mask; of these the last leaves after each round.
__global__ void ofLambda(int* out, unsigned lanes) {
  const int lane = threadIdx.x % 32;
  const auto ask = [](unsigned mask, int from, int value) { return __shfl_sync(mask, value, from); };
  int sum = 0;
  if (lane % 2 == 1)
    return;
  for (int last = 30; last > 0; last -= 2) {
    sum += ask(lanes, last, lane * static_cast<int>(blockIdx.x));
    if (lane == last)
      return;
  }
  if (lane == 0)
    out[blockIdx.x * 2 + threadIdx.x / 32] = sum;
}

__global__ void ofLibrary(int* out, int live) {
  using Reduce = cub::WarpReduce<int>;
  __shared__ typename Reduce::TempStorage storage[2];
  const int lane = threadIdx.x % 32;
  if (lane >= live)
    return;
  const int sum = Reduce(storage[threadIdx.x / 32]).Sum(lane + static_cast<int>(blockIdx.x), live);
  if (lane == 0)
    out[blockIdx.x * 2 + threadIdx.x / 32] = sum;
}

/// Whole tiles of eight leave; those that stay scan.
__global__ void ofTiles(int* out, int tiles) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (static_cast<int>(threadIdx.x % 32 / 8) >= tiles)
    return;
  const int before = cg::exclusive_scan(tile, static_cast<int>(blockIdx.x));
  __syncthreads();
  if (threadIdx.x % 32 == tiles * 8 - 1)
    out[blockIdx.x * 2 + threadIdx.x / 32] = before;
}

int main() {
  int* out = deviceArray<int>(2 * kBlocks);
  for (int live : {1, 7, 20, 32}) {
    const auto sum = [&](std::size_t warp) {
      return live * static_cast<int>(warp / 2) + live * (live - 1) / 2;
    };
    ofAssembly<<<kBlocks, kThreads>>>(out, live);
    expect<int>("assembly", out, 2 * kBlocks, sum);
    ofLibrary<<<kBlocks, kThreads>>>(out, live);
    expect<int>("library", out, 2 * kBlocks, sum);
  }
  ofLambda<<<kBlocks, kThreads>>>(out, 0x55555555u);
  expect<int>("lambda", out, 2 * kBlocks, [](std::size_t warp) { return 240 * static_cast<int>(warp / 2); });
  for (int tiles : {1, 3, 4}) {
    ofTiles<<<kBlocks, kThreads>>>(out, tiles);
    expect<int>("tiles", out, 2 * kBlocks, [](std::size_t warp) { return 7 * static_cast<int>(warp / 2); });
  }
}
