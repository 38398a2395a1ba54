// A lane spins until another lane of its own warp has stored: lanes progress independently.
// RUN: %nvcc -o %t %s && env GPUSCHED_HANG=20 %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

__global__ void relay(volatile int* flags, int* out) {
  volatile int* mine = flags + blockIdx.x * 32;
  if (threadIdx.x > 0)
    while (mine[threadIdx.x - 1] == 0) {
    }
  mine[threadIdx.x] = threadIdx.x == 0 ? 1 : mine[threadIdx.x - 1] + 1;
  out[blockIdx.x * 32 + threadIdx.x] = mine[threadIdx.x];
}

int main() {
  int* out = deviceArray<int>(6 * 32);
  relay<<<6, 32>>>(deviceArray<int>(6 * 32), out);
  expect<int>("relay", out, 6 * 32,
              [](std::size_t index) { return static_cast<int>(index % 32) + 1; });
}
