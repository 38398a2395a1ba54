// PreemptionGain.cpp - the formulas.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/PreemptionGain.h"

#include <algorithm>

namespace gpusched {

double preemptionGain(const PreemptionCase& preemption) {
  const double cost = std::min(preemption.costUs, preemption.restUs);
  const double without = preemption.sumNow * preemption.restUs;
  const double with = preemption.staying * preemption.decay * cost +
                      preemption.sumThen * (preemption.restUs - cost);
  return with - without;
}

double contextSwitchCycles(const PolicyKernel& preempted, uint32_t blocksPerSm, double missRate) {
  constexpr double kRegisterBytes = 4;
  const double bytes =
      kRegisterBytes * double(preempted.registersPerBlock) + double(preempted.sharedBytesPerBlock);
  return (0.09526 * missRate + 0.01633) * bytes * blocksPerSm;
}

double blockUs(const PolicyKernel& kernel, uint32_t blocksPerSm, uint32_t sms, double progress) {
  if (kernel.blocks == 0 || progress <= 0)
    return 0;
  const double resident = std::min(double(blocksPerSm) * sms, double(kernel.blocks));
  return resident * kernel.timeUs / (double(kernel.blocks) * progress);
}

} // namespace gpusched
