// Functions that are declared before a kernel and defined behind it, that read blockIdx, call others
// that do, and wait behind an early return.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
#include "Inputs/Expect.h"

#include <numeric>

__device__ int first(int width);
template <class T> __device__ T total(T* cells, int mine, int lanes, T start = T(7));

template <int Width> __global__ void sums(const int* in, int* out) {
  __shared__ int cells[Width];
  if (threadIdx.x >= Width - 3)
    return;
  cells[threadIdx.x] = in[first(Width) + threadIdx.x];
  const int sum = total(cells, int(threadIdx.x), Width - 3);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

__device__ int first(int width) { return blockIdx.x * width; }

template <class T> __device__ T total(T* cells, int mine, int lanes, T start) {
  for (int step = 1; step < lanes; step *= 2) {
    __syncthreads();
    const T other = mine % (2 * step) == 0 && mine + step < lanes ? cells[mine + step] : T();
    __syncthreads();
    cells[mine] += other;
  }
  return cells[mine] + start + T(blockIdx.x);
}

int main() {
  constexpr int width = 64, blocks = 41;
  std::vector<int> in(width * blocks);
  for (std::size_t index = 0; index < in.size(); ++index)
    in[index] = static_cast<int>(index * 7 % 1009);
  int* out = deviceArray<int>(blocks);
  sums<width><<<blocks, width>>>(deviceCopy(in), out);
  expect<int>("sums", out, blocks, [&](std::size_t block) {
    const int* first = in.data() + block * width;
    return std::accumulate(first, first + width - 3, 7 + static_cast<int>(block));
  });
}
