// SyntheticKernels.cpp - counters of the loop, by a seeded generator.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/papers/knapsack/SyntheticKernels.h"

#include <random>
#include <string>

namespace gpusched::knapsack_paper {
namespace {

constexpr uint32_t kWarp = 32, kFewestBlocks = 4;

/// One turn of the loop, per warp: x[i] = a * x[i] + b, with the loop's count and branch.
KernelCounters countersOf(uint64_t blocks, uint32_t threads, uint64_t turns) {
  KernelCounters counters;
  counters.launches = 1;
  counters.blocks = blocks;
  counters.threads = blocks * threads;
  counters.warps = counters.threads / kWarp;
  const uint64_t each = counters.warps * turns;
  counters.fp32 = counters.integer = counters.control = each;
  counters.loadStore = counters.sharedAccesses = counters.sharedPasses = 2 * each;
  counters.warpInstructions = 5 * each;
  counters.laneInstructions = counters.warpInstructions * kWarp;
  counters.flops = 2 * each * kWarp;
  return counters;
}

} // namespace

Result<std::vector<sim::SimKernel>> syntheticKernels(const DeviceDescription& device,
                                                     const SyntheticSet& set, unsigned seed) {
  std::mt19937 random(seed);
  auto between = [&](uint32_t low, uint32_t high) {
    return low + uint32_t(random() % (high - low + 1));
  };
  std::vector<sim::SimKernel> kernels;
  while (kernels.size() < set.kernels) {
    KernelProfile kernel;
    kernel.fixed.kernel = kernel.fixed.symbol = "k" + std::to_string(kernels.size());
    VariantProfile variant;
    variant.target = "sm_" + std::to_string(device.computeMajor * 10 + device.computeMinor);
    variant.registersPerThread = between(16, 32);
    variant.staticSharedBytes = 1024 * between(1, 24);
    kernel.fixed.native = {variant};
    DynamicProfile& dynamic = kernel.dynamic.emplace();
    dynamic.source = "cpu";
    dynamic.threadsPerBlock = 128u << between(0, 3);
    const uint32_t blocks = between(kFewestBlocks, set.mostBlocks);
    dynamic.counters =
        countersOf(blocks, dynamic.threadsPerBlock, between(kMostTurns / set.spread, kMostTurns));
    Result<sim::SimKernel> made = sim::makeSimKernel(kernel, device);
    if (!made)
      return made.status();
    kernels.push_back(std::move(*made));
  }
  return kernels;
}

} // namespace gpusched::knapsack_paper
