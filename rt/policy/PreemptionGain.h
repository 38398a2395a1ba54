// PreemptionGain.h - what a preemption brings and what it costs, by the patent's formulas.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: spec/preemptive.md (Chinese patent text "GPU task scheduling method and system"). Its
// formulas reached us as prose, so those of the gain are reconstructed. norm_ipc = IPC shared / IPC
// alone, which for one kernel is its progress beside the others; value = norm_ipc * time. Times are
// in microseconds where the patent has cycles, for a policy knows times. Pure.
#pragma once

#include "rt/policy/Policy.h"

namespace gpusched {

/// One kernel leaves, a newcomer takes its place, the others stay.
struct PreemptionCase {
  double sumNow = 0;  // of norm_ipc, as things are
  double staying = 0; // part of it that those have that stay
  double sumThen = 0; // of norm_ipc, expected of the new combination
  double restUs = 0;  // until the first of what runs now ends
  double costUs = 0;  // from the preemption to the newcomer's start
  double decay = 1;   // speed of those that stay meanwhile, 0 to 1
};

/// staying * decay * cost + sumThen * (rest - cost) - sumNow * rest, in microseconds of a kernel
/// alone. A cost above the rest leaves nothing for the new combination.
double preemptionGain(const PreemptionCase& preemption);

/// The patent's preempt_cycle = (0.09526 * miss rate + 0.01633) * (reg + smem) * tb, in SM cycles:
/// registers and shared memory of the preempted kernel's blocks go to memory, through an L2 that
/// the kernel that stays uses with `missRate`. `blocksPerSm` is the patent's tb, read as per SM:
/// at 350 KB and no hits that is 39,000 cycles, where a Titan Xp's DRAM needs 30,000 to write 350
/// KB of each SM (548 GB/s, 30 SMs, 1582 MHz).
double contextSwitchCycles(const PolicyKernel& preempted, uint32_t blocksPerSm, double missRate);

/// How long one block takes with `blocksPerSm` resident at `progress` of the speed alone; 0 = not
/// known. A grid of n blocks that takes t alone ends n / t of them a microsecond, so by Little's
/// law B resident blocks take B t / (n progress) each: t / waves where nobody is beside.
double blockUs(const PolicyKernel& kernel, uint32_t blocksPerSm, uint32_t sms, double progress);

} // namespace gpusched
