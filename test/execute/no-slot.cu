// No SM that the device has is allowed: of each launch the last worker runs all blocks, and leaves a control block that
// the next launch begins with.
// RUN: %gpusched-cc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu --variant=persistent --sms=300 --trace=%t.json -- %t
// RUN: not grep -q '"variant": "native"' %t.json
#include "Inputs/Expect.h"

__global__ void add(int* values, int by) { values[blockIdx.x * blockDim.x + threadIdx.x] += by; }

int main() {
  int* values = deviceArray<int>(20 * 32);
  for (int round = 1; round < 6; ++round) {
    add<<<20, 32>>>(values, round);
    expect<int>("sum", values, 20 * 32, [=](std::size_t) { return round * (round + 1) / 2; });
  }
}
