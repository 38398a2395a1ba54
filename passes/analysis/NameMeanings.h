// NameMeanings.h - what the names in a text mean, over all of its instantiations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that needs the built-ins becomes an object of its name. A text that means overloads by
// that name, at once or from one instantiation to the next, needs one object for all of them
// (device/Overloads.cuh).
#pragma once

#include "passes/analysis/FunctionUses.h"
#include "passes/analysis/KernelInfo.h"

#include <vector>

namespace gpusched::passes {

/// Notes what the names in one instantiation of a text mean. All of them share it, also those that
/// are refused or need no object.
void noteMeanings(const FunctionUses& caller, KernelText& text);

/// A callee that the text means by its name beside functions for which it has no object; or null.
const VirtualFunction* ambiguousCallee(const std::vector<const VirtualFunction*>& callees,
                                       const KernelText& text);

} // namespace gpusched::passes
