// One block, one thread, and configurations the runtime must refuse with the same errors.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --expect=some
#include "Inputs/Expect.h"

__global__ void count(int* out) { atomicAdd(out, 1 + gridDim.x * gridDim.y); }

void attempt(const char* what, dim3 grid, dim3 block, std::size_t shared, int* out) {
  count<<<grid, block, shared>>>(out);
  std::printf("%s: %s\n", what, cudaGetErrorName(cudaGetLastError()));
}

int main() {
  int* out = deviceArray<int>(1);
  attempt("one thread", 1, 1, 0, out);
  attempt("one block", 1, 64, 0, out);
  attempt("no blocks", 0, 64, 0, out);
  attempt("no threads", 1, 0, 0, out);
  attempt("block too large", 1, 2048, 0, out);
  attempt("grid too high", dim3(1, 70000), 1, 0, out);
  attempt("too much shared memory", 1, 1, 1 << 20, out);
  expect<int>("count", out, 1, [](std::size_t) { return 2 + 2 * 64; });
}
