// Classes that bodies get as references: what a block changes, the next one does not see.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

constexpr int kBlocks = 53, kThreads = 64;

struct Shape {
  int strides[8], first;
  int* out;
  __device__ int next() { return ++first; }
};

__device__ int total(Shape& shape, int n) { return shape.strides[n % 8] + shape.first; }
__device__ void turn(Shape& shape, int n) { shape.strides[n % 8] += n; }
__device__ void hide(const Shape& shape) { const_cast<Shape&>(shape).first += 5; }

__global__ void reads(Shape shape) {
  const int index = blockIdx.x * kThreads + threadIdx.x;
  shape.out[index] = total(shape, index);
}

template <class T> __global__ void changes(T shape, T other, T hidden) {
  const int index = blockIdx.x * kThreads + threadIdx.x;
  turn(shape, index);
  hide(hidden);
  int* const strides = other.strides;
  strides[threadIdx.x % 8] *= 2;
  shape.out[index] = total(shape, index) + shape.next() + total(other, index) + hidden.first;
}

int main() {
  int* out = deviceArray<int>(kBlocks * kThreads);
  const Shape shape{{1, 2, 3, 4, 5, 6, 7, 8}, 10, out};
  reads<<<kBlocks, kThreads>>>(shape);
  expect<int>("only read", out, kBlocks * kThreads,
              [](std::size_t index) { return 1 + int(index % 8) + 10; });
  changes<<<kBlocks, kThreads>>>(shape, shape, shape);
  expect<int>("changed by each block", out, kBlocks * kThreads, [](std::size_t index) {
    const int stride = 1 + int(index % 8);
    return stride + int(index) + 10 + 11 + 2 * stride + 10 + 15;
  });
}
