// blockIdx and gridDim come out of macros, one of them nested and one a loop header.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

#define BLOCK blockIdx.x
#define GLOBAL_INDEX (BLOCK * blockDim.x + threadIdx.x)
#define GRID_STRIDE_LOOP(index, count)                                                             \
  for (int index = GLOBAL_INDEX; index < (count); index += gridDim.x * blockDim.x)

__global__ void squares(int* out, int count) {
  GRID_STRIDE_LOOP(index, count) { out[index] = index * index + 1; }
}

__global__ void owners(int* out, int count) {
  GRID_STRIDE_LOOP(index, count) { out[index] = BLOCK; }
}

int main() {
  constexpr int count = 5000;
  int* out = deviceArray<int>(count);
  squares<<<7, 64>>>(out, count);
  expect<int>("squares", out, count,
              [](std::size_t index) { return static_cast<int>(index * index) + 1; });
  owners<<<7, 64>>>(out, count);
  expect<int>("owners", out, count,
              [](std::size_t index) { return static_cast<int>(index / 64 % 7); });
}
