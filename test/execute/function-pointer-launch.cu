// Kernels launched through pointers: a table, a parameter, a reference, a variable.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void addTo(int* values, int amount) {
  values[blockIdx.x * blockDim.x + threadIdx.x] += amount;
}
__global__ void multiplyBy(int* values, int amount) {
  values[blockIdx.x * blockDim.x + threadIdx.x] *= amount;
}

using Kernel = void (*)(int*, int);

void launch(Kernel kernel, int* values, int amount) { kernel<<<25, 32>>>(values, amount); }

int main() {
  int* values = deviceArray<int>(25 * 32);
  const Kernel table[] = {addTo, multiplyBy, &addTo};
  for (int round = 0; round < 6; ++round)
    table[round % 3]<<<25, 32>>>(values, round + 1);
  launch(multiplyBy, values, 2);
  void (&reference)(int*, int) = addTo;
  reference<<<25, 32>>>(values, 100);
  // 0 +1 *2 +3 +4 *5 +6 = 51, then *2 +100
  expect<int>("table", values, 25 * 32, [](std::size_t) { return 202; });
}
