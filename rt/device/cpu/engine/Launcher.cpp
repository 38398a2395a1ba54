// Launcher.cpp - what a launch must keep to.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/Launcher.h"

#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/Program.h"

#include <algorithm>
#include <cstring>

namespace gpusched::cpu {
namespace {

Status invalid(const KernelFacts& facts, const std::string& why) {
  return Status::error("cannot launch kernel '" + facts.name + "': " + why);
}

Status checkShape(const DeviceDescription& device, const KernelFacts& facts, const Launch& launch) {
  const uint64_t threads = launch.block.count();
  if (!launch.grid.count() || !threads)
    return invalid(facts, "grid and block dimensions must be at least 1");
  if (launch.grid.x > 2147483647u || launch.grid.y > 65535 || launch.grid.z > 65535)
    return invalid(facts, "the grid exceeds 2147483647 x 65535 x 65535 blocks");
  if (launch.block.x > 1024 || launch.block.y > 1024 || launch.block.z > 64 ||
      threads > device.threadsPerBlock)
    return invalid(facts, std::to_string(threads) + " threads in a block; " + device.name +
                              " allows " + std::to_string(device.threadsPerBlock));
  if (threads > facts.maxThreadsPerBlock)
    return invalid(facts, std::to_string(threads) + " threads in a block, but with " +
                              std::to_string(facts.registersPerThread) +
                              " registers per thread and its launch bounds it allows " +
                              std::to_string(facts.maxThreadsPerBlock));
  const std::array<uint32_t, 3>& required = facts.requiredThreads;
  const bool fits = launch.block.x == std::max(1u, required[0]) &&
                    launch.block.y == std::max(1u, required[1]) &&
                    launch.block.z == std::max(1u, required[2]);
  if (required[0] && !fits)
    return invalid(facts, "its block size is fixed by .reqntid");
  return {};
}

/// The kernel's own cluster size, or that of the launch.
Status settleCluster(const KernelFacts& facts, Launch& launch) {
  const std::array<uint32_t, 3>& own = facts.clusterBlocks;
  Dim3& cluster = launch.cluster;
  if (own[0]) {
    const Dim3 fixed{own[0], std::max(1u, own[1]), std::max(1u, own[2])};
    const bool same = cluster.x == fixed.x && cluster.y == fixed.y && cluster.z == fixed.z;
    if (launch.explicitCluster && !same)
      return invalid(facts, "its cluster size is fixed by __cluster_dims__");
    cluster = fixed;
    launch.explicitCluster = true;
  }
  constexpr uint64_t kMostBlocks = 16;
  if (!cluster.count() || cluster.count() > kMostBlocks)
    return invalid(facts, "a cluster has 1 to 16 blocks");
  if (launch.grid.x % cluster.x || launch.grid.y % cluster.y || launch.grid.z % cluster.z)
    return invalid(facts, "the grid is not a multiple of the cluster");
  return {};
}

Status checkResources(const DeviceDescription& device, const KernelFacts& facts,
                      const Launch& launch, uint64_t sharedBytes) {
  const uint64_t most = std::max(device.sharedBytesPerBlock, device.sharedBytesPerBlockOptin);
  if (sharedBytes > most)
    return invalid(facts, std::to_string(sharedBytes) + " bytes of shared memory in a block; " +
                              device.name + " allows " + std::to_string(most));
  if (launch.parameters.size() < facts.parameterBytes)
    return invalid(facts, std::to_string(launch.parameters.size()) +
                              " bytes of parameters given, " +
                              std::to_string(facts.parameterBytes) + " needed");
  return {};
}

/// Static and dynamic, of one block.
uint64_t sharedBytesOf(const Launch& launch) {
  return launch.dynamicSharedBytes ? launch.kernel->dynamicSharedOffset + launch.dynamicSharedBytes
                                   : launch.kernel->facts.staticSharedBytes;
}

BlockDemand demandOf(const DeviceDescription& device, const Launch& launch) {
  return blockDemand(device, static_cast<uint32_t>(launch.block.count()),
                     launch.kernel->facts.registersPerThread, sharedBytesOf(launch));
}

} // namespace

Status Launcher::check(Launch& launch) const {
  if (!launch.kernel)
    return Status::error("cannot launch: no kernel given");
  const KernelFacts& facts = launch.kernel->facts;
  if (Status status = checkShape(device_, facts, launch); !status)
    return status;
  if (Status status = checkResources(device_, facts, launch, sharedBytesOf(launch)); !status)
    return status;
  if (Status status = settleCluster(facts, launch); !status)
    return status;
  const BlockDemand demand = demandOf(device_, launch);
  if (!StreamingMultiprocessor(device_, 0).fits(demand))
    return invalid(facts, "one block needs more registers, warps or shared memory than an SM of " +
                              device_.name + " has");
  if (dispatcher_.capacity(demand) < launch.cluster.count())
    return invalid(facts, "the blocks of one cluster do not fit " + device_.name + " together");
  return {};
}

Status Launcher::submit(Launch launch) {
  if (Status status = check(launch); !status)
    return status;
  std::unique_ptr<ActiveLaunch> active = std::make_unique<ActiveLaunch>();
  active->kernel = launch.kernel;
  active->device = &device_;
  active->services = &services_;
  active->checker = checker_;
  active->launcher = this;
  active->sharedBytes = sharedBytesOf(launch);
  active->counting = counting_;
  active->blocks = launch.grid.count();
  active->clusterBlocks = static_cast<uint32_t>(launch.cluster.count());
  active->demand = demandOf(device_, launch);
  const uint64_t parameterBytes = launch.kernel->facts.parameterBytes;
  active->parameterBytes = reserveBytes(parameterBytes + 64);
  std::memcpy(active->parameterBytes.get(), launch.parameters.data(), parameterBytes);
  if (launch.cooperative) {
    active->gridWorkspace = reserveBytes(sizeof(ActiveLaunch::GridWorkspace));
    new (active->gridWorkspace.get()) ActiveLaunch::GridWorkspace;
  }
  if (launch.stepLimit && !launch.stepsUsed)
    launch.stepsUsed = std::make_shared<std::atomic<uint64_t>>(0);
  active->request = std::move(launch);
  dispatcher_.submit(std::move(active));
  return {};
}

} // namespace gpusched::cpu
