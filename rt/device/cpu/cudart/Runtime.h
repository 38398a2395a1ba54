// Runtime.h - the one device of the process and everything the API functions work on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Created by the first API call that needs a device, never destroyed: worker threads and
// late API calls (from static destructors) may outlive every exit handler. What has to happen
// at exit is in atExit(), which the library's destructor calls: wait for queued work, with a
// limit so that an endless kernel cannot hang the exit; print device output; write counters.
#pragma once

#include "rt/device/cpu/cudart/Arrays.h"
#include "rt/device/cpu/cudart/CounterReport.h"
#include "rt/device/cpu/cudart/DeviceFailure.h"
#include "rt/device/cpu/cudart/ImageObjects.h"
#include "rt/device/cpu/cudart/OperationGraph.h"
#include "rt/device/cpu/cudart/Options.h"
#include "rt/device/cpu/cudart/Registry.h"
#include "rt/device/cpu/cudart/Streams.h"
#include "rt/device/cpu/engine/Gpu.h"
#include "rt/device/cpu/memory/VirtualMemory.h"

#include <array>
#include <atomic>
#include <memory>
#include <vector>

namespace gpusched::cudart {

class Runtime {
public:
  /// Null when the device could not be created; the reason has been logged.
  static Runtime* instance();
  /// Null unless instance() has succeeded before.
  static Runtime* existing();

  const Options options;
  const std::unique_ptr<cpu::Gpu> gpu;
  DeviceFailure failure;
  CounterReport counters;
  OperationGraph graph;
  Streams streams;
  cpu::VirtualMemory virtualMemory;
  Arrays arrays;
  ImageObjects images;
  unsigned deviceFlags = 0;
  std::atomic<unsigned> resets{0}; ///< by cudaDeviceReset
  cudaFuncCache cacheConfig = cudaFuncCachePreferNone;
  /// By cudaLimit: stack, printf buffer, heap, sync depth, pending launches, L2 fetch, L2
  /// persisting. The first three are CUDA's defaults; only the heap's has an effect.
  std::array<size_t, 7> limits{1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

  const DeviceDescription& description() const { return gpu->description(); }
  cpu::DeviceMemory& memory() { return gpu->memory(); }

  /// Waits, prints what kernels printed, and returns the device's sticky error if any.
  cudaError_t synchronize(const std::vector<OperationRef>& operations);
  cudaError_t synchronizeDevice() { return synchronize(streams.pendingEverywhere()); }
  void printDeviceOutput();
  void atExit();
  /// Says what the checks found and lists it in the file that was asked for.
  void reportChecks();

private:
  Runtime(Options options, std::unique_ptr<cpu::Gpu> gpu);
  static Runtime* create();
  cpu::DeviceQueries deviceQueries() const;
};

} // namespace gpusched::cudart
