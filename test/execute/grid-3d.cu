// Three-dimensional grid and block: every component of blockIdx and gridDim is used.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void coordinates(unsigned* out, uint3 size) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[(z * size.y + y) * size.x + x] = block * 1000000 + x * 10000 + y * 100 + z;
}

int main() {
  const dim3 grid(5, 7, 3), block(4, 2, 3);
  const uint3 size = {grid.x * block.x, grid.y * block.y, grid.z * block.z};
  const std::size_t count = std::size_t(size.x) * size.y * size.z;
  unsigned* out = deviceArray<unsigned>(count);
  coordinates<<<grid, block>>>(out, size);
  expect<unsigned>("coordinates", out, count, [&](std::size_t index) {
    const unsigned at = static_cast<unsigned>(index);
    const unsigned x = at % size.x, y = at / size.x % size.y, z = at / (size.x * size.y);
    const unsigned of = ((z / block.z) * grid.y + y / block.y) * grid.x + x / block.x;
    return of * 1000000 + x * 10000 + y * 100 + z;
  });
}
