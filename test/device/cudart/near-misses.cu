// A kernel that writes past its buffers damages other buffers, never the process: as on a GPU.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t near | FileCheck %s --check-prefix=NEAR
// RUN: %gpusched run --device=cpu -- %t far 2>&1 | FileCheck %s --check-prefix=FAR
#include "Inputs/Check.h"

#include <cstring>
#include <map>
#include <string>

constexpr unsigned kBehind = 48 << 10; // bytes

__global__ void fillBehind(char* small, unsigned bytes) {
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x)
    small[i] = 0x5a;
}

__global__ void fillFrame(int from, int to) {
  int frame[8] = {};
  for (int i = from; i < to; ++i)
    frame[i] = i;
  if (frame[threadIdx.x] == 77)
    printf("never\n");
}

__global__ void storeAt(int* buffer, unsigned index) {
  buffer[index] = 1;
}

/// Uses the heap, so that damage to it shows.
size_t heapStillWorks() {
  std::map<std::string, std::string> map;
  for (int i = 0; i < 10000; ++i)
    map[std::to_string(i * 7919 % 10007)] = std::string(size_t(i % 300), 'x');
  return map.size();
}

int main(int, char** arguments) {
  char* small[40];
  for (char*& buffer : small)
    CHECK_OK(cudaMalloc(&buffer, 64));
  if (std::strcmp(arguments[1], "near") == 0) {
    fillBehind<<<1, 256>>>(small[20], kBehind);
    CHECK_OK(cudaDeviceSynchronize());
    fillFrame<<<1, 64>>>(8, 4 << 10); // over what else the block has: whatever comes of it
  } else {
    storeAt<<<1, 1>>>(reinterpret_cast<int*>(small[20]), 0xffffffffu);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%zu %s\n", heapStillWorks(), cudaGetErrorName(error));
  // NEAR: {{^}}10000
  // FAR: illegal memory access
  // FAR: 10000 cudaErrorIllegalAddress
}
