// Calls through tables of functions and of virtual functions, with barriers in what they reach.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Row : Square {
  using Square::Square;
  __device__ int area() const override {
    __syncthreads();
    return side;
  }
};

__device__ int twice(int value) { return 2 * value; }
__device__ int next(int value) { return value + 1; }
__device__ int minus(int value) { return -value; }
__device__ int (*const functions[])(int) = {twice, next, minus};

__global__ void shapes(int* out) {
  const Square square(blockIdx.x % 7);
  const Row row(blockIdx.x);
  const Shape* const shape = blockIdx.x % 2 ? static_cast<const Shape*>(&square) : &row;
  const int area = shape->area();
  if (threadIdx.x == 0)
    out[blockIdx.x] = area;
}

__global__ void table(int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = functions[(blockIdx.x + threadIdx.x) % 3](threadIdx.x);
}

int main() {
  constexpr int blocks = 120;
  int* areas = deviceArray<int>(blocks);
  shapes<<<blocks, 64>>>(areas);
  expect<int>("areas", areas, blocks, [](std::size_t block) {
    const int side = static_cast<int>(block) % 7;
    return block % 2 ? side * side : static_cast<int>(block);
  });
  int* values = deviceArray<int>(blocks * 32);
  table<<<blocks, 32>>>(values);
  expect<int>("values", values, blocks * 32, [](std::size_t index) {
    const int thread = static_cast<int>(index % 32), which = static_cast<int>(index / 32 + thread) % 3;
    return which == 0 ? 2 * thread : which == 1 ? thread + 1 : -thread;
  });
}
