// Threads leave before barriers that no text can be told of it: in captureless lambdas, in
// destructors, also of functions out of line, and in a library.
// RUN: rm -rf %t.lib && mkdir -p %t.lib/c++ && cp %s %t.lib/Wait.cuh
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-std=c++17 -isystem %t.lib" --outlined=native
#ifndef TWICE
#define TWICE
#include "Inputs/Expect.h"

#include <Wait.cuh>

constexpr int kBlocks = 150, kThreads = 96;

/// Whoever holds it waits for the others of the block at its end.
struct Meeting {
  __device__ ~Meeting() { __syncthreads(); }
};

__global__ void ofLambda(int* out, int live) {
  __shared__ int values[kThreads];
  const auto wait = [] { __syncthreads(); };
  if (threadIdx.x >= live)
    return;
  values[threadIdx.x] = blockIdx.x + threadIdx.x;
  wait();
  if (threadIdx.x == 0)
    out[blockIdx.x] = values[live - 1] + values[live / 2];
}

__noinline__ __device__ void put(int* values, int value) {
  const Meeting meeting;
  values[threadIdx.x] = value;
}

__global__ void ofDestructor(int* out, int live) {
  __shared__ int values[kThreads];
  if (threadIdx.x >= live)
    return;
  put(values, blockIdx.x + threadIdx.x);
  if (threadIdx.x == 0)
    out[blockIdx.x] = values[live - 1] + values[live / 2];
}

__global__ void ofLibrary(int* out, int live) {
  __shared__ int values[kThreads];
  if (threadIdx.x >= live)
    return;
  values[threadIdx.x] = blockIdx.x + threadIdx.x;
  const int last = library::shared(values, live - 1);
  if (threadIdx.x == 0)
    out[blockIdx.x] = last + values[live / 2];
}

/// Barriers that are asked questions, too, by a lambda and by the library.
__global__ void ofQuestions(int* out, int live) {
  const auto ask = [](int question) { return __syncthreads_count(question); };
  if (threadIdx.x >= live)
    return;
  const int odd = ask(threadIdx.x % 2), all = library::agreed(threadIdx.x < live);
  const int none = __syncthreads_or(threadIdx.x == live);
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = odd + 1000 * all + 10000 * none + blockIdx.x;
}

int main() {
  int* out = deviceArray<int>(kBlocks);
  for (int live : {1, 20, 64, 90}) {
    const auto ends = [&](std::size_t block) {
      return 2 * static_cast<int>(block) + live - 1 + live / 2;
    };
    ofLambda<<<kBlocks, kThreads>>>(out, live);
    expect<int>("lambda", out, kBlocks, ends);
    ofDestructor<<<kBlocks, kThreads>>>(out, live);
    expect<int>("destructor", out, kBlocks, ends);
    ofLibrary<<<kBlocks, kThreads>>>(out, live);
    expect<int>("library", out, kBlocks, ends);
    ofQuestions<<<kBlocks, kThreads>>>(out, live);
    expect<int>("questions", out, kBlocks,
                [&](std::size_t block) { return live / 2 + 1000 + static_cast<int>(block); });
  }
}
#else
namespace library {
static __device__ int shared(const int* values, int place) {
  __syncthreads();
  return values[place];
}
static __device__ int agreed(int question) { return __syncthreads_and(question); }
} // namespace library
#endif
