// SystemCalls.h - functions that PTX calls and the device provides.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"

#include <string_view>

namespace gpusched::cpu {

/// The handler for a call to `name` (vprintf, malloc, free, __assertfail, cudaGraphSetConditional);
/// null if it is none of the device's. The call site is callSites[immediate] of the module.
Handler systemCallHandler(std::string_view name);

} // namespace gpusched::cpu
