// Parser.h - PTX text to ptx::Module.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/Ir.h"
#include "rt/support/Result.h"

#include <memory>
#include <string_view>

namespace gpusched::ptx {

/// Parses one PTX module. Errors name the line, the token and what was expected; no input
/// crashes or hangs it. Thread-safe: no shared state.
Result<std::shared_ptr<const Module>> parse(std::string_view text);

} // namespace gpusched::ptx
