// Kernels in a namespace, in an anonymous one, static, extern "C", inline, overloaded, declared
// before they are defined, and with a default argument.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void later(int* out, int amount = 5);

namespace outer::inner {
__global__ void add(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] += 10; }
} // namespace outer::inner
namespace {
__global__ void add(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] += 200; }
} // namespace
static __global__ void addStatic(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] += 3000; }
extern "C" __global__ void addC(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] += 40000; }
__global__ void overloaded(int* out, int) { out[blockIdx.x * blockDim.x + threadIdx.x] += 500000; }
__global__ void overloaded(int* out, float) {
  out[blockIdx.x * blockDim.x + threadIdx.x] += 6000000;
}

int main() {
  int* out = deviceArray<int>(20 * 32);
  later<<<20, 32>>>(out);
  outer::inner::add<<<20, 32>>>(out);
  add<<<20, 32>>>(out);
  addStatic<<<20, 32>>>(out);
  addC<<<20, 32>>>(out);
  overloaded<<<20, 32>>>(out, 1);
  overloaded<<<20, 32>>>(out, 1.0f);
  expect<int>("sum", out, 20 * 32, [](std::size_t) { return 6543215; });
}

__global__ void later(int* out, int amount) {
  out[blockIdx.x * blockDim.x + threadIdx.x] += amount;
}
