// A case label past the initialisation of a variable, which nvcc warns of and Clang rejects: twins
// do what their kernels do, with an early return in one case and a barrier behind.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-diag-suppress=546" --outlined=native
#include "Inputs/Expect.h"

constexpr int kBlocks = 41, kThreads = 64;

template <class T> __device__ T choose(int which, T value) {
  switch (which) {
  case 0:
    T first = value * 2;
    return first + blockIdx.x;
  case 1:
    T second = value * 3;
    return second;
  default:
    return value;
  }
}

__global__ void choices(int* out) {
  __shared__ int shared[kThreads];
  int found = 0;
  switch (blockIdx.x % 3) {
  case 0:
    int own = threadIdx.x;
    found = own + 7;
    if (own >= 40)
      return;
    break;
  case 1:
    found = choose(threadIdx.x % 3, int(threadIdx.x));
    break;
  default:
    found = gridDim.x;
  }
  shared[threadIdx.x] = found;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = shared[threadIdx.x ^ 1] + blockIdx.x;
}

int main() {
  int* out = deviceArray<int>(kBlocks * kThreads);
  choices<<<kBlocks, kThreads>>>(out);
  expect<int>("choices", out, kBlocks * kThreads, [](std::size_t index) {
    const int block = int(index) / kThreads, other = (int(index) % kThreads) ^ 1;
    const int chosen[] = {other * 2 + block, other * 3, other};
    const int found[] = {other + 7, chosen[other % 3], kBlocks};
    return block % 3 == 0 && other >= 40 ? 0 : found[block % 3] + block;
  });
}
