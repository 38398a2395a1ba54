// FrameLayout.h - the offset of every PTX register in a function's frame.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear scan over live ranges, one pool of slots for each width: registers whose ranges do not
// touch share a slot. Ranges that meet in one instruction do not share, so a handler may
// write any result before it has read every source.
#pragma once

#include "rt/device/cpu/engine/Liveness.h"
#include "rt/device/cpu/ptx/Ir.h"

#include <vector>

namespace gpusched::cpu {

struct FrameLayout {
  std::vector<uint32_t> offsets; // by register
  uint32_t bytes = 0;            // head, predicates and registers; a multiple of 64
};

/// Bytes of one lane of a register: 2, 4, 8 or 16; a predicate's 4 bytes are for all lanes.
unsigned laneBytes(ptx::Type type);

FrameLayout layOutFrame(const ptx::Function& function, const std::vector<LiveRange>& ranges);

} // namespace gpusched::cpu
