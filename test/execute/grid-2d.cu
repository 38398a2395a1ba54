// Two-dimensional grid and block with ragged edges.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void transpose(const int* in, int* out, int width, int height) {
  __shared__ int tile[8][9];
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < width && y < height)
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 8 + threadIdx.x;
  y = blockIdx.x * 8 + threadIdx.y;
  if (x < height && y < width)
    out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  constexpr int width = 101, height = 67;
  std::vector<int> in(width * height);
  for (std::size_t index = 0; index < in.size(); ++index)
    in[index] = static_cast<int>(index) + 3;
  int* out = deviceArray<int>(in.size());
  transpose<<<dim3((width + 7) / 8, (height + 7) / 8), dim3(8, 8)>>>(deviceCopy(in), out, width,
                                                                    height);
  expect<int>("transpose", out, in.size(),
              [&](std::size_t index) { return in[index % height * width + index / height]; });
}
