// PredictionMemo.cpp - the hash, and the question where it is new.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/PredictionMemo.h"

#include <bit>

namespace gpusched {
namespace {

/// Words, each mixed in by the finaliser of MurmurHash3 (A. Appleby, public domain).
class Hash {
public:
  void add(uint64_t word) {
    state_ = (state_ ^ word) * 0xff51afd7ed558ccdull;
    state_ ^= state_ >> 33;
    state_ *= 0xc4ceb9fe1a85ec53ull;
    state_ ^= state_ >> 29;
  }
  void add(double value) { add(std::bit_cast<uint64_t>(value)); }
  uint64_t value() const { return state_; }

private:
  uint64_t state_ = 0x9e3779b97f4a7c15ull;
};

void addKernel(Hash& hash, const PolicyKernel& kernel) {
  hash.add(uint64_t(kernel.hasPersistent) | uint64_t(kernel.profiled) << 1 |
           uint64_t(kernel.threadsPerBlock) << 2);
  hash.add(uint64_t(kernel.occupancyBlocksPerSm) | uint64_t(kernel.saturationBlocksPerSm) << 32);
  for (uint64_t word : {kernel.registersPerBlock, kernel.sharedBytesPerBlock, kernel.blocks})
    hash.add(word);
  for (double value : {kernel.timeUs, kernel.persistentTimeUs, kernel.stallMemory, kernel.l1Hits,
                       kernel.l1BytesPerWarp, kernel.l2Hits, kernel.l2BytesPerWarp})
    hash.add(value);
  for (double share : kernel.utilisation)
    hash.add(share);
  hash.add(uint64_t(kernel.budgetCurve.size()));
  for (double speed : kernel.budgetCurve)
    hash.add(speed);
}

uint64_t questionOf(const KernelList& kernels, const DeviceLimits& limits, const Budgets& fixed,
                    const Goal& goal) {
  Hash hash;
  for (const PolicyKernel* kernel : kernels)
    addKernel(hash, *kernel);
  for (uint64_t word : {uint64_t(limits.sms), limits.registersPerSm, limits.sharedBytesPerSm,
                        uint64_t(limits.blocksPerSm), uint64_t(limits.threadsPerSm),
                        limits.l1BytesPerSm, limits.l2Bytes, uint64_t(goal.once)})
    hash.add(word);
  hash.add(goal.maxSlowdown);
  for (uint32_t budget : fixed)
    hash.add(uint64_t(budget));
  hash.add(uint64_t(fixed.size()));
  return hash.value();
}

} // namespace

const PredictionMemo::Answer& PredictionMemo::bestBudgets(const KernelList& kernels,
                                                          const DeviceLimits& limits,
                                                          const Budgets& fixed, const Goal& goal) {
  if (known_.size() >= kMost)
    known_.clear();
  auto [answer, isNew] = known_.try_emplace(questionOf(kernels, limits, fixed, goal));
  if (isNew)
    answer->second.budgets =
        gpusched::bestBudgets(kernels, limits, fixed, goal, answer->second.prediction);
  return answer->second;
}

} // namespace gpusched
