// Functions of both sides that read the block's number, shuffle or wait on the device, through a
// class that is chosen by the side and through functors; the host's own results stay.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
#include "Inputs/Expect.h"

#define HD __host__ __device__
constexpr int kBlocks = 40, kThreads = 64, kLive = 44;

namespace target {
template <template <bool> class F, class... Arguments> HD auto dispatch(Arguments... arguments) {
#ifdef __CUDA_ARCH__
  return F<true>()(arguments...);
#else
  return F<false>()(arguments...);
#endif
}
template <bool> struct OnDevice { HD bool operator()() { return false; } };
template <> struct OnDevice<true> { HD bool operator()() { return true; } };
template <bool> struct Block { int operator()() { return -1; } };
template <> struct Block<true> { __device__ int operator()() { return blockIdx.x; } };
template <bool> struct Other { template <class T> T operator()(T value) { return -value; } };
template <> struct Other<true> {
  template <class T> __device__ T operator()(T value) {
    // A member that is called by what it calls.
    const T block = target::dispatch<Block>();
    return __shfl_xor_sync(0xffffffffu, value + block, target::dispatch<OnDevice>()) - block;
  }
};
template <bool> struct Meet { void operator()() {} };
template <> struct Meet<true> { __device__ void operator()() { __syncthreads(); } };
HD inline int block() { return dispatch<Block>(); }
template <class T> HD T other(T value) { return dispatch<Other>(value); }
} // namespace target

struct Scaled {
  int by;
  HD int operator()(int n) const { return n * by + target::block(); }
};
template <class F> HD int twice(F f, int n) { return f(f(n)); }

__global__ void numbers(int* out) {
  out[blockIdx.x * kThreads + threadIdx.x] = twice(Scaled{3}, threadIdx.x);
}

__global__ void exchange(int* out) {
  __shared__ int values[kThreads];
  if (threadIdx.x >= kLive)
    return;
  values[threadIdx.x] = target::other(static_cast<int>(threadIdx.x)) + target::block();
  target::dispatch<target::Meet>();
  out[blockIdx.x * kThreads + threadIdx.x] = values[kLive - 1 - threadIdx.x];
}

int main() {
  int* results = deviceArray<int>(kBlocks * kThreads);
  numbers<<<kBlocks, kThreads>>>(results);
  expect<int>("numbers", results, kBlocks * kThreads, [](std::size_t index) {
    const int block = index / kThreads, thread = index % kThreads;
    return thread * 9 + block * 4;
  });
  int* exchanged = deviceArray<int>(kBlocks * kThreads);
  exchange<<<kBlocks, kThreads>>>(exchanged);
  expect<int>("exchanged", exchanged, kBlocks * kThreads, [](std::size_t index) {
    const int block = index / kThreads, thread = index % kThreads;
    return thread < kLive ? ((kLive - 1 - thread) ^ 1) + block : 0;
  });
  // The host's own: its block is -1, and its exchange a change of sign.
  if (twice(Scaled{3}, 2) != (2 * 3 - 1) * 3 - 1 || target::other(5) != -5)
    std::exit(1);
}
