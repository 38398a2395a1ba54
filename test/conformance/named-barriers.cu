// Half a block produces, half consumes, over two named barriers of 128 threads each.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

__device__ void arrive(int barrier) {
  asm volatile("bar.arrive %0, 128;" ::"r"(barrier) : "memory");
}
__device__ void wait(int barrier) { asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory"); }

__global__ void pipeline(int* out) {
  __shared__ int slot[64];
  const int lane = threadIdx.x % 64;
  int sum = 0;
  for (int item = 0; item < 20; ++item) {
    if (threadIdx.x < 64) {
      if (item > 0)
        wait(2); // emptied
      slot[lane] = blockIdx.x + item * lane;
      arrive(1); // filled
    } else {
      wait(1);
      sum += slot[63 - lane];
      if (item < 19)
        arrive(2);
    }
  }
  if (threadIdx.x >= 64)
    out[blockIdx.x * 64 + lane] = sum;
}

int main() {
  int* out = deviceArray<int>(12 * 64);
  pipeline<<<12, 128>>>(out);
  expect<int>("pipeline", out, 12 * 64, [](std::size_t index) {
    return 20 * static_cast<int>(index / 64) + 190 * (63 - static_cast<int>(index % 64));
  });
}
