// Linker.h - several PTX modules into one, as a device linker does for -rdc=true.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/Ir.h"
#include "rt/support/Result.h"

#include <memory>
#include <vector>

namespace gpusched::ptx {

/// One module with everything that `modules` define. Declarations are replaced by the definition
/// of another module; what none defines stays a declaration (vprintf, malloc, ...). Names local
/// to a module are made unique where they collide. Two Visible definitions of a name are an error.
/// One module comes back as it is. Thread-safe.
Result<std::shared_ptr<const Module>>
link(const std::vector<std::shared_ptr<const Module>>& modules);

} // namespace gpusched::ptx
