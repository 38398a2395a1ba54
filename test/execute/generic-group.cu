// thread_group asks for its kind at run time; made from a block or a tile it is no grid, and the
// kernel has a twin.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int sumOf(cg::thread_group group, int* scratch, int value) {
  const int rank = group.thread_rank();
  for (int half = group.size() / 2; half > 0; half /= 2) {
    scratch[rank] = value;
    group.sync();
    if (rank < half)
      value += scratch[rank + half];
    group.sync();
  }
  return value;
}

__global__ void sums(const int* in, int* blocks, int* tiles) {
  __shared__ int scratch[64];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_group tile = cg::tiled_partition(block, 16);
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  const int whole = sumOf(block, scratch, in[index]);
  cg::sync(block);
  const int part = sumOf(tile, scratch + threadIdx.x / 16 * 16, in[index]);
  if (block.thread_rank() == 0)
    blocks[blockIdx.x] = whole;
  if (tile.thread_rank() == 0)
    tiles[index / 16] = part;
}

int main() {
  constexpr int count = 19;
  std::vector<int> in(count * 64);
  for (std::size_t index = 0; index < in.size(); ++index)
    in[index] = static_cast<int>(index * index % 101);
  int* blocks = deviceArray<int>(count);
  int* tiles = deviceArray<int>(count * 4);
  sums<<<count, 64>>>(deviceCopy(in), blocks, tiles);
  const auto sum = [&](std::size_t first, std::size_t length) {
    int total = 0;
    for (std::size_t index = first; index < first + length; ++index)
      total += in[index];
    return total;
  };
  expect<int>("blocks", blocks, count, [&](std::size_t block) { return sum(block * 64, 64); });
  expect<int>("tiles", tiles, count * 4, [&](std::size_t tile) { return sum(tile * 16, 16); });
}
