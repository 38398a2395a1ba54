// KernelLaunch.cpp - checks a launch against the device and turns it into an operation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/KernelLaunch.h"

#include "rt/support/Log.h"

#include <cstring>

namespace gpusched::cudart {

static constexpr dim3 kMaxGrid(2147483647u, 65535u, 65535u);
static constexpr dim3 kMaxBlock(1024u, 1024u, 64u);

cudaError_t kernelFor(Runtime& runtime, const void* function, RegisteredKernel** kernel) {
  *kernel = Registry::instance().findKernel(function);
  if (!*kernel)
    return cudaErrorInvalidDeviceFunction;
  return Registry::instance().resolve(*runtime.gpu, **kernel);
}

static size_t usualDynamicShared(const DeviceDescription& device, const cpu::KernelFacts& facts) {
  const uint64_t fixed = facts.staticSharedBytes, limit = device.sharedBytesPerBlock;
  return limit > fixed ? limit - fixed : 0;
}

size_t maxDynamicShared(const Runtime& runtime, const RegisteredKernel& kernel) {
  if (kernel.maxDynamicShared >= 0)
    return size_t(kernel.maxDynamicShared);
  return usualDynamicShared(runtime.description(), cpu::Gpu::facts(*kernel.kernel));
}

cudaFuncAttributes functionAttributes(const DeviceDescription& device,
                                      const cpu::KernelFacts& facts) {
  cudaFuncAttributes attributes = {};
  attributes.sharedSizeBytes = facts.staticSharedBytes;
  attributes.constSizeBytes = facts.constBytes;
  attributes.localSizeBytes = facts.localBytesPerThread;
  attributes.maxThreadsPerBlock = int(facts.maxThreadsPerBlock);
  attributes.numRegs = int(facts.registersPerThread);
  attributes.ptxVersion = int(facts.ptxVersion);
  attributes.binaryVersion = int(device.computeMajor * 10 + device.computeMinor);
  attributes.maxDynamicSharedSizeBytes = int(usualDynamicShared(device, facts));
  return attributes;
}

uint32_t residentBlocks(const Runtime& runtime, const RegisteredKernel& kernel,
                        uint32_t threadsPerBlock, uint64_t dynamicSharedBytes) {
  const cpu::KernelFacts& facts = cpu::Gpu::facts(*kernel.kernel);
  return occupancy(runtime.description(), threadsPerBlock, facts.registersPerThread,
                   facts.staticSharedBytes + dynamicSharedBytes)
      .blocksPerSm;
}

static bool within(const dim3& size, const dim3& limit) {
  return size.x && size.y && size.z && size.x <= limit.x && size.y <= limit.y && size.z <= limit.z;
}

static bool meetsRequirement(const std::array<uint32_t, 3>& required, const dim3& block) {
  return required[0] == 0 ||
         (block.x == required[0] && block.y == required[1] && block.z == required[2]);
}

/// The blocks of a cluster, as far as they are fixed: the kernel's own or the launch's.
static dim3 clusterOf(const cpu::KernelFacts& facts, const LaunchShape& shape) {
  const std::array<uint32_t, 3>& own = facts.clusterBlocks;
  if (own[0])
    return dim3(own[0], own[1] ? own[1] : 1, own[2] ? own[2] : 1);
  return shape.cluster.x ? shape.cluster : dim3(1, 1, 1);
}

static cudaError_t checkCluster(Runtime& runtime, const RegisteredKernel& kernel,
                                const LaunchShape& shape) {
  const dim3 cluster = clusterOf(cpu::Gpu::facts(*kernel.kernel), shape);
  const uint64_t blocks = uint64_t(cluster.x) * cluster.y * cluster.z;
  if (blocks == 1)
    return cudaSuccess;
  if (shape.cluster.x && (shape.cluster.x != cluster.x || shape.cluster.y != cluster.y ||
                          shape.cluster.z != cluster.z))
    return cudaErrorInvalidValue;
  const uint32_t most = kernel.largeClusters ? kMostClusterBlocks : kPortableClusterBlocks;
  if (runtime.description().computeMajor < 9 || !blocks || blocks > most)
    return cudaErrorInvalidClusterSize;
  return shape.grid.x % cluster.x || shape.grid.y % cluster.y || shape.grid.z % cluster.z
             ? cudaErrorInvalidConfiguration
             : cudaSuccess;
}

static cudaError_t check(Runtime& runtime, const RegisteredKernel& kernel,
                         const LaunchShape& shape) {
  const cpu::KernelFacts& facts = cpu::Gpu::facts(*kernel.kernel);
  uint64_t threads = uint64_t(shape.block.x) * shape.block.y * shape.block.z;
  uint64_t blocks = uint64_t(shape.grid.x) * shape.grid.y * shape.grid.z;
  if (!within(shape.grid, kMaxGrid) || !within(shape.block, kMaxBlock) ||
      threads > runtime.description().threadsPerBlock)
    return cudaErrorInvalidConfiguration;
  if (!meetsRequirement(facts.requiredThreads, shape.block) ||
      (facts.boundThreads && threads > facts.boundThreads))
    return cudaErrorInvalidValue;
  if (shape.dynamicSharedBytes > maxDynamicShared(runtime, kernel))
    return cudaErrorInvalidValue;
  uint32_t perSm =
      threads > facts.maxThreadsPerBlock
          ? 0
          : residentBlocks(runtime, kernel, uint32_t(threads), shape.dynamicSharedBytes);
  if (perSm == 0)
    return cudaErrorLaunchOutOfResources;
  if (shape.cooperative && blocks > uint64_t(perSm) * runtime.description().sms)
    return cudaErrorCooperativeLaunchTooLarge;
  return checkCluster(runtime, kernel, shape);
}

static std::vector<uint8_t> packArguments(const cpu::KernelFacts& facts, void** arguments) {
  std::vector<uint8_t> packed(facts.parameterBytes);
  for (size_t i = 0; i < facts.parameters.size(); ++i)
    std::memcpy(packed.data() + facts.parameters[i].offset, arguments[i],
                facts.parameters[i].bytes);
  return packed;
}

cudaError_t prepareLaunch(Runtime& runtime, const void* function, const LaunchShape& shape,
                          void** arguments, OperationBody& body) {
  RegisteredKernel* kernel = nullptr;
  if (cudaError_t error = kernelFor(runtime, function, &kernel); error != cudaSuccess)
    return error;
  if (cudaError_t error = check(runtime, *kernel, shape); error != cudaSuccess)
    return error;
  const cpu::KernelFacts& facts = cpu::Gpu::facts(*kernel->kernel);
  if (!facts.parameters.empty() && !arguments)
    return cudaErrorInvalidValue;
  body.kind = OperationBody::Kind::Kernel;
  body.launch.kernel = kernel->kernel;
  body.launch.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  body.launch.block = {shape.block.x, shape.block.y, shape.block.z};
  body.launch.dynamicSharedBytes = shape.dynamicSharedBytes;
  body.launch.cooperative = shape.cooperative;
  if (shape.cluster.x)
    body.launch.cluster = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
  body.launch.explicitCluster = shape.cluster.x != 0;
  body.launch.parameters = packArguments(facts, arguments);
  return cudaSuccess;
}

cudaError_t launchKernel(Runtime& runtime, const StreamRef& stream, const void* function,
                         const LaunchShape& shape, void** arguments) {
  OperationBody body;
  cudaError_t error = prepareLaunch(runtime, function, shape, arguments, body);
  if (error != cudaSuccess)
    return error;
  body.launch.priority = stream->priority;
  runtime.streams.append(stream, makeOperation(std::move(body)));
  return cudaSuccess;
}

} // namespace gpusched::cudart
