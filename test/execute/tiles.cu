// Tiles leave while others of their warp go on with primitives of theirs.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out -- -std=c++17 | count 0
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <int lanes> __global__ void rowSums(const int* values, int width, int rows, int* sums) {
  const auto tile = cg::tiled_partition<lanes>(cg::this_thread_block());
  const int row = threadIdx.x / lanes + blockDim.x / lanes * blockIdx.x;
  if (row >= rows || row % 3 == 1)
    return;
  int sum = 0;
  for (int i = tile.thread_rank(); tile.any(i < width); i += lanes)
    sum += i < width ? values[row * width + i] : 0;
  for (int distance = 1; distance < tile.size(); distance *= 2)
    sum += tile.shfl_xor(sum, distance);
  if (tile.thread_rank() == 0)
    sums[row] = sum;
}

template <int lanes> void check(int threads) {
  constexpr int rows = 2001, width = 13;
  int *values = deviceArray<int>(rows * width), *sums = deviceArray<int>(rows);
  std::vector<int> ones(rows * width, 1);
  must(cudaMemcpy(values, ones.data(), ones.size() * sizeof(int), cudaMemcpyHostToDevice), "values");
  const int perBlock = threads / lanes;
  rowSums<lanes><<<(rows + perBlock - 1) / perBlock, threads>>>(values, width, rows, sums);
  expect<int>("sums", sums, rows, [](std::size_t row) { return row % 3 == 1 ? 0 : width; });
}

int main() {
  check<2>(96);
  check<4>(64);
  check<16>(128);
  check<32>(64);
}
