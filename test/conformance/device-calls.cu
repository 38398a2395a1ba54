// Function pointers, virtual functions and placement in local memory on the device.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

using Operation = int (*)(int, int);
__device__ int add(int left, int right) { return left + right; }
__device__ int subtract(int left, int right) { return left - right; }
__device__ Operation operations[] = {add, subtract};

struct Shape {
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int edge;
  __device__ explicit Square(int size) : edge(size) {}
  __device__ int area() const override { return edge * edge; }
};
struct Strip : Shape {
  int length;
  __device__ explicit Strip(int size) : length(size) {}
  __device__ int area() const override { return 2 * length; }
};

__device__ __noinline__ int areaOf(const Shape& shape) { return shape.area(); }

__global__ void calls(int* out) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  const Square square(index);
  const Strip strip(index);
  const Shape& shape = index % 3 ? static_cast<const Shape&>(square) : strip;
  out[index] = operations[index % 2](areaOf(shape), 5);
}

int main() {
  int* out = deviceArray<int>(5 * 64);
  calls<<<5, 64>>>(out);
  expect<int>("calls", out, 5 * 64, [](std::size_t index) {
    const int value = static_cast<int>(index), area = value % 3 ? value * value : 2 * value;
    return value % 2 ? area - 5 : area + 5;
  });
}
