// Parameters of classes whose copies and ends run functions, on the host only or there as well. A
// launch copies their bits, so none of them runs on the device; a logical block that changes its
// parameter must not be seen by the next one.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

struct Owner {
  int* values;
  int step;
  bool owns;
  explicit Owner(int* given) : values(given), step(3), owns(false) {}
  Owner(const Owner& other) : values(other.values), step(other.step + 1), owns(false) {}
  ~Owner() {
    if (owns)
      cudaFree(values);
  }
};
struct Holder {
  char tag;
  Owner owner;
};
__device__ int deviceCalls;
struct Counted {
  int value;
  __host__ __device__ explicit Counted(int value) : value(value) {}
  __host__ __device__ Counted(const Counted& other) : value(other.value + 10) { count(); }
  __host__ __device__ ~Counted() { count(); }
  static __host__ __device__ void count() {
#ifdef __CUDA_ARCH__
    atomicAdd(&deviceCalls, 1);
#endif
  }
};
template <class T> struct Fixed {
  T value;
  ~Fixed() {}
};

__global__ void direct(Owner owner, int n) {
  owner.step += blockIdx.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    owner.values[i] = owner.step;
}
template <class A, class B> __global__ void nested(A a, const B b) {
  a.owner.values += blockIdx.x * blockDim.x;
  a.owner.values[threadIdx.x] = a.tag + b.value;
}
__global__ void constant(const __grid_constant__ Owner owner) {
  owner.values[blockIdx.x * blockDim.x + threadIdx.x] = owner.step;
}
template <class... T> __global__ void summed(int* values, T... parts) {
  ((parts.value += blockIdx.x), ...);
  values[blockIdx.x * blockDim.x + threadIdx.x] = (parts.value + ...);
}

int main() {
  constexpr int blocks = 50, threads = 64, count = blocks * threads;
  Owner owner(deviceArray<int>(count));
  direct<<<blocks, threads>>>(owner, count);
  expect<int>("direct", owner.values, count,
              [](std::size_t index) { return 4 + static_cast<int>(index / threads); });
  nested<<<blocks, threads>>>(Holder{'a', owner}, Fixed<int>{5});
  expect<int>("nested", owner.values, count, [](std::size_t) { return 'a' + 5; });
  nested<<<blocks, threads>>>(Holder{'b', owner}, Fixed<short>{6});
  expect<int>("nested", owner.values, count, [](std::size_t) { return 'b' + 6; });
  summed<<<blocks, threads>>>(owner.values, Counted(1), Counted(2), Fixed<int>{3});
  expect<int>("summed", owner.values, count,
              [](std::size_t index) { return 6 + 3 * static_cast<int>(index / threads); });
  int calls = 0;
  cudaMemcpyFromSymbol(&calls, deviceCalls, sizeof calls);
  std::printf("%d calls on the device\n", calls);
  constant<<<blocks, threads>>>(owner);
  expect<int>("constant", owner.values, count, [](std::size_t) { return 4; });
}
