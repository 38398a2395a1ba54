// The main thread's own default stream outlives the thread's destructors: an exit handler launches into it,
// behind what main left there. Linked both ways.
// RUN: %nvcc -arch=sm_90 --default-stream per-thread %s -o %t && %gpusched run --device=cpu -- %t | FileCheck %s
// RUN: %nvcc -arch=sm_90 --default-stream per-thread -cudart shared %s -o %t && %gpusched run --device=cpu -- %t | FileCheck %s
// CHECK: 10700 no error
#include "Inputs/Check.h"

#include <cstdlib>
#include <cstring>
#include <thread>

__global__ void shift(int* value, int amount) {
  for (int i = 0; i < 1000; ++i)
    __nanosleep(10);
  *value = *value * 100 + amount;
}

static int* value;

static void atExit() {
  int copy = 0;
  for (unsigned i = 0; i < 512; ++i) // takes the place of what was freed
    std::memset(std::malloc(8 + i), 0xff, 8 + i);
  shift<<<1, 1>>>(value, 0);
  cudaMemcpy(&copy, value, sizeof copy, cudaMemcpyDeviceToHost);
  std::printf("%d %s\n", copy, cudaGetErrorString(cudaDeviceSynchronize()));
}

int main() {
  CHECK_OK(cudaMalloc(&value, sizeof *value));
  CHECK_OK(cudaMemset(value, 0, sizeof *value));
  CHECK_OK(cudaDeviceSynchronize());
  std::thread([] { shift<<<1, 1>>>(value, 1); }).join();
  CHECK_OK(cudaDeviceSynchronize());
  std::atexit(atExit);
  shift<<<1, 1>>>(value, 7);
}
