// Integer atomics on global and shared memory: add, min, max, exchange, compare-and-swap, and, or.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

#include <algorithm>

__global__ void histogram(const unsigned* in, unsigned* bins, unsigned* extremes, int count) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16)
    local[threadIdx.x] = 0;
  __syncthreads();
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) {
    atomicAdd(&local[in[index] % 16], 1u);
    atomicMin(&extremes[0], in[index]);
    atomicMax(&extremes[1], in[index]);
    atomicOr(&extremes[2], in[index]);
    unsigned old = extremes[3], seen;
    do {
      seen = old;
      old = atomicCAS(&extremes[3], seen, seen + in[index]);
    } while (old != seen);
  }
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main() {
  constexpr int count = 10000;
  std::vector<unsigned> in(count), bins(16, 0);
  unsigned low = ~0u, high = 0, any = 0, sum = 0;
  for (int index = 0; index < count; ++index) {
    in[index] = 100 + index * 7919u % 5003;
    ++bins[in[index] % 16];
    low = std::min(low, in[index]);
    high = std::max(high, in[index]);
    any |= in[index];
    sum += in[index];
  }
  unsigned* deviceBins = deviceArray<unsigned>(16);
  unsigned* extremes = deviceCopy<unsigned>({~0u, 0, 0, 0});
  histogram<<<(count + 127) / 128, 128>>>(deviceCopy(in), deviceBins, extremes, count);
  expect<unsigned>("bins", deviceBins, 16, [&](std::size_t index) { return bins[index]; });
  const unsigned expected[] = {low, high, any, sum};
  expect<unsigned>("extremes", extremes, 4, [&](std::size_t index) { return expected[index]; });
}
