// Kernels that macros make, one of them with a device function of that kind.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

struct Shift {
  int by;
};
#ifdef __CUDA_ARCH__
#define CONSTANT __grid_constant__
#else
#define CONSTANT
#endif

#define DEVICE(name) __device__ int name(int scale)
#define KERNEL(name, ...) template <__VA_ARGS__> __global__ void name(CONSTANT const Shift shift, int* out)
#define FILL(name, value) \
  __global__ void name(int* out) { \
    const int index = threadIdx.x + blockIdx.x * blockDim.x; \
    out[index] += (value); \
  }

DEVICE(global) { return scale * (blockIdx.x * blockDim.x + threadIdx.x); }

KERNEL(linear, int Scale, bool Odd) {
  const int value = global(Scale);
  out[value / Scale] = value + Odd + shift.by;
}

FILL(increase, max(3, 2))

#define LIST(X) X(1) X(2)
#define STEP(N) \
  __global__ void add##N(int* out) { out[threadIdx.x + blockIdx.x * blockDim.x] += N; }
LIST(STEP)
#undef STEP
// Adds N and nothing, if # gives what nvcc gives.
#define STEP(N) \
  __global__ void name##N(int* out) { \
    const char* const text = #N "\t"; \
    out[threadIdx.x + blockIdx.x * blockDim.x] += (text[0] - '0') + (text[1] - '\t'); \
  }
LIST(STEP)

int main() {
  int* out = deviceArray<int>(40 * 64);
  linear<5, true><<<40, 64>>>({7}, out);
  increase<<<40, 64>>>(out);
  add1<<<40, 64>>>(out);
  add2<<<40, 64>>>(out);
  name1<<<40, 64>>>(out);
  name2<<<40, 64>>>(out);
  expect<int>("macro", out, 40 * 64, [](std::size_t index) { return 5 * int(index) + 17; });
}
