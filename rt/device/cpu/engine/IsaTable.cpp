// IsaTable.cpp - the table of one instruction set.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled per instruction set; IsaSelect.cpp chooses among the results.
#include "rt/device/cpu/engine/IsaParts.h"

#define GPUSCHED_STRING(text) #text
#define GPUSCHED_NAME(macro) GPUSCHED_STRING(macro)

namespace gpusched::cpu::GPUSCHED_ISA {

extern const Isa kTable;
const Isa kTable = {
    GPUSCHED_NAME(GPUSCHED_ISA),
    integerHandler,
    predicateHandler,
    compareIntegerHandler,
    compareFloatHandler,
    setMaskHandler,
    testHandler,
    floatHandler,
    halfHandler,
    compareHalfHandler,
    convertHandler,
    resizeHandler,
    loadHandler,
    storeHandler,
    loadParameterHandler,
};

} // namespace gpusched::cpu::GPUSCHED_ISA
