// Tiles of several warps wait for each other by a word in shared memory, which is no barrier between
// blocks: such a kernel has a twin, and the word serves one block after the other.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out -- -std=c++17 | count 0
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void sums(const int* values, int* results) {
  __shared__ cg::block_tile_memory<128> memory;
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const int own = values[blockIdx.x * blockDim.x + threadIdx.x];
  const int sum = cg::reduce(tile, own, cg::plus<int>());
  tile.sync();
  results[blockIdx.x * blockDim.x + threadIdx.x] = sum + int(tile.meta_group_rank());
}

int main() {
  const int count = 128 * 50;
  int *values = deviceArray<int>(count), *results = deviceArray<int>(count);
  std::vector<int> ones(count, 1);
  must(cudaMemcpy(values, ones.data(), count * sizeof(int), cudaMemcpyHostToDevice), "values");
  sums<<<50, 128>>>(values, results);
  expect<int>("sums", results, count, [](std::size_t i) { return 64 + int(i / 64 % 2); });
}
