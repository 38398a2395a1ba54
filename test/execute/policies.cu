// Members of a policy that waits in one instantiation of a kernel and not in the other, behind an
// early return: overloaded shuffles in a member, and a constructor that waits.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
#include "Inputs/Expect.h"

__device__ int rotate(int v) { return __shfl_xor_sync(0xffffffffu, v, 1); }
__device__ float rotate(float v) { return __shfl_xor_sync(0xffffffffu, v, 2); }

template <class T> struct Shuffles {
  T mine;
  __device__ Shuffles(T v) : mine(v) { __syncwarp(); }
  __device__ T get() const { return rotate(mine) + T(blockIdx.x); }
};
template <class T> struct Keeps {
  T mine;
  __device__ Keeps(T v) : mine(v) {}
  __device__ T get() const { return mine; }
};

template <class Policy, class T> __global__ void apply(const T* in, T* out, int lanes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 >= lanes)
    return;
  const Policy policy(in[i]);
  out[i] = policy.get();
}

template <class Policy, class T> void run(const char* name, int step, int lanes) {
  constexpr int blocks = 23, threads = 64, n = blocks * threads;
  std::vector<T> in(n);
  for (int i = 0; i < n; ++i)
    in[i] = T(i * 7 % 1009);
  T* out = deviceArray<T>(n);
  apply<Policy, T><<<blocks, threads>>>(deviceCopy(in), out, lanes);
  expect<T>(name, out, n, [&](std::size_t i) {
    return int(i % 32) >= lanes ? T(0) : in[i ^ step] + T(step ? i / threads : 0);
  });
}

int main() {
  run<Shuffles<int>, int>("int", 1, 20);
  run<Keeps<int>, int>("kept", 0, 20);
}
