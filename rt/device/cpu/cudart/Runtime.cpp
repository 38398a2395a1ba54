// Runtime.cpp - the one device of the process and everything the API functions work on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/Runtime.h"

#include "rt/device/cpu/cudart/CurrentDevice.h"
#include "rt/device/cpu/cudart/DeviceProperties.h"
#include "rt/device/cpu/cudart/KernelLaunch.h"
#include "rt/device/cpu/engine/CheckReport.h"
#include "rt/support/Log.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>

namespace gpusched::cudart {

/// How long exit() waits for work the program left behind.
static constexpr std::chrono::seconds kExitPatience{10};

static std::atomic<Runtime*> gExisting{nullptr};

Runtime* Runtime::existing() {
  return gExisting.load(std::memory_order_acquire);
}

Runtime* Runtime::instance() {
  static std::once_flag once;
  std::call_once(once, [] { gExisting.store(create(), std::memory_order_release); });
  return existing();
}

Runtime* Runtime::create() {
  Options options = optionsFromEnvironment();
  Result<DeviceDescription> device = loadDeviceDescription(options.gpu);
  if (!device.ok()) {
    log(LogLevel::Error, "%s", device.message().c_str());
    return nullptr;
  }
  cpu::GpuOptions gpuOptions;
  gpuOptions.workers = options.workers;
  gpuOptions.seed = options.seed;
  gpuOptions.memoryFill = options.memoryFill;
  gpuOptions.counters = !options.countersFile.empty();
  gpuOptions.checks = options.checks;
  gpuOptions.splitFused = options.strict;
  gpuOptions.blockOrder = options.blockOrder;
  gpuOptions.hangSeconds = options.hangSeconds;
  Result<std::unique_ptr<cpu::Gpu>> gpu = cpu::Gpu::create(*device, gpuOptions);
  if (!gpu.ok()) {
    log(LogLevel::Error, "%s", gpu.message().c_str());
    return nullptr;
  }
  return new Runtime(std::move(options), std::move(*gpu));
}

/// What kernels ask of the device.
cpu::DeviceQueries Runtime::deviceQueries() const {
  cpu::DeviceQueries queries;
  queries.devices = deviceCount();
  queries.attribute = [this](int attribute, int device, int& value) {
    const std::optional<int> known =
        deviceAttribute(description(), static_cast<cudaDeviceAttr>(attribute), device);
    value = known.value_or(0);
    return known.has_value();
  };
  queries.limit = [this](int limit, uint64_t& value) {
    if (static_cast<unsigned>(limit) >= limits.size())
      return false;
    value = limits[static_cast<unsigned>(limit)];
    return true;
  };
  queries.functionAttributes = [this](const cpu::Kernel& kernel) {
    const cudaFuncAttributes attributes =
        functionAttributes(description(), cpu::Gpu::facts(kernel));
    const uint8_t* const bytes = reinterpret_cast<const uint8_t*>(&attributes);
    return std::vector<uint8_t>(bytes, bytes + sizeof attributes);
  };
  return queries;
}

Runtime::Runtime(Options chosen, std::unique_ptr<cpu::Gpu> device)
    : options(std::move(chosen)), gpu(std::move(device)),
      graph(*gpu, failure,
            [this](const Operation& operation, const cpu::LaunchOutcome& outcome) {
              if (!options.countersFile.empty())
                counters.add(operation.launch, outcome);
            }),
      streams(graph, options.connections), virtualMemory(gpu->memory()), arrays(gpu->memory()),
      images(gpu->images(), arrays) {
  gpu->setDeviceQueries(deviceQueries());
}

cudaError_t Runtime::synchronize(const std::vector<OperationRef>& operations) {
  for (const OperationRef& operation : operations)
    graph.wait(operation);
  printDeviceOutput();
  return failure.code();
}

void Runtime::printDeviceOutput() {
  std::string output = gpu->takeOutput();
  if (!output.empty())
    std::fwrite(output.data(), 1, output.size(), stdout);
}

static void writeText(const std::string& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  const bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if ((file && std::fclose(file)) || !written)
    log(LogLevel::Error, "cannot write to %s", path.c_str());
}

void Runtime::reportChecks() {
  if (!options.ordersFile.empty())
    writeText(options.ordersFile, std::to_string(gpu->blockOrders()));
  const cpu::CheckReport* const report = gpu->checkReport();
  if (!report)
    return;
  std::fprintf(stderr, "gpusched: check: %s\n", report->summary().c_str());
  if (options.checkFile.empty())
    return;
  writeText(options.checkFile, report->lines());
}

void Runtime::atExit() {
  Clock::time_point deadline = Clock::now() + kExitPatience;
  bool finished = true;
  for (const OperationRef& operation : streams.pendingEverywhere())
    finished = finished && graph.waitUntil(operation, deadline);
  if (!finished)
    log(LogLevel::Warning, "the program exits while its kernels run; their results are lost");
  printDeviceOutput();
  reportChecks();
  if (options.countersFile.empty())
    return;
  if (Status written = counters.write(options.countersFile, description().name); !written.ok())
    log(LogLevel::Error, "%s", written.message().c_str());
}

__attribute__((destructor)) static void libraryIsUnloaded() {
  if (Runtime* runtime = Runtime::existing())
    runtime->atExit();
}

} // namespace gpusched::cudart
