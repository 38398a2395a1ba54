// ExecuteIntegerBits.h - declares the handlers of ExecuteIntegerBits.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/Isa.h"

namespace gpusched::cpu::GPUSCHED_ISA {

/// Bit-field, permute and dot-product operations; null for any other.
Handler integerBitsHandler(IntegerOp op, ptx::Type type);

} // namespace gpusched::cpu::GPUSCHED_ISA
