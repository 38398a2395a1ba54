// AtomicHandlers.h - the handler of an atomic operation at a type.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/Isa.h"

namespace gpusched::cpu {

enum class AtomicOp : uint8_t { Add, Min, Max, And, Or, Xor, Inc, Dec, Exchange, Cas };

/// Null when the combination does not exist. `result` is false for red.
Handler atomicHandler(AtomicOp op, ptx::Type type, AddressKind address, bool result);

} // namespace gpusched::cpu
