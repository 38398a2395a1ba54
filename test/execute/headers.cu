// Kernels and helpers of headers: found in several ways, included twice, in a namespace, in two
// files of one program; with the line ends and the byte order mark of another system.
// RUN: rm -rf %t && mkdir -p %t/include && ln -s %S/Inputs/headers/Shared.cuh %t/include/Linked.cuh
// RUN: printf '\357\273\277#pragma once\r\ntemplate <class T> __global__ void\r\n  sub(T* v) \\\r\n{ v[whichThread()] -= 1; }' > %t/include/Crlf.cuh
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-I%t/include -I%S/Inputs/headers %S/Inputs/headers/Second.cu"
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-rdc=true -I%t/include -I%S/Inputs/headers %S/Inputs/headers/Second.cu"
#include "Inputs/Expect.h"
#include "Inputs/headers/Shared.cuh"
#include <Linked.cuh>
#include <Crlf.cuh>
#define TYPE int
#include "Fill.inc"
#undef TYPE
#define TYPE float
#include "Fill.inc"
#define EMBEDDED "Inputs/headers/Embedded.cu"
namespace embedded {
#include EMBEDDED
}
void second(int* values, int blocks);

int main() {
  int* values = deviceCopy(std::vector<int>(40 * 32));
  float* others = deviceCopy(std::vector<float>(40 * 32));
  fill<<<40, 32>>>(values, 4);
  fill<<<40, 32>>>(others, 1.5f);
  add<<<40, 32>>>(values, 1);
  second(values, 40);
  sub<<<40, 32>>>(values);
  embedded::reversed(values, 40);
  expect<int>("values", values, 40 * 32, [](std::size_t i) { return 19 + 2 * (i / 32 * 32 + 31 - i % 32); });
  expect<float>("others", others, 40 * 32, [](std::size_t) { return 1.5f; });
}
