// Kernels whose work is in members that read blockIdx and wait at barriers: static, template and
// nested ones, an object in shared memory, a base class.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__device__ int blockOffset(int size) { return blockIdx.x * size; }

struct Place {
  int width;
  __device__ int row() const { return blockIdx.y; }
  __device__ int column() const { return blockOffset(width) + threadIdx.x; }
};

template <int Width> class Window : Place {
  int cells[Width];

  template <bool Reverse> __device__ void load(const int* in, int pitch) {
    const int from = Reverse ? Width - 1 - threadIdx.x : threadIdx.x;
    cells[threadIdx.x] = in[row() * pitch + blockOffset(Width) + from];
    __syncthreads();
  }

public:
  __device__ static void run(const int* in, int* out, int pitch) {
    __shared__ Window window;
    if (threadIdx.x == 0)
      window.width = Width;
    __syncthreads();
    if (blockIdx.x % 2)
      window.template load<true>(in, pitch);
    else
      window.load<false>(in, pitch);
    out[window.row() * pitch + window.column()] =
        window.cells[threadIdx.x] + static_cast<int>(gridDim.x * 1000 + gridDim.y);
  }
};

template <int Width> __global__ void slide(const int* in, int* out, int pitch) {
  Window<Width>::run(in, out, pitch);
}

int main() {
  constexpr int width = 32, columns = 7, rows = 5, pitch = width * columns;
  std::vector<int> in(pitch * rows);
  for (std::size_t index = 0; index < in.size(); ++index)
    in[index] = static_cast<int>(index * 7 % 1009);
  int* out = deviceArray<int>(in.size());
  slide<width><<<dim3(columns, rows), width>>>(deviceCopy(in), out, pitch);
  expect<int>("slide", out, in.size(), [&](std::size_t index) {
    const std::size_t block = index % pitch / width, lane = index % width;
    const std::size_t from = block % 2 ? width - 1 - lane : lane;
    return in[index - lane + from] + columns * 1000 + rows;
  });
}
