// A host lambda that reads the block's index, told by one kernel, whose call through a table has it outlined, and
// called in the plain way by another, which is spliced.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-std=c++17 --extended-lambda"
// RUN: %gpusched-cc --gpusched-keep=%t/kept -std=c++17 --extended-lambda -c %s -o %t/x.o
// RUN: grep -q "^[^/].* plain__gs(.*Loop<" %t/kept/spliced-lambda.cu && not grep "^[^/].* viaTable__gs(.*Loop<" %t/kept/spliced-lambda.cu
#include "Inputs/Expect.h"

__device__ int next(int value) { return value + 1; }
__device__ int twice(int value) { return 2 * value; }
__device__ int (*functions[])(int) = {next, twice};
__noinline__ __device__ int index(int scale) { return scale * static_cast<int>(blockIdx.x); }

template <class Function> __global__ void viaTable(int* out, Function function) {
  out[blockIdx.x] = functions[blockIdx.x % 2](3) + function(0);
}
template <class Function> __global__ void plain(int* out, Function function) {
  out[blockIdx.x] = function(1) + index(2);
}

int main() {
  constexpr int blocks = 90;
  int* out = deviceArray<int>(blocks);
  const auto place = [] __device__(int more) { return static_cast<int>(blockIdx.x) + more; };
  viaTable<<<blocks, 1>>>(out, place);
  expect<int>("via table", out, blocks, [](std::size_t block) { return static_cast<int>(block) + (block % 2 ? 6 : 4); });
  plain<<<blocks, 1>>>(out, place);
  expect<int>("plain", out, blocks, [](std::size_t block) { return 3 * static_cast<int>(block) + 1; });
}
