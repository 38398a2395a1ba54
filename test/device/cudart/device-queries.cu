// The described GPU's limits show in properties, attributes and occupancy.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu --gpu=h200 -- %t | FileCheck %s
#include "Inputs/Check.h"

__global__ void copy(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

int main() {
  int count = 0, value = 0;
  CHECK_OK(cudaGetDeviceCount(&count));
  CHECK_IS(count, 1);
  cudaDeviceProp properties;
  CHECK_OK(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s has %d SMs, CC %d.%d\n", properties.name, properties.multiProcessorCount,
              properties.major, properties.minor);
  // CHECK: H200 has 132 SMs, CC 9.0
  CHECK_IS(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
  CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  CHECK_IS(value, 2048);
  // What programs make of width and clock is the bandwidth, 4.8 TB/s.
  CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryClockRate, 0));
  CHECK_IS(properties.memoryBusWidth, 6144);
  CHECK_IS(int(2.0 * value * (properties.memoryBusWidth / 8) / 1e6 + 0.5), 4800);
  CHECK_IS(properties.maxTexture2D[1], 65536);
  CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxTexture2DLayeredLayers, 0));
  CHECK_IS(value, 2048);
  cudaFuncAttributes attributes;
  CHECK_OK(cudaFuncGetAttributes(&attributes, copy));
  CHECK_TRUE(attributes.numRegs >= 4 && attributes.numRegs <= 64);
  CHECK_IS(attributes.maxThreadsPerBlock, 1024);
  CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, copy, 256, 0));
  CHECK_IS(value, 8); // 2048 threads
  CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, copy, 32, 40000));
  CHECK_IS(value, 5); // 228 KiB of shared memory
  CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, copy, 32, 0));
  CHECK_IS(value, 32); // resident blocks
  int least, greatest;
  CHECK_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK_TRUE(least > greatest);
}
