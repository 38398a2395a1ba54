// SpecialRegisters.h - %tid, %ctaid and the like, written into a frame when it is created.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They do not change while a frame lives, so reading one is reading a register. Those that
// do change (%clock, %globaltimer) are micro-ops of their own.
#pragma once

#include "rt/device/cpu/engine/Frame.h"
#include "rt/device/cpu/engine/Program.h"

#include <optional>
#include <string_view>

namespace gpusched::cpu {

/// The kind of special register called `name` ("tid.x"), if it is a fixed one.
std::optional<SpecialKind> specialKind(std::string_view name);

/// Writes every special slot of `frame` for `warp`.
void fillSpecials(const Warp& warp, Frame& frame);

} // namespace gpusched::cpu
