// A device lambda as kernel argument: the instantiation has no name that could be written down.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags=--extended-lambda --expect=any
#include "Inputs/Expect.h"

template <class Function> __global__ void forEach(int count, Function function) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count)
    function(index);
}

int main() {
  int* out = deviceArray<int>(1000);
  const int factor = 3;
  forEach<<<32, 32>>>(1000, [=] __device__(int index) { out[index] = index * factor; });
  forEach<<<32, 32>>>(500, [=] __device__(int index) { out[index] += 1; });
  expect<int>("lambda", out, 1000, [](std::size_t index) {
    return static_cast<int>(index) * 3 + (index < 500 ? 1 : 0);
  });
}
