// Gpu.h - a virtual GPU: loads PTX modules and runs their kernels on virtual SMs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads: submit() may be called from any thread. Worker threads own the SMs: a block and
// its warps belong to one SM and one worker for their whole life. A launch's completion runs
// on a worker and must not block. Device memory is host memory: a device pointer is a host
// pointer, so the caller copies with memcpy.
//
// Residency: a block starts on an SM only if its warps, registers, shared memory and the
// block count fit beside the blocks of every kernel already there. Blocks of a launch start
// in increasing linear order; SMs are filled breadth first, from an order that `seed` shuffles.
// Every resident warp keeps making progress (quantum rotation), so blocks that spin on an
// earlier block, or on another kernel, finish.
#pragma once

#include "rt/device/cpu/engine/Fault.h"
#include "rt/device/cpu/engine/ImageTable.h"
#include "rt/device/cpu/memory/DeviceMemory.h"
#include "rt/device/cpu/ptx/Ir.h"
#include "rt/schema/Counters.h"
#include "rt/schema/DeviceDescription.h"
#include "rt/support/Result.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpusched::cpu {

/// Registers per thread by kernel name, from the cubin beside the PTX; a kernel that is not
/// named gets an estimate from PTX liveness.
using RegisterTable = std::unordered_map<std::string, uint32_t>;

struct KernelFacts {
  std::string name;
  uint32_t registersPerThread = 0;
  uint64_t staticSharedBytes = 0;
  uint64_t localBytesPerThread = 0;
  uint64_t constBytes = 0;
  uint32_t maxThreadsPerBlock = 1024;
  uint32_t boundThreads = 0;                 // by launch bounds; 0 = none
  uint32_t ptxVersion = 0;                   // of the PTX's target: 90 for sm_90a
  std::array<uint32_t, 3> requiredThreads{}; // zero = none
  std::array<uint32_t, 3> clusterBlocks{};   // zero = given by the launch
  uint64_t parameterBytes = 0;
  struct Parameter {
    uint64_t offset, bytes;
  };
  std::vector<Parameter> parameters;
};

class CheckReport;
class Kernel;       // one decoded entry; owned by its LoadedModule
class LoadedModule; // decoded code and the storage of the module's globals

struct GlobalSymbol {
  void* address = nullptr;
  uint64_t bytes = 0;
};

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

struct LaunchOutcome {
  Status status;        // an unsupported instruction, a fault or a trap, with kernel and PTX line
  bool trapped = false; // __trap() or a failed assert()
  Fault fault = Fault::None;
  KernelCounters counters; // zero unless GpuOptions::counters
  /// What kernels that it launched counted, theirs among them, by kernel and shape.
  struct Child {
    const Kernel* kernel = nullptr;
    Dim3 block;
    uint64_t dynamicSharedBytes = 0;
    KernelCounters counters;
  };
  std::vector<Child> children;
};

struct Launch {
  const Kernel* kernel = nullptr;
  Dim3 grid, block;
  Dim3 cluster = {};            // blocks that start together; the kernel's own if it has one
  bool explicitCluster = false; // the launch or the kernel gave `cluster`
  uint64_t dynamicSharedBytes = 0;
  std::vector<uint8_t> parameters; // KernelFacts::parameterBytes, laid out by Parameter::offset
  bool cooperative = false;        // gets a workspace for cooperative groups' grid barrier
  int priority = 0;                // lower starts first, as CUDA stream priorities
  /// About as many instructions for it and all that it launches; 0 = no limit.
  uint64_t stepLimit = 0;
  std::shared_ptr<std::atomic<uint64_t>> stepsUsed = {}; // shared with the grid that launched it
  uint32_t depth = 0;                                    // grids above it that launched each other
  std::function<void(const LaunchOutcome&)> completion;
};

/// What to check while executing; see Checker.h.
struct CheckModes {
  bool memory = false, race = false;
  bool any() const { return memory || race; }
};

/// What kernels may ask of the device runtime and the engine does not know. Numbers and layouts are
/// CUDA's; an empty function, or false, answers "invalid value".
struct DeviceQueries {
  int devices = 1;
  std::function<bool(int attribute, int device, int& value)> attribute;
  std::function<bool(int limit, uint64_t& value)> limit;
  std::function<std::vector<uint8_t>(const Kernel&)> functionAttributes; // a cudaFuncAttributes
};

struct GpuOptions {
  unsigned workers = 0; // host threads; 0 = number of cores
  /// 0: blocks start on SMs 0,1,2,... in increasing order and warps take turns. Else the order of
  /// SMs, of blocks (among as many as fit the device) and of warps' turns are drawn from it.
  uint64_t seed = 0;
  /// 1..: launches of at most kMostOrdered blocks start them in that permutation, on one worker.
  uint64_t blockOrder = 0;
  static constexpr uint64_t kMostOrdered = 5;
  /// How long blocks may repeat themselves before their launches fail, seconds; 0 = for ever.
  double hangSeconds = 0;
  bool counters = false;
  uint8_t memoryFill = 0; // what every byte of new memory holds
  CheckModes checks = {}; // race: one worker
  /// fma.rn of f32 and f64 rounds the product too, so that it does not matter which products a
  /// compiler contracted.
  bool splitFused = false;
};

class Gpu {
public:
  static Result<std::unique_ptr<Gpu>> create(DeviceDescription device, GpuOptions options);
  ~Gpu(); // waits for running blocks

  const DeviceDescription& description() const;
  DeviceMemory& memory();
  /// Texture and surface objects: what a kernel is given is a handle of this table.
  ImageTable& images();

  /// Decodes every function of `module` and allocates and initialises its globals.
  /// An unsupported instruction is not an error here: a kernel that reaches it fails at launch.
  Result<std::shared_ptr<LoadedModule>> load(std::shared_ptr<const ptx::Module> module,
                                             const RegisterTable& registers);
  /// Null when the module has no such kernel / variable.
  static const Kernel* findKernel(const LoadedModule& module, std::string_view name);
  static GlobalSymbol findGlobal(const LoadedModule& module, std::string_view name);
  static const KernelFacts& facts(const Kernel& kernel);
  static std::vector<std::string> kernelNames(const LoadedModule& module);

  /// Checks the launch against the device's limits, then queues it. An error here means
  /// nothing was queued (invalid configuration).
  Status submit(Launch launch);
  /// Blocks until every submitted launch has completed.
  void drain();
  /// Device-side printf output since the last call, in order of completion of each printf.
  std::string takeOutput();
  /// What the checks found so far; null without checks.
  const CheckReport* checkReport() const;
  /// Orders that the launches so far can be told apart by: the largest permutation count of a
  /// launch of at most kMostOrdered blocks.
  uint64_t blockOrders() const;
  /// Call it before the first launch.
  void setDeviceQueries(DeviceQueries queries);
  /// Limits for device malloc(), bytes.
  void setHeapLimit(uint64_t bytes);

private:
  class Impl;
  explicit Gpu(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace gpusched::cpu
