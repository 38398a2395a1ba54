// occupancy_calculator_test - occupancy() says what NVIDIA's calculator says.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda_occupancy.h is a calculator in host code that comes with the CUDA toolkit. Compared for
// every shipped description of a GPU that CUDA 13 supports, over block sizes, registers and shared
// memory; and what one block is charged must add up to the same number of blocks.
#include "rt/schema/DeviceDescription.h"
#include "test/Check.h"

#include <cstdint>
#include <cstdio>
#include <cuda_occupancy.h>

using namespace gpusched;

static cudaOccDeviceProp propertiesOf(const DeviceDescription& device) {
  cudaOccDeviceProp properties;
  properties.computeMajor = int(device.computeMajor);
  properties.computeMinor = int(device.computeMinor);
  properties.maxThreadsPerBlock = int(device.threadsPerBlock);
  properties.maxThreadsPerMultiprocessor = int(device.warpsPerSm * 32);
  properties.regsPerBlock = int(device.registersPerBlock);
  properties.regsPerMultiprocessor = int(device.registersPerSm);
  properties.warpSize = 32;
  properties.sharedMemPerBlock = device.sharedBytesPerBlock;
  properties.sharedMemPerMultiprocessor = device.sharedBytesPerSm;
  properties.numSms = int(device.sms);
  properties.sharedMemPerBlockOptin = device.sharedBytesPerBlockOptin;
  properties.reservedSharedMemPerBlock = device.sharedReservedPerBlock;
  return properties;
}

/// Blocks per SM, with half of the shared memory static; -1: the calculator does not know the GPU.
static int calculated(const cudaOccDeviceProp& properties, uint32_t threads, uint32_t registers,
                      uint32_t shared) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT32_MAX;
  attributes.numRegs = int(registers);
  attributes.sharedSizeBytes = shared / 2;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = properties.sharedMemPerBlockOptin - shared / 2;
  attributes.numBlockBarriers = 1;
  cudaOccDeviceState state;
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                              int(threads),
                                              shared - shared / 2) != CUDA_OCC_SUCCESS)
    return -1;
  return result.activeBlocksPerMultiprocessor;
}

static void compare(const char* name) {
  const Result<DeviceDescription> device = loadDeviceDescription(name);
  CHECK(device.ok());
  const cudaOccDeviceProp properties = propertiesOf(*device);
  const uint64_t most = device->sharedBytesPerBlockOptin;
  size_t different = 0;
  for (uint32_t threads = 1; threads <= 1024; threads += threads < 256 ? 15 : 64)
    for (uint32_t registers = 16; registers <= 255; ++registers)
      for (uint64_t shared :
           {uint64_t(0), uint64_t(130), uint64_t(1024), uint64_t(9000), most / 3, most}) {
        const int wanted = calculated(properties, threads, registers, uint32_t(shared));
        const uint32_t got = occupancy(*device, threads, registers, shared).blocksPerSm;
        if (int(got) != wanted && ++different < 4)
          std::fprintf(stderr, "%s, %u threads, %u registers, %u bytes: %u, NVIDIA's %d\n", name,
                       threads, registers, unsigned(shared), got, wanted);
        const uint64_t charge = registersOfBlock(*device, threads, registers);
        if (got > 0 && (charge * got > device->registersPerSm))
          ++different;
      }
  CHECK_EQUAL(different, size_t(0));
}

int main() {
  for (const ShippedDevice& device : kShippedDevices)
    if (device.computeMajor * 10 + device.computeMinor >= 75)
      compare(device.name);
  return checkResult();
}
