// ApiLaunch.cpp - kernel launches, function attributes, occupancy.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch attributes that only ask for speed are ignored.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/KernelLaunch.h"

using namespace gpusched;
using namespace gpusched::cudart;

GPUSCHED_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block,
                                          void** arguments, size_t sharedBytes,
                                          cudaStream_t handle) {
  return streamCall("cudaLaunchKernel", handle, [&](Runtime& runtime, const StreamRef& stream) {
    return launchKernel(runtime, stream, function, {grid, block, sharedBytes, false}, arguments);
  });
}

GPUSCHED_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                                     void** arguments, size_t sharedBytes,
                                                     cudaStream_t handle) {
  return streamCall(
      "cudaLaunchCooperativeKernel", handle, [&](Runtime& runtime, const StreamRef& stream) {
        return launchKernel(runtime, stream, function, {grid, block, sharedBytes, true}, arguments);
      });
}

/// Picks out what changes the launch.
static LaunchShape shapeOf(const cudaLaunchConfig_t& config) {
  LaunchShape shape{config.gridDim, config.blockDim, config.dynamicSmemBytes};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    const cudaLaunchAttributeValue& value = attribute.val;
    if (attribute.id == cudaLaunchAttributeCooperative)
      shape.cooperative = value.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension)
      shape.cluster = dim3(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
  }
  return shape;
}

GPUSCHED_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                             void** arguments) {
  if (!config)
    return recordError("cudaLaunchKernelExC", cudaErrorInvalidValue);
  return streamCall("cudaLaunchKernelExC", config->stream,
                    [&](Runtime& runtime, const StreamRef& stream) {
                      return launchKernel(runtime, stream, function, shapeOf(*config), arguments);
                    });
}

GPUSCHED_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes,
                                               const void* function) {
  return apiCall("cudaFuncGetAttributes", [&](Runtime& runtime) {
    RegisteredKernel* kernel = nullptr;
    if (cudaError_t error = kernelFor(runtime, function, &kernel); error != cudaSuccess)
      return error;
    *attributes = functionAttributes(runtime.description(), cpu::Gpu::facts(*kernel->kernel));
    attributes->maxDynamicSharedSizeBytes = int(maxDynamicShared(runtime, *kernel));
    attributes->preferredShmemCarveout = kernel->carveout;
    return cudaSuccess;
  });
}

static cudaError_t setMaxDynamicShared(Runtime& runtime, RegisteredKernel& kernel, int value) {
  int64_t fixed = int64_t(cpu::Gpu::facts(*kernel.kernel).staticSharedBytes);
  if (value < 0 || value + fixed > int64_t(runtime.description().sharedBytesPerBlockOptin))
    return cudaErrorInvalidValue;
  kernel.maxDynamicShared = value;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute,
                                              int value) {
  return apiCall("cudaFuncSetAttribute", [&](Runtime& runtime) {
    RegisteredKernel* kernel = nullptr;
    if (cudaError_t error = kernelFor(runtime, function, &kernel); error != cudaSuccess)
      return error;
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      return setMaxDynamicShared(runtime, *kernel, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100)
        return cudaErrorInvalidValue;
      kernel->carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      kernel->largeClusters = value != 0;
      return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return cudaSuccess;
    default:
      return cudaErrorNotSupported; // a cluster size that the kernel would require from then on
    }
  });
}

GPUSCHED_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                                         cudaFuncAttribute attribute, int value,
                                                         int) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

GPUSCHED_API cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return apiCall("cudaFuncSetCacheConfig", [&](Runtime& runtime) {
    RegisteredKernel* kernel = nullptr;
    return kernelFor(runtime, function, &kernel);
  });
}

GPUSCHED_API cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone);
}

