// Call operators and constructors that read blockIdx, group_index(), and calls with a namespace.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

namespace tiles {
__device__ int rows() { return gridDim.x; }
}

struct Place {
  int first;
  __device__ explicit Place(int width) : first(int(blockIdx.x) * width) {}
};
struct Forward {
  __device__ int operator()(int width) const { return Place(width).first + threadIdx.x; }
};
struct Backward {
  template <class T> __device__ T operator()(T width) {
    return (tiles::rows() - 1 - blockIdx.x) * width + width - 1 - threadIdx.x;
  }
};

template <class Order> __global__ void number(int* values, int width) {
  Order order;
  const int at = cg::this_thread_block().group_index().x * width + threadIdx.x;
  values[at] = order(width);
}

int main() {
  constexpr int kBlocks = 50, kWidth = 48;
  std::vector<int> start(kBlocks * kWidth, -1);
  int *up = deviceCopy(start), *down = deviceCopy(start);
  number<Forward><<<kBlocks, kWidth>>>(up, kWidth);
  number<Backward><<<kBlocks, kWidth>>>(down, kWidth);
  expect<int>("forward", up, start.size(), [](std::size_t i) { return int(i); });
  expect<int>("backward", down, start.size(), [&](std::size_t i) { return int(start.size() - 1 - i); });
}
