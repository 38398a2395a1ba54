// Threads past the end return at once; no barrier anywhere.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void doubled(const int* in, int* out, int count) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count)
    return;
  out[index] = 2 * in[index];
}

int main() {
  constexpr int count = 1000;
  std::vector<int> in(count);
  for (int index = 0; index < count; ++index)
    in[index] = index * 7 + 1;
  int* out = deviceArray<int>(count + 100);
  doubled<<<(count + 63) / 64, 64>>>(deviceCopy(in), out, count);
  expect<int>("doubled", out, count + 100,
              [&](std::size_t index) { return index < count ? 2 * in[index] : 0; });
}
