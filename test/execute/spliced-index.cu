// Kernels and callees that read the block's index where no text can be told it: through ::, in assembly, in
// captureless lambdas, operators and constructors, friends of classes, beside a mention of the kernel itself.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-std=c++17" --outlined=native
#include "Inputs/Expect.h"

constexpr int kBlocks = 200, kThreads = 32;

__device__ int column() {
  int x;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(x));
  return x;
}

__global__ void qualified(int* out) {
  out[::blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(::gridDim.x) - column();
}

template <class T> struct Scaled {
  T value;
  __device__ explicit Scaled(T factor) : value(factor * static_cast<T>(blockIdx.x)) {}
  __device__ operator T() const { return value + static_cast<T>(gridDim.x); }
};
template <class T> __device__ Scaled<T> operator+(const Scaled<T>& a, T b) {
  Scaled<T> sum(1);
  sum.value += a.value + b;
  return sum;
}

__global__ void ofOperators(int* out) {
  const auto place = [] { return blockIdx.x * blockDim.x + threadIdx.x; };
  out[place()] = Scaled<int>(3) + static_cast<int>(threadIdx.x);
}

class Secret {
  int value = 5;
  friend __global__ void befriended(const Secret* secret, int* out);
};
__global__ void befriended(const Secret* secret, int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = secret->value + blockIdx.x;
}

__global__ void ofItself(int* out) {
  void (*const itself)(int*) = ofItself;
  out[blockIdx.x * blockDim.x + threadIdx.x] = itself != nullptr ? blockIdx.x : -1;
}

int main() {
  constexpr int count = kBlocks * kThreads;
  int* out = deviceArray<int>(count);
  const auto check = [&](const char* name, auto value) {
    expect<int>(name, out, count, [&](std::size_t index) {
      return value(static_cast<int>(index / kThreads), static_cast<int>(index % kThreads));
    });
  };
  qualified<<<kBlocks, kThreads>>>(out);
  check("qualified", [](int block, int) { return kBlocks - block; });
  ofOperators<<<kBlocks, kThreads>>>(out);
  check("operators", [](int block, int thread) { return 4 * block + thread + kBlocks; });
  Secret* secret = deviceArray<Secret>(1);
  const Secret known;
  cudaMemcpy(secret, &known, sizeof known, cudaMemcpyHostToDevice);
  befriended<<<kBlocks, kThreads>>>(secret, out);
  check("befriended", [](int block, int) { return 5 + block; });
  ofItself<<<kBlocks, kThreads>>>(out);
  check("itself", [](int block, int) { return block; });
}
