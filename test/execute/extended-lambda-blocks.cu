// Extended lambdas that read the built-ins: in templates and members of templates, inside a lambda
// of the host, through a macro, in one another, behind helpers, with waits that a thread leaves
// before. Those that read nothing are numbered anew beside them.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags=--extended-lambda --outlined=some
#include "Inputs/Expect.h"

__device__ int placeIn(int width) { return blockIdx.x * width + threadIdx.x; }
template <class Function> __device__ void call(Function function, int index) { function(index); }
template <class Function> __global__ void run(Function function) { function(); }
template <class Function> __global__ void each(Function function, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    call(function, i);
}
template <class Function> __global__ void plain(Function function, int count) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count)
    function(index);
}
template <class Function> __global__ void typed(int* out, Function function) {
  const int index = placeIn(blockDim.x);
  out[index] += 2 * function(index);
}

#define FOR_EACH(i, count, ...) each<<<5, 64>>>([=] __device__(int i) __VA_ARGS__, count)
#define LAUNCH(blocks, threads, ...) run<<<blocks, threads>>>(__VA_ARGS__)

template <class T> struct Owner {
  T* data;
  template <int N> void fill(int blocks) {
    T* out = data;
    run<<<blocks, 32>>>([=] __device__() { out[blockIdx.x * 32 + threadIdx.x] += N * gridDim.x; });
    run<<<blocks, 32>>>([=] __device__() { out[placeIn(32)] += placeIn(N); });
  }
};

template <class T> void sums(T* out, int count, int blocks) {
  LAUNCH(blocks, 64, [=] __device__() {
    __shared__ T part[64];
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = index;
    if (index >= count)
      return;
    __syncthreads();
    out[index] += part[threadIdx.x / 2] + __shfl_sync(~0U, index, 0);
  });
}

template <class Function> void twice(Function function, int count) {
  each<<<3, 64>>>([=] __device__(int index) { function(index); function(index); }, count);
}

int main() {
  int* out = deviceArray<int>(512);
  run<<<16, 32>>>([=] __device__() mutable noexcept { out[placeIn(32)] += blockIdx.x; });
  run<<<16, 32>>>([=] __device__ { out[placeIn(32)] += gridDim.x; });
  plain<<<8, 64>>>([=] __device__(int index) { out[index] += 7; }, 512);
  const auto kept = [=] __device__(int index) { out[index] += blockIdx.x + index; };
  each<<<8, 64>>>(kept, 512);
  plain<<<8, 64>>>([=] __device__(int index) { out[index] *= 3; }, 512);
  const auto expected = [](int i) { return 3 * (i / 32 + 16 + 7 + i / 64 + i); };
  expect<int>("plain", out, 512, [=](std::size_t index) { return expected(index); });

  typed<<<8, 64>>>(out, [=] __device__(int index) -> int { return blockIdx.x * index; });
  typed<<<8, 64>>>(out, [] __device__(int index) -> int { return blockIdx.x * 3 - index; });
  const auto typedToo = [=](int i) { return expected(i) + 2 * (i / 64 * i + i / 64 * 3 - i); };
  expect<int>("typed", out, 512, [=](std::size_t index) { return typedToo(index); });

  unsigned* filled = deviceArray<unsigned>(512);
  Owner<int>{reinterpret_cast<int*>(filled)}.fill<3>(8);
  Owner<unsigned>{filled}.fill<5>(16);
  const auto multiply = [&](int by) {
    run<<<16, 32>>>([=] __device__() { filled[blockIdx.x * 32 + threadIdx.x] *= by; });
  };
  multiply(3);
  expect<unsigned>("members", filled, 512, [](std::size_t index) {
    const unsigned i = index, block = i / 32, thread = i % 32;
    return 3 * ((i < 256 ? 24 + block * 3 + thread : 0) + 80 + block * 5 + thread);
  });

  int* waited = deviceArray<int>(512);
  unsigned* waitedToo = deviceArray<unsigned>(512);
  sums(waited, 472, 8);
  sums(waitedToo, 452, 8);
  const auto summed = [](int i) { return i / 64 * 64 + i % 64 / 2 + i / 32 * 32; };
  expect<int>("waits", waited, 472, [=](std::size_t index) { return summed(index); });
  expect<unsigned>("waits too", waitedToo, 452, [=](std::size_t index) { return summed(index); });

  int* nested = deviceArray<int>(512);
  FOR_EACH(i, 300, { nested[i] = i + gridDim.x; });
  FOR_EACH(k, 200, {
    if (k < 4) return;
    nested[k] *= 2; });
  twice([=] __device__(int index) { nested[index] += gridDim.x; }, 512);
  expect<int>("nested", nested, 512, [](std::size_t index) {
    const int i = index;
    return (i < 300 ? i + 5 : 0) * (i >= 4 && i < 200 ? 2 : 1) + 6;
  });
}
