// AccessCounting.h - what loads, stores and atomics do besides moving data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called off the fast path only: when counters are on, and when an access is refused.
#pragma once

#include "rt/device/cpu/engine/Warp.h"

namespace gpusched::cpu {

enum class AccessCount : uint8_t { Load, Store, Atomic };

/// Adds the access of `op` (address in slot 7 + immediate) to the block's MemoryTrace.
void countAccess(Warp& warp, const MicroOp* op, uint8_t* frame, Mask mask, unsigned bytes,
                 AccessCount kind, bool shared, unsigned addressBytes);

/// Faults with the first lane's address that is misaligned or outside shared memory.
const MicroOp* badAccess(Warp& warp, const MicroOp* op, uint8_t* frame, Mask mask, unsigned bytes,
                         bool shared, unsigned addressBytes);

} // namespace gpusched::cpu
