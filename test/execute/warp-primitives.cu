// Shuffles, votes, match and sub-warp widths within logical blocks.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void warpSums(const int* in, int* out) {
  int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, distance);
  const unsigned odd = __ballot_sync(0xFFFFFFFFu, in[blockIdx.x * blockDim.x + threadIdx.x] & 1);
  const int first = __shfl_sync(0xFFFFFFFFu, sum + static_cast<int>(threadIdx.x), 0, 8);
  out[blockIdx.x * blockDim.x + threadIdx.x] = first * 64 + __popc(odd);
}

int main() {
  constexpr int blocks = 35, threads = 96;
  std::vector<int> in(blocks * threads);
  for (std::size_t index = 0; index < in.size(); ++index)
    in[index] = static_cast<int>(index * index % 101);
  int* out = deviceArray<int>(in.size());
  warpSums<<<blocks, threads>>>(deviceCopy(in), out);
  expect<int>("warp sums", out, in.size(), [&](std::size_t index) {
    const std::size_t warp = index / 32 * 32, eighth = index % threads / 8 * 8;
    int sum = 0, odd = 0;
    for (std::size_t lane = warp; lane < warp + 32; ++lane) {
      sum += in[lane];
      odd += in[lane] & 1;
    }
    return (sum + static_cast<int>(eighth)) * 64 + odd;
  });
}
