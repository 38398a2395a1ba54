// Two files linked with -rdc, each with a static device function of one name: both read the block
// index, so both become function objects, and each kernel must get its own file's.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-rdc=true %S/Inputs/SameName.cu"
#include "Inputs/Expect.h"

static __device__ __noinline__ int whichBlock() { return blockIdx.x; }
__global__ void ones(int* values) { values[blockIdx.x] += whichBlock(); }
void addHundreds(int* values);

int main() {
  int* values = deviceArray<int>(40);
  ones<<<40, 1>>>(values);
  addHundreds(values);
  expect<int>("values", values, 40, [](std::size_t i) { return 100 + 2 * int(i); });
}
