// Kernels and a launch in a header of the user's.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"
#include "Inputs/Scale.cuh"

int main() {
  std::vector<int> start(40 * 32, 4);
  int* values = deviceCopy(start);
  scaleBy<int><<<40, 32>>>(values, 6);
  shiftAll(values, 40, 9);
  expect<int>("header", values, start.size(), [](std::size_t) { return 33; });
}
