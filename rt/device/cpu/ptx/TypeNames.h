// TypeNames.h - the spellings of PTX types and state spaces.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/Ir.h"

#include <string_view>

namespace gpusched::ptx {

/// "f32" -> Type::F32; Type::None when `name` is no type.
Type typeFromName(std::string_view name);
/// "f32" for Type::F32; "" for None.
std::string_view typeName(Type type);
/// "global" -> Space::Global; Space::None when `name` declares no variable.
Space spaceFromName(std::string_view name);

} // namespace gpusched::ptx
