// DeviceProperties.cpp - cudaDeviceProp and device attributes from a DeviceDescription.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/DeviceProperties.h"

#include <cstring>
#include <cuda.h>

namespace gpusched::cudart {

static constexpr int kWarpSize = 32;
static constexpr size_t kConstantBytes = 65536;
static constexpr size_t kMaxPitch = 2147483647;

/// Of several devices, which are alike otherwise, each has a name and a bus of its own.
static void fillIdentity(cudaDeviceProp& properties, const DeviceDescription& device, int ordinal) {
  std::strncpy(properties.name, device.name.c_str(), sizeof properties.name - 1);
  std::memcpy(properties.uuid.bytes, "gpusched-cpu-dev", sizeof properties.uuid.bytes);
  properties.uuid.bytes[sizeof properties.uuid.bytes - 1] = char('0' + ordinal);
  properties.major = int(device.computeMajor);
  properties.minor = int(device.computeMinor);
  properties.pciBusID = 1 + ordinal;
  properties.hostNumaId = -1;
  properties.deviceNumaId = -1;
}

static void fillLimits(cudaDeviceProp& properties, const DeviceDescription& device) {
  properties.totalGlobalMem = device.memoryBytes;
  properties.sharedMemPerBlock = device.sharedBytesPerBlock;
  properties.sharedMemPerBlockOptin = device.sharedBytesPerBlockOptin;
  properties.sharedMemPerMultiprocessor = device.sharedBytesPerSm;
  properties.reservedSharedMemPerBlock = device.sharedReservedPerBlock;
  properties.regsPerBlock = int(device.registersPerBlock);
  properties.regsPerMultiprocessor = int(device.registersPerSm);
  properties.warpSize = kWarpSize;
  properties.maxThreadsPerBlock = int(device.threadsPerBlock);
  properties.maxThreadsPerMultiProcessor = int(device.warpsPerSm) * kWarpSize;
  properties.maxBlocksPerMultiProcessor = int(device.blocksPerSm);
  properties.multiProcessorCount = int(device.sms);
  properties.maxThreadsDim[0] = properties.maxThreadsDim[1] = 1024;
  properties.maxThreadsDim[2] = 64;
  properties.maxGridSize[0] = 2147483647;
  properties.maxGridSize[1] = properties.maxGridSize[2] = 65535;
  properties.totalConstMem = kConstantBytes;
  properties.memPitch = kMaxPitch;
  properties.textureAlignment = 512;
  properties.texturePitchAlignment = 32;
  properties.surfaceAlignment = 512;
  properties.l2CacheSize = int(device.l2Bytes);
  properties.memoryBusWidth = int(device.memoryBusBits);
}

/// What deviceQuery prints of every GPU since compute capability 6.0.
static void fillTextureLimits(cudaDeviceProp& properties) {
  properties.maxTexture1D = 131072;
  properties.maxTexture2D[0] = 131072;
  properties.maxTexture2D[1] = 65536;
  for (int& most : properties.maxTexture3D)
    most = 16384;
  for (int* layered : {properties.maxTexture1DLayered, properties.maxTexture2DLayered})
    layered[0] = layered[1] = 32768;
  properties.maxTexture1DLayered[1] = properties.maxTexture2DLayered[2] = 2048;
}

static void fillAbilities(cudaDeviceProp& properties, const DeviceDescription& device) {
  properties.clusterLaunch = device.computeMajor >= 9;
  properties.canMapHostMemory = 1;
  properties.concurrentKernels = 1;
  properties.asyncEngineCount = 3;
  properties.unifiedAddressing = 1;
  properties.streamPrioritiesSupported = 1;
  properties.globalL1CacheSupported = 1;
  properties.localL1CacheSupported = 1;
  properties.managedMemory = 1;
  properties.concurrentManagedAccess = 1;
  properties.computePreemptionSupported = 1;
  properties.canUseHostPointerForRegisteredMem = 1;
  properties.hostRegisterSupported = 1;
  properties.cooperativeLaunch = 1;
  properties.memoryPoolsSupported = 1;
  properties.unifiedFunctionPointers = 1;
}

cudaDeviceProp deviceProperties(const DeviceDescription& device, int ordinal) {
  cudaDeviceProp properties{};
  fillIdentity(properties, device, ordinal);
  fillLimits(properties, device);
  fillTextureLimits(properties);
  fillAbilities(properties, device);
  return properties;
}

/// Attributes that are not in cudaDeviceProp.
static std::optional<int> extraAttribute(const DeviceDescription& device,
                                         cudaDeviceAttr attribute) {
  switch (attribute) {
  case cudaDevAttrClockRate:
    return int(device.clockMhz * 1000);
  case cudaDevAttrMemoryClockRate:
    return device.memoryBusBits // kHz, two transfers a clock
               ? int(device.dramGbPerSecond * 1e6 * 8 / (2.0 * device.memoryBusBits))
               : 0;
  case cudaDevAttrGpuOverlap:
    return 1;
  case cudaDevAttrKernelExecTimeout:
  case cudaDevAttrComputeMode:
  case cudaDevAttrTccDriver:
  case cudaDevAttrCanFlushRemoteWrites:
    return 0;
  case cudaDevAttrSingleToDoublePrecisionPerfRatio:
    return device.fp64LanesPerSm ? int(device.fp32LanesPerSm / device.fp64LanesPerSm) : 64;
  case cudaDevAttrMemSyncDomainCount:
    return 1;
  default:
    return attribute > 0 && attribute < cudaDevAttrMax ? std::optional<int>(0) : std::nullopt;
  }
}

std::optional<int> deviceAttribute(const DeviceDescription& device, cudaDeviceAttr attribute,
                                   int ordinal) {
  cudaDeviceProp properties = deviceProperties(device, ordinal);
  struct Field {
    cudaDeviceAttr attribute;
    long long value;
  };
  const Field kFields[] = {
      {cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, properties.maxThreadsDim[0]},
      {cudaDevAttrMaxBlockDimY, properties.maxThreadsDim[1]},
      {cudaDevAttrMaxBlockDimZ, properties.maxThreadsDim[2]},
      {cudaDevAttrMaxGridDimX, properties.maxGridSize[0]},
      {cudaDevAttrMaxGridDimY, properties.maxGridSize[1]},
      {cudaDevAttrMaxGridDimZ, properties.maxGridSize[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, (long long)properties.sharedMemPerBlock},
      {cudaDevAttrTotalConstantMemory, (long long)properties.totalConstMem},
      {cudaDevAttrWarpSize, properties.warpSize},
      {cudaDevAttrMaxPitch, (long long)properties.memPitch},
      {cudaDevAttrMaxRegistersPerBlock, properties.regsPerBlock},
      {cudaDevAttrTextureAlignment, (long long)properties.textureAlignment},
      {cudaDevAttrTexturePitchAlignment, (long long)properties.texturePitchAlignment},
      {cudaDevAttrSurfaceAlignment, (long long)properties.surfaceAlignment},
      {cudaDevAttrMaxTexture1DWidth, properties.maxTexture1D},
      {cudaDevAttrMaxTexture2DWidth, properties.maxTexture2D[0]},
      {cudaDevAttrMaxTexture2DHeight, properties.maxTexture2D[1]},
      {cudaDevAttrMaxTexture3DWidth, properties.maxTexture3D[0]},
      {cudaDevAttrMaxTexture3DHeight, properties.maxTexture3D[1]},
      {cudaDevAttrMaxTexture3DDepth, properties.maxTexture3D[2]},
      {cudaDevAttrMaxTexture1DLayeredWidth, properties.maxTexture1DLayered[0]},
      {cudaDevAttrMaxTexture1DLayeredLayers, properties.maxTexture1DLayered[1]},
      {cudaDevAttrMaxTexture2DLayeredWidth, properties.maxTexture2DLayered[0]},
      {cudaDevAttrMaxTexture2DLayeredHeight, properties.maxTexture2DLayered[1]},
      {cudaDevAttrMaxTexture2DLayeredLayers, properties.maxTexture2DLayered[2]},
      {cudaDevAttrMultiProcessorCount, properties.multiProcessorCount},
      {cudaDevAttrCanMapHostMemory, properties.canMapHostMemory},
      {cudaDevAttrConcurrentKernels, properties.concurrentKernels},
      {cudaDevAttrPciBusId, properties.pciBusID},
      {cudaDevAttrPciDeviceId, properties.pciDeviceID},
      {cudaDevAttrPciDomainId, properties.pciDomainID},
      {cudaDevAttrL2CacheSize, properties.l2CacheSize},
      {cudaDevAttrGlobalMemoryBusWidth, properties.memoryBusWidth},
      {cudaDevAttrMaxThreadsPerMultiProcessor, properties.maxThreadsPerMultiProcessor},
      {cudaDevAttrMaxBlocksPerMultiprocessor, properties.maxBlocksPerMultiProcessor},
      {cudaDevAttrAsyncEngineCount, properties.asyncEngineCount},
      {cudaDevAttrUnifiedAddressing, properties.unifiedAddressing},
      {cudaDevAttrComputeCapabilityMajor, properties.major},
      {cudaDevAttrComputeCapabilityMinor, properties.minor},
      {cudaDevAttrStreamPrioritiesSupported, properties.streamPrioritiesSupported},
      {cudaDevAttrGlobalL1CacheSupported, properties.globalL1CacheSupported},
      {cudaDevAttrLocalL1CacheSupported, properties.localL1CacheSupported},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor,
       (long long)properties.sharedMemPerMultiprocessor},
      {cudaDevAttrMaxRegistersPerMultiprocessor, properties.regsPerMultiprocessor},
      {cudaDevAttrManagedMemory, properties.managedMemory},
      {cudaDevAttrConcurrentManagedAccess, properties.concurrentManagedAccess},
      {cudaDevAttrComputePreemptionSupported, properties.computePreemptionSupported},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, properties.canUseHostPointerForRegisteredMem},
      {cudaDevAttrCooperativeLaunch, properties.cooperativeLaunch},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, (long long)properties.sharedMemPerBlockOptin},
      {cudaDevAttrHostRegisterSupported, properties.hostRegisterSupported},
      {cudaDevAttrReservedSharedMemoryPerBlock, (long long)properties.reservedSharedMemPerBlock},
      {cudaDevAttrClusterLaunch, properties.clusterLaunch},
      {cudaDevAttrMemoryPoolsSupported, properties.memoryPoolsSupported},
      {cudaDevAttrNumaId, properties.deviceNumaId},
      {cudaDevAttrHostNumaId, properties.hostNumaId},
      // The runtime has these numbers, too, but no names for them.
      {cudaDeviceAttr(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED), 1},
      {cudaDeviceAttr(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED), 1},
  };
  for (const Field& field : kFields)
    if (field.attribute == attribute)
      return int(field.value);
  return extraAttribute(device, attribute);
}

} // namespace gpusched::cudart