GPUSCHED_API cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return apiQuery("cudaFuncGetName", [&] {
    RegisteredKernel* kernel = Registry::instance().findKernel(function);
    if (!kernel || !name)
      return cudaErrorInvalidValue;
    *name = kernel->name.c_str();
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset,
                                              size_t* bytes) {
  return apiCall("cudaFuncGetParamInfo", [&](Runtime& runtime) {
    RegisteredKernel* kernel = nullptr;
    if (cudaError_t error = kernelFor(runtime, function, &kernel); error != cudaSuccess)
      return error;
    const cpu::KernelFacts& facts = cpu::Gpu::facts(*kernel->kernel);
    if (index >= facts.parameters.size())
      return cudaErrorInvalidValue;
    *offset = facts.parameters[index].offset;
    if (bytes)
      *bytes = facts.parameters[index].bytes;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* function) {
  return apiCall("cudaGetKernel", [&](Runtime& runtime) {
    RegisteredKernel* kernel = nullptr;
    cudaError_t error = kernelFor(runtime, function, &kernel);
    *handle = reinterpret_cast<cudaKernel_t>(kernel);
    return error;
  });
}

GPUSCHED_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* handle, const void* function) {
  return cudaGetKernel(reinterpret_cast<cudaKernel_t*>(handle), function);
}

GPUSCHED_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, size_t dynamicSharedBytes, unsigned) {
  return apiCall("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](Runtime& runtime) {
    RegisteredKernel* kernel = nullptr;
    if (cudaError_t error = kernelFor(runtime, function, &kernel); error != cudaSuccess)
      return error;
    if (!blocks || threads <= 0)
      return cudaErrorInvalidValue;
    bool tooMany = uint32_t(threads) > cpu::Gpu::facts(*kernel->kernel).maxThreadsPerBlock;
    *blocks =
        tooMany ? 0 : int(residentBlocks(runtime, *kernel, uint32_t(threads), dynamicSharedBytes));
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                                       const void* function,
                                                                       int threads,
                                                                       size_t dynamicSharedBytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                dynamicSharedBytes, 0);
}

GPUSCHED_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes,
                                                                   const void* function, int blocks,
                                                                   int threads) {
  return apiCall("cudaOccupancyAvailableDynamicSMemPerBlock", [&](Runtime& runtime) {
    RegisteredKernel* kernel = nullptr;
    if (cudaError_t error = kernelFor(runtime, function, &kernel); error != cudaSuccess)
      return error;
    if (!bytes || blocks <= 0 || threads <= 0)
      return cudaErrorInvalidValue;
    const DeviceDescription& device = runtime.description();
    uint64_t perBlock = device.sharedBytesPerSm / unsigned(blocks);
    perBlock -= perBlock % device.sharedAllocationUnit;
    uint64_t taken =
        device.sharedReservedPerBlock + cpu::Gpu::facts(*kernel->kernel).staticSharedBytes;
    uint64_t limit = device.sharedBytesPerBlockOptin;
    *bytes = perBlock > taken ? std::min(perBlock - taken, limit) : 0;
    return cudaSuccess;
  });
}

/// Clusters of the launch that fit the device at once, were each SM filled with its blocks.
static uint64_t activeClusters(Runtime& runtime, const RegisteredKernel& kernel,
                               const LaunchShape& shape, uint32_t clusterBlocks) {
  const uint32_t threads = shape.block.x * shape.block.y * shape.block.z;
  const uint32_t perSm = residentBlocks(runtime, kernel, threads, shape.dynamicSharedBytes);
  return uint64_t(perSm) * runtime.description().sms / clusterBlocks;
}

GPUSCHED_API cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                                        const cudaLaunchConfig_t* config) {
  return apiCall("cudaOccupancyMaxActiveClusters", [&](Runtime& runtime) {
    RegisteredKernel* kernel = nullptr;
    if (cudaError_t error = kernelFor(runtime, function, &kernel); error != cudaSuccess)
      return error;
    if (!clusters || !config)
      return cudaErrorInvalidValue;
    const LaunchShape shape = shapeOf(*config);
    const std::array<uint32_t, 3>& own = cpu::Gpu::facts(*kernel->kernel).clusterBlocks;
    const uint32_t blocks = own[0] ? own[0] * std::max(1u, own[1]) * std::max(1u, own[2])
                                   : shape.cluster.x * shape.cluster.y * shape.cluster.z;
    *clusters = int(activeClusters(runtime, *kernel, shape, std::max(1u, blocks)));
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* function,
                                                              const cudaLaunchConfig_t* config) {
  return apiCall("cudaOccupancyMaxPotentialClusterSize", [&](Runtime& runtime) {
    RegisteredKernel* kernel = nullptr;
    if (cudaError_t error = kernelFor(runtime, function, &kernel); error != cudaSuccess)
      return error;
    if (!blocks || !config)
      return cudaErrorInvalidValue;
    uint32_t most = kernel->largeClusters ? kMostClusterBlocks : kPortableClusterBlocks;
    while (most > 1 && !activeClusters(runtime, *kernel, shapeOf(*config), most))
      most /= 2;
    *blocks = int(most);
    return cudaSuccess;
  });
}
