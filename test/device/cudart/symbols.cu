// Device, constant and managed variables are reached from the host by symbol.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

__device__ int counter = 5;
__constant__ int table[4] = {1, 2, 3, 4};
__managed__ int shared = 7;

__global__ void use() {
  counter += table[0] + table[1] + table[2] + table[3];
  shared *= 2;
}

int main() {
  CHECK_IS(shared, 7);
  use<<<1, 1>>>();
  CHECK_OK(cudaDeviceSynchronize());
  CHECK_IS(shared, 14);
  int value = 0;
  CHECK_OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  CHECK_IS(value, 15);

  int last = 100;
  CHECK_OK(cudaMemcpyToSymbol(table, &last, sizeof last, 3 * sizeof last));
  CHECK_IS(cudaMemcpyToSymbol(table, &last, sizeof last, 4 * sizeof last), cudaErrorInvalidValue);
  cudaGetLastError();
  use<<<1, 1>>>();
  CHECK_OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  CHECK_IS(value, 15 + 106);

  void* address = nullptr;
  size_t bytes = 0;
  CHECK_OK(cudaGetSymbolAddress(&address, table));
  CHECK_OK(cudaGetSymbolSize(&bytes, table));
  CHECK_IS(bytes, 16u);
  CHECK_OK(cudaMemcpy(&value, static_cast<int*>(address) + 3, sizeof value, cudaMemcpyDefault));
  CHECK_IS(value, 100);
  CHECK_IS(cudaGetSymbolSize(&bytes, &value), cudaErrorInvalidSymbol);
}
