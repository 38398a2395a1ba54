// Shuffles behind the question whether the warp is whole, which lanes that have left answer.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

constexpr int kBlocks = 41, kThreads = 64;

__device__ inline bool isWhole() { return __activemask() == 0xffffffff; }
__device__ int byOthers(int value) { return __shfl_sync(0xffffffff, value, (threadIdx.x + 1) % 32); }
struct Next {
  int value;
  __device__ operator int() const {
    if (isWhole())
      return byOthers(value);
    return -1;
  }
};

__global__ void turned(int* out, int live) {
  if (threadIdx.x >= live)
    return;
  out[blockIdx.x * kThreads + threadIdx.x] = Next{int(blockIdx.x * kThreads + threadIdx.x)};
}

int main() {
  int* out = deviceArray<int>(kBlocks * kThreads);
  turned<<<kBlocks, kThreads>>>(out, 40);
  expect<int>("whole warps turn", out, kBlocks * kThreads, [](std::size_t index) {
    const int thread = int(index) % kThreads, first = int(index) - thread;
    return thread < 32 ? first + (thread + 1) % 32 : thread < 40 ? -1 : 0;
  });
}
