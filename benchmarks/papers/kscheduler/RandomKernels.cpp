// RandomKernels.cpp - measured values by a seeded generator.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges are those of the thesis' table 7 and wider. Nothing here knows a policy.
#include "benchmarks/papers/kscheduler/RandomKernels.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace gpusched::thesis {
namespace {

class Dice {
public:
  explicit Dice(unsigned seed) : random_(seed) {}
  uint32_t below(uint32_t limit) { return uint32_t(random_() % limit); }
  double between(double low, double high) {
    return low + (high - low) * double(random_() % 10001) / 10000;
  }
  /// Each order of magnitude as likely as the next.
  double scaled(double low, double high) { return low * std::pow(high / low, between(0, 1)); }
  bool chance(double share) { return between(0, 1) < share; }

private:
  std::mt19937 random_;
};

void drawStalls(DynamicProfile& profile, Dice& dice) {
  double* const reasons[] = {&profile.stallExecution, &profile.stallFetch,   &profile.stallMemory,
                             &profile.stallSync,      &profile.stallTexture, &profile.stallOther};
  double sum = 0;
  for (double* reason : reasons)
    sum += * reason = dice.scaled(0.01, 1);
  for (double* reason : reasons)
    *reason *= 100 / sum;
}

void drawUtilisation(DynamicProfile& profile, const DeviceDescription& device, Dice& dice) {
  for (double& share : profile.utilisation)
    share = dice.chance(0.5) ? dice.between(0, 0.5) : dice.between(0, 0.1);
  profile.utilisation[dice.below(kResources)] = dice.between(0.3, 0.97);
  double& dram = profile.utilisation[kDramBandwidth];
  double& l2 = profile.utilisation[kL2Bandwidth];
  l2 = std::max(l2, dram / 2); // what comes from DRAM goes through L2
  profile.dramGbPerSecond = dram * device.dramGbPerSecond * device.dramEfficiency;
}

KernelProfile draw(const DeviceDescription& device, size_t number, Dice& dice) {
  KernelProfile kernel;
  kernel.fixed.kernel = kernel.fixed.symbol = "random" + std::to_string(number);
  VariantProfile variant;
  variant.target = "sm_" + std::to_string(device.computeMajor * 10 + device.computeMinor);
  variant.registersPerThread = 16 + 8 * dice.below(11);
  variant.staticSharedBytes = dice.chance(0.5) ? 256 * dice.below(64) : 0;
  kernel.fixed.native = {variant};
  DynamicProfile& profile = kernel.dynamic.emplace();
  profile.source = "table";
  profile.device = device.name;
  profile.threadsPerBlock = 32u << dice.below(5);
  uint32_t blocks = occupancy(device, profile.threadsPerBlock, variant.registersPerThread,
                              variant.staticSharedBytes)
                        .blocksPerSm;
  profile.blocks = uint64_t(dice.between(20, 200) * blocks * device.sms);
  profile.timeUs = dice.scaled(5'000, 100'000);
  double warps = blocks * profile.threadsPerBlock / 32.0;
  profile.eligibleWarpsPerCycle = std::min(dice.scaled(0.1, 8), warps / 2);
  profile.gflops =
      dice.between(0, 0.3) * 2 * device.fp32LanesPerSm * device.sms * device.clockMhz / 1000;
  profile.l1TransactionsPerSecond = dice.between(0, 100) * 1e9;
  drawStalls(profile, dice);
  drawUtilisation(profile, device, dice);
  if (dice.chance(0.25)) {
    profile.l1Hits = dice.between(0.05, 0.6);
    profile.l1BytesPerWarp = dice.scaled(200, 4'000);
  }
  return kernel;
}

/// It moves as many bytes as that many SMs do.
void makeSmall(KernelProfile& kernel, const DeviceDescription& device, Dice& dice) {
  DynamicProfile& profile = *kernel.dynamic;
  profile.blocks = 4 + dice.below(device.sms - 4);
  const double share = double(profile.blocks) / device.sms;
  for (Resource shared : {kDramBandwidth, kL2Bandwidth})
    profile.utilisation[shared] *= share;
  profile.dramGbPerSecond *= share;
  if (dice.chance(0.5))
    kernel.fixed.native[0].staticSharedBytes =
        std::max(device.sharedBytesPerBlock, device.sharedBytesPerBlockOptin);
}

} // namespace

std::vector<sim::SimKernel> randomKernels(const DeviceDescription& device, size_t count,
                                          unsigned seed, double smallGrids) {
  Dice dice(seed);
  std::vector<sim::SimKernel> kernels;
  while (kernels.size() < count) {
    KernelProfile drawn = draw(device, kernels.size(), dice);
    if (smallGrids > 0 && dice.chance(smallGrids))
      makeSmall(drawn, device, dice);
    if (Result<sim::SimKernel> made = sim::makeSimKernel(drawn, device))
      kernels.push_back(std::move(*made));
  }
  return kernels;
}

} // namespace gpusched::thesis
