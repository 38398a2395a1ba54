// Overloads that read the block's index, or exchange between lanes after others have left: each
// kernel means the one that it meant before, by type and by number of arguments.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
#include "Inputs/Expect.h"

constexpr int kBlocks = 40, kThreads = 64;

template <class T> __device__ void exchange(T& value, int lanes) {
  value = __shfl_xor_sync(0xffffffffu, value, lanes);
}
template <class T> __device__ void exchange(T& first, T& second, int lanes) {
  const T other = __shfl_xor_sync(0xffffffffu, first, lanes);
  first = __shfl_xor_sync(0xffffffffu, second, lanes);
  second = other;
}
__device__ int place(int thread) { return blockIdx.x * kThreads + thread; }
__device__ int place(float block) { return static_cast<int>(block) * kThreads; }

__global__ void one(int* out, int live) {
  if (threadIdx.x < live) {
    int value = threadIdx.x;
    exchange(value, 1);
    out[place(int(threadIdx.x))] = value;
  }
}

__global__ void two(int* out, int live) {
  if (threadIdx.x < live) {
    int first = threadIdx.x, second = 1000 + threadIdx.x;
    exchange(first, second, 2);
    out[place(int(threadIdx.x))] = first * 10000 + second;
  }
}

// Of a template, of a function, one with a default and one that reads nothing of the block.
__device__ float scaled(float value, int by = 3) { return value * by; }
__device__ int scaled(int value) { return value * int(gridDim.x) + blockIdx.x; }
template <class T> __device__ T scaled(const T* values, unsigned step) {
  return values[(blockIdx.x + step) % gridDim.x];
}
__device__ float twice(float value) { return scaled(value) + scaled(1); }

__global__ void all(const int* values, int* out) {
  const auto half = [=](float value) { return scaled(value) / 2; };
  out[place(int(threadIdx.x))] =
      scaled(int(threadIdx.x)) + scaled<int>(values, threadIdx.x) + int(half(threadIdx.x * 2.0f)) + int(twice(2));
}

template <class T> __global__ void each(T* out) {
  out[place(int(threadIdx.x))] = scaled(T(threadIdx.x));
}

// Barriers of overloads, of which each text means both.
template <class T> __device__ void sum(T& value, T* words) {
  words[threadIdx.x] = value;
  __syncthreads();
  value += words[threadIdx.x ^ 1];
  __syncthreads();
}
template <int N, class T> __device__ void sum(T (&values)[N], T* words) {
  for (T& value : values)
    sum(value, words);
}

__global__ void sums(int* out, int live) {
  __shared__ int words[kThreads];
  if (threadIdx.x >= live)
    return;
  int value = threadIdx.x, values[2] = {value, value * 10};
  sum(value, words);
  sum<2>(values, words);
  out[place(int(threadIdx.x))] = value * 100000 + values[0] * 1000 + values[1];
}

// One text calls members of two classes, of which one reads the block's index.
struct Reads { __device__ int at(int n) const { return n + blockIdx.x * kThreads; } };
struct Keeps { __device__ int at(int n) const { return n * 2; } };
template <class F> __device__ int ask(F f) { return f.at(threadIdx.x); }
__global__ void reads(int* out) { out[place(int(threadIdx.x))] = ask(Reads()); }
__global__ void keeps(int* out) { out[place(int(threadIdx.x))] = ask(Keeps()); }

__global__ void other(int* out) { out[place(blockIdx.x + 0.5f) + threadIdx.x] = blockIdx.x; }

int main() {
  int* asked = deviceArray<int>(kBlocks * kThreads);
  reads<<<kBlocks, kThreads>>>(asked);
  expect<int>("reads", asked, kBlocks * kThreads, [](std::size_t index) { return int(index); });
  keeps<<<kBlocks, kThreads>>>(asked);
  expect<int>("keeps", asked, kBlocks * kThreads,
              [](std::size_t index) { return int(index % kThreads) * 2; });
  int* ones = deviceArray<int>(kBlocks * kThreads);
  one<<<kBlocks, kThreads>>>(ones, 44);
  expect<int>("one", ones, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads;
    return thread < 44 ? thread ^ 1 : 0;
  });
  int* twos = deviceArray<int>(kBlocks * kThreads);
  two<<<kBlocks, kThreads>>>(twos, 44);
  expect<int>("two", twos, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads;
    return thread < 44 ? (1000 + (thread ^ 2)) * 10000 + (thread ^ 2) : 0;
  });
  std::vector<int> numbers(kBlocks);
  for (int block = 0; block < kBlocks; ++block)
    numbers[block] = block * block;
  int* alls = deviceArray<int>(kBlocks * kThreads);
  all<<<kBlocks, kThreads>>>(deviceCopy(numbers), alls);
  expect<int>("all", alls, kBlocks * kThreads, [&](std::size_t index) {
    const int thread = index % kThreads, block = index / kThreads;
    return thread * kBlocks + block + numbers[(block + thread) % kBlocks] + thread * 3 +
           6 + kBlocks + block;
  });
  int* integers = deviceArray<int>(kBlocks * kThreads);
  each<<<kBlocks, kThreads>>>(integers);
  expect<int>("each<int>", integers, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads, block = index / kThreads;
    return thread * kBlocks + block;
  });
  float* reals = deviceArray<float>(kBlocks * kThreads);
  each<<<kBlocks, kThreads>>>(reals);
  expect<float>("each<float>", reals, kBlocks * kThreads,
                [](std::size_t index) { return index % kThreads * 3.0f; });
  int* summed = deviceArray<int>(kBlocks * kThreads);
  sums<<<kBlocks, kThreads>>>(summed, 44);
  expect<int>("sums", summed, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads, both = thread + (thread ^ 1);
    return thread < 44 ? both * 101010 : 0;
  });
  int* others = deviceArray<int>(kBlocks * kThreads);
  other<<<kBlocks, kThreads>>>(others);
  expect<int>("other", others, kBlocks * kThreads,
              [](std::size_t index) { return static_cast<int>(index / kThreads); });
}
