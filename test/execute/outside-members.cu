// Members that a header declares and this file defines: constructors, templates of both kinds,
// default arguments, and a reduction behind an early return that waits.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
#include "Inputs/Expect.h"
#include "Inputs/OutsideMembers.cuh"

#include <numeric>

__device__ int rowOffset(int pitch) { return blockIdx.y * pitch; }

inline __device__ Place::Place(int lane) { column = blockIdx.x * blockDim.x + lane; }
__device__ int Place::at(int pitch) const { return rowOffset(pitch) + column; }

template <class T, int Width> __device__ int Sums<T, Width>::group() {
  return blockIdx.y * gridDim.x + blockIdx.x;
}

template <class T, int Width>
template <int Step>
__device__ void Sums<T, Width>::fold(int lanes) {
  const int lane = threadIdx.x;
  if (lane < Step && lane + Step < lanes)
    cells_[lane] += cells_[lane + Step];
  __syncthreads();
  if constexpr (Step > 1)
    fold<Step / 2>(lanes);
}

template <class T, int Width>
__device__ void Sums<T, Width>::run(const T* in, T* out, int pitch) {
  cells_[threadIdx.x] = in[Place(threadIdx.x).at(pitch)];
  __syncthreads();
  fold<Width / 2>(Width - 3);
  if (threadIdx.x == 0)
    out[group()] = cells_[0] + gridDim.y * 1000;
}

template <int Width> __global__ void sums(const int* in, int* out, int pitch) {
  __shared__ int cells[Width];
  if (threadIdx.x >= Width - 3)
    return;
  Sums<int, Width>(cells).run(in, out, pitch);
}

int main() {
  constexpr int width = 64, columns = 5, rows = 7, pitch = width * columns;
  std::vector<int> in(pitch * rows);
  for (std::size_t index = 0; index < in.size(); ++index)
    in[index] = static_cast<int>(index * 7 % 1009);
  int* out = deviceArray<int>(columns * rows);
  sums<width><<<dim3(columns, rows), width>>>(deviceCopy(in), out, pitch);
  expect<int>("sums", out, columns * rows, [&](std::size_t block) {
    const int* first = in.data() + block / columns * pitch + block % columns * width;
    return std::accumulate(first, first + width - 3, rows * 1000);
  });
}
