// A grid group's ranks and sizes are those of the logical grid.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ unsigned long long place(const cg::grid_group& grid) {
  const dim3 index = grid.thread_index(), dim = grid.dim_threads();
  return (static_cast<unsigned long long>(index.z) * dim.y + index.y) * dim.x + index.x;
}

__global__ void ask(unsigned long long* ranks, unsigned long long* sizes, unsigned long long* places) {
  const cg::grid_group grid = cg::this_grid();
  const dim3 blocks = grid.dim_blocks(), block = grid.block_index(), group = grid.group_dim();
  ranks[grid.thread_rank()] = grid.thread_rank();
  if (cg::this_thread_block().thread_rank() == 0)
    sizes[grid.block_rank()] = grid.size() + grid.num_threads() + grid.num_blocks() +
                               ((block.z * blocks.y + block.y) * blocks.x + block.x) +
                               group.x * group.y * group.z;
  atomicAdd(&places[place(grid)], 1);
}

int main() {
  const dim3 blocks(7, 3, 2), threads(16, 2, 3);
  const std::size_t count = 42, total = count * 96;
  auto *ranks = deviceArray<unsigned long long>(total), *sizes = deviceArray<unsigned long long>(count),
       *places = deviceArray<unsigned long long>(total);
  ask<<<blocks, threads>>>(ranks, sizes, places);
  using Value = unsigned long long;
  expect<Value>("ranks", ranks, total, [](std::size_t index) { return index; });
  expect<Value>("sizes", sizes, count,
                [=](std::size_t block) { return 2 * total + count + block + count; });
  expect<Value>("places", places, total, [](std::size_t) { return 1; });
}
