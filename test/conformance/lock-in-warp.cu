// Every thread takes one global spin lock and adds to a counter without atomics.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

__global__ void guarded(int* lock, volatile int* counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *counter = *counter + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

int main() {
  int* counter = deviceArray<int>(1);
  guarded<<<7, 96>>>(deviceArray<int>(1), counter);
  expect<int>("counter", counter, 1, [](std::size_t) { return 7 * 96; });
}
