// Gpu.cpp - the engine's front door: owns its parts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns, in order of construction: description, memory, services, checker, dispatcher, launcher,
// workers. The workers stop first, once every launch has completed.
#include "rt/device/cpu/engine/Gpu.h"

#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/DeviceServices.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/FaultGuard.h"
#include "rt/device/cpu/engine/Launcher.h"
#include "rt/device/cpu/engine/Loader.h"
#include "rt/device/cpu/engine/Worker.h"

#include <algorithm>
#include <thread>

namespace gpusched::cpu {

class Gpu::Impl {
public:
  Impl(DeviceDescription given, GpuOptions options, unsigned workerCount)
      : device(std::move(given)), options(options), memory(device.memoryBytes, options.memoryFill),
        services(memory),
        checker(options.checks.any() ? std::make_unique<Checker>(options.checks, memory) : nullptr),
        dispatcher(device, workerCount, options),
        launcher(device, options.counters, services, checker.get(), dispatcher) {
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
  Launcher launcher;
  std::vector<std::unique_ptr<Worker>> workers;
};

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
  const GpuOptions& options = impl_->options;
  return loadModule(impl_->memory, std::move(module), registers, impl_->device,
                    {.checking = impl_->checker != nullptr,
                     .splitFused = options.splitFused,
                     .compiling = !options.counters && !options.seed && !options.blockOrder});
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
  return impl_->launcher.submit(std::move(launch));
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
void Gpu::setDeviceQueries(DeviceQueries queries) {
  impl_->services.queries = std::move(queries);
}
void Gpu::setHeapLimit(uint64_t bytes) {
  impl_->services.setHeapLimit(bytes);
}

} // namespace gpusched::cpu
