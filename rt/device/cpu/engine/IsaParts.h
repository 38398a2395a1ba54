// IsaParts.h - the functions that one instruction set's table points to.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled per instruction set, like the Execute*.cpp files that define them.
#pragma once

#include "rt/device/cpu/engine/Isa.h"

namespace gpusched::cpu::GPUSCHED_ISA {

Handler integerHandler(IntegerOp op, ptx::Type type);
Handler predicateHandler(PredicateOp op);
Handler compareIntegerHandler(Comparison comparison, ptx::Type type);
Handler compareFloatHandler(Comparison comparison, ptx::Type type, bool flush);
Handler setMaskHandler(ptx::Type result);
Handler testHandler(TestOp op, ptx::Type type);
Handler floatHandler(const FloatForm& form);
Handler halfHandler(const FloatForm& form);
Handler compareHalfHandler(Comparison comparison, ptx::Type type, bool flush);
Handler convertHandler(const ConvertForm& form);
Handler resizeHandler(unsigned toBytes, unsigned fromBytes, bool isSigned);
Handler loadHandler(const AccessForm& form);
Handler storeHandler(const AccessForm& form);
Handler loadParameterHandler(const AccessForm& form);

} // namespace gpusched::cpu::GPUSCHED_ISA
