// blockIdx, gridDim and a barrier are used only in device functions that the kernel calls, one of
// them through another and one a template, one with an argument whose class copies itself.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__device__ int globalIndex() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ int mirrored() { return gridDim.x * blockDim.x - 1 - globalIndex(); }

struct Place {
  int x, y;
  __device__ Place(int a, int b) : x(a), y(b) {}
  __device__ Place(const Place& other) : x(other.x), y(other.y) {}
};
__device__ int shifted(Place place) { return place.x + place.y * blockIdx.x; }

template <class T> __device__ T neighbour(T mine, T* scratch) {
  scratch[threadIdx.x] = mine;
  __syncthreads();
  return scratch[(threadIdx.x + 1) % blockDim.x];
}

__global__ void callees(const int* in, int* out) {
  __shared__ int scratch[32];
  out[globalIndex()] = neighbour(in[mirrored()], scratch) + shifted({1, 2});
}

int main() {
  constexpr int blocks = 90, threads = 32, count = blocks * threads;
  std::vector<int> in(count);
  for (int index = 0; index < count; ++index)
    in[index] = index * 5 % 771;
  int* out = deviceArray<int>(count);
  callees<<<blocks, threads>>>(deviceCopy(in), out);
  expect<int>("callees", out, count, [&](std::size_t index) {
    return in[count - 1 - (index / threads * threads + (index + 1) % threads)] + 1 +
           2 * static_cast<int>(index / threads);
  });
}
