// Liveness.h - which registers of a function hold values at the same time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: PTX names thousands of virtual registers; a warp's frame must stay small to stay
// in the cache, and a kernel without a cubin needs an estimate of its hardware registers.
// Model: backward data flow over basic blocks gives each register the hull of the
// instructions where it is live. Lanes do not matter: a lane's slot is touched by that lane
// only, so what is sound for one thread is sound for a diverged warp.
// Cost: blocks x registers / 64 words for each of a few rounds.
#pragma once

#include "rt/device/cpu/ptx/Ir.h"

#include <vector>

namespace gpusched::cpu {

struct LiveRange {
  static constexpr uint32_t kNone = ~0u;
  uint32_t first = kNone, last = 0; // instruction indices, both included
  bool used() const { return first != kNone; }
};

/// One range per register of `function`.
std::vector<LiveRange> liveRanges(const ptx::Function& function);

/// The most 32-bit registers live at once.
uint32_t peakRegisters(const ptx::Function& function, const std::vector<LiveRange>& ranges);

} // namespace gpusched::cpu
