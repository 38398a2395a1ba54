// Gpu.cpp - the engine's front door: checks launches and owns the workers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns, in order of construction: description, memory, services, checker, dispatcher, workers. The
// workers stop first, once every launch has completed.
#include "rt/device/cpu/engine/Gpu.h"

#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/DeviceServices.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/FaultGuard.h"
#include "rt/device/cpu/engine/Loader.h"
#include "rt/device/cpu/engine/Worker.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace gpusched::cpu {

class Gpu::Impl {
public:
  Impl(DeviceDescription given, GpuOptions options, unsigned workerCount)
      : device(std::move(given)), options(options), memory(device.memoryBytes, options.memoryFill),
        services(memory), dispatcher(device, workerCount, options) {
    if (options.checks.any())
      checker = std::make_unique<Checker>(options.checks, memory);
    for (unsigned i = 0; i < workerCount; ++i)
      workers.push_back(std::make_unique<Worker>(dispatcher, i, workerCount));
  }
  ~Impl() {
    dispatcher.drain();
    dispatcher.stop();
  }

  DeviceDescription device;
  GpuOptions options;
  DeviceMemory memory;
  DeviceServices services;
  std::unique_ptr<Checker> checker;
  Dispatcher dispatcher;
  std::vector<std::unique_ptr<Worker>> workers;
};

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

} // namespace

Gpu::Gpu(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Gpu::~Gpu() = default;

Result<std::unique_ptr<Gpu>> Gpu::create(DeviceDescription device, GpuOptions options) {
  if (!device.sms || !device.warpsPerSm || !device.blocksPerSm)
    return Status::error("device description '" + device.name +
                         "' has no SMs, warps or blocks; check its JSON file");
  unsigned workers = options.workers ? options.workers : std::thread::hardware_concurrency();
  workers = options.checks.race || options.blockOrder ? 1 : std::clamp(workers, 1u, device.sms);
  installFaultGuard();
  return std::unique_ptr<Gpu>(new Gpu(std::make_unique<Impl>(std::move(device), options, workers)));
}

const DeviceDescription& Gpu::description() const {
  return impl_->device;
}
DeviceMemory& Gpu::memory() {
  return impl_->memory;
}
ImageTable& Gpu::images() {
  return impl_->services.images;
}

Result<std::shared_ptr<LoadedModule>> Gpu::load(std::shared_ptr<const ptx::Module> module,
                                                const RegisterTable& registers) {
  return loadModule(
      impl_->memory, std::move(module), registers, impl_->device,
      {.checking = impl_->checker != nullptr, .splitFused = impl_->options.splitFused});
}

const Kernel* Gpu::findKernel(const LoadedModule& module, std::string_view name) {
  const auto found = module.kernels.find(name);
  return found == module.kernels.end() ? nullptr : &found->second;
}

GlobalSymbol Gpu::findGlobal(const LoadedModule& module, std::string_view name) {
  const auto found = module.globals.find(name);
  return found == module.globals.end() ? GlobalSymbol{} : found->second;
}

const KernelFacts& Gpu::facts(const Kernel& kernel) {
  return kernel.facts;
}

std::vector<std::string> Gpu::kernelNames(const LoadedModule& module) {
  std::vector<std::string> names;
  for (const auto& [name, kernel] : module.kernels)
    names.push_back(name);
  return names;
}

Status Gpu::submit(Launch launch) {
  if (!launch.kernel)
    return Status::error("cannot launch: no kernel given");
  const Kernel& kernel = *launch.kernel;
  const KernelFacts& facts = kernel.facts;
  const DeviceDescription& device = impl_->device;
  const uint64_t sharedBytes = launch.dynamicSharedBytes
                                   ? kernel.dynamicSharedOffset + launch.dynamicSharedBytes
                                   : facts.staticSharedBytes;
  if (Status status = checkShape(device, facts, launch); !status)
    return status;
  if (Status status = checkResources(device, facts, launch, sharedBytes); !status)
    return status;
  if (Status status = settleCluster(facts, launch); !status)
    return status;

  std::unique_ptr<ActiveLaunch> active = std::make_unique<ActiveLaunch>();
  active->kernel = &kernel;
  active->device = &device;
  active->services = &impl_->services;
  active->checker = impl_->checker.get();
  active->sharedBytes = sharedBytes;
  active->counting = impl_->options.counters;
  active->blocks = launch.grid.count();
  active->clusterBlocks = static_cast<uint32_t>(launch.cluster.count());
  active->demand = blockDemand(device, static_cast<uint32_t>(launch.block.count()),
                               facts.registersPerThread, sharedBytes);
  active->parameterBytes = allocateAligned(facts.parameterBytes + 64);
  std::memcpy(active->parameterBytes.get(), launch.parameters.data(), facts.parameterBytes);
  active->request = std::move(launch);
  const StreamingMultiprocessor empty(device, 0);
  if (!empty.fits(active->demand))
    return invalid(facts, "one block needs more registers, warps or shared memory than an SM of " +
                              device.name + " has");
  if (impl_->dispatcher.capacity(active->demand) < active->clusterBlocks)
    return invalid(facts, "the blocks of one cluster do not fit " + device.name + " together");
  impl_->dispatcher.submit(std::move(active));
  return {};
}

void Gpu::drain() {
  impl_->dispatcher.drain();
}
std::string Gpu::takeOutput() {
  return impl_->services.takeOutput();
}
uint64_t Gpu::blockOrders() const {
  return impl_->dispatcher.blockOrders();
}
const CheckReport* Gpu::checkReport() const {
  return impl_->checker ? &impl_->checker->report() : nullptr;
}
void Gpu::setHeapLimit(uint64_t bytes) {
  impl_->services.setHeapLimit(bytes);
}

} // namespace gpusched::cpu
