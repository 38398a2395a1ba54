// CounterReport.cpp - sums the engine's counters per kernel and launch shape.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/CounterReport.h"

#include "rt/support/KernelName.h"
#include "rt/support/ProgramName.h"

#include <algorithm>

namespace gpusched::cudart {

void accumulate(KernelCounters& sum, const KernelCounters& more) {
  static constexpr uint64_t KernelCounters::* kFields[] = {
      &KernelCounters::launches,
      &KernelCounters::blocks,
      &KernelCounters::warps,
      &KernelCounters::threads,
      &KernelCounters::warpInstructions,
      &KernelCounters::laneInstructions,
      &KernelCounters::integer,
      &KernelCounters::fp16,
      &KernelCounters::fp32,
      &KernelCounters::fp64,
      &KernelCounters::sfu,
      &KernelCounters::conversion,
      &KernelCounters::control,
      &KernelCounters::loadStore,
      &KernelCounters::atomic,
      &KernelCounters::barrier,
      &KernelCounters::tensor,
      &KernelCounters::other,
      &KernelCounters::flops,
      &KernelCounters::divergentBranches,
      &KernelCounters::globalLoadSectors,
      &KernelCounters::globalStoreSectors,
      &KernelCounters::globalAtomicSectors,
      &KernelCounters::globalLoads,
      &KernelCounters::globalStores,
      &KernelCounters::localSectors,
      &KernelCounters::sharedAccesses,
      &KernelCounters::sharedPasses,
      &KernelCounters::distinctSectors,
  };
  static_assert(sizeof kFields / sizeof *kFields == sizeof(KernelCounters) / sizeof(uint64_t),
                "a counter is missing from the sum");
  for (uint64_t KernelCounters::* field : kFields)
    sum.*field += more.*field;
}

static VariantProfile variantOf(const cpu::KernelFacts& facts) {
  VariantProfile variant;
  variant.target = "sm_" + std::to_string(facts.ptxVersion);
  variant.registersPerThread = facts.registersPerThread;
  variant.staticSharedBytes = facts.staticSharedBytes;
  return variant;
}

void CounterReport::add(const cpu::Launch& launch, const cpu::LaunchOutcome& outcome) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto addOne = [&](const cpu::LaunchOutcome::Child& one) {
    const cpu::KernelFacts& facts = cpu::Gpu::facts(*one.kernel);
    const auto [found, isNew] =
        sums_.try_emplace({facts.name, uint32_t(one.block.count()), one.dynamicSharedBytes});
    if (isNew)
      found->second.native = variantOf(facts);
    accumulate(found->second.counters, one.counters);
  };
  addOne({launch.kernel, launch.block, launch.dynamicSharedBytes, outcome.counters});
  std::for_each(outcome.children.begin(), outcome.children.end(), addOne);
}

Status CounterReport::write(const std::string& path, const std::string& device) {
  ProfileFile file;
  file.producer = "gpusched run --device=cpu";
  file.program = runningProgram();
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [shape, sum] : sums_) {
    KernelProfile kernel;
    kernel.fixed.symbol = std::get<0>(shape);
    kernel.fixed.kernel = kernelName(kernel.fixed.symbol);
    kernel.fixed.native = {sum.native};
    DynamicProfile& dynamic = kernel.dynamic.emplace();
    dynamic.source = "cpu";
    dynamic.device = device;
    dynamic.threadsPerBlock = std::get<1>(shape);
    dynamic.dynamicSharedBytes = std::get<2>(shape);
    dynamic.counters = sum.counters;
    if (sum.counters.launches)
      dynamic.blocks = sum.counters.blocks / sum.counters.launches;
    file.kernels.push_back(std::move(kernel));
  }
  return writeProfile(path, file);
}

} // namespace gpusched::cudart
