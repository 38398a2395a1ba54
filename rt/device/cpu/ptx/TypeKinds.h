// TypeKinds.h - what kinds of types there are, for those who decode instructions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/Ir.h"

namespace gpusched::ptx {

inline bool isSigned(Type type) {
  return type >= Type::S8 && type <= Type::S64;
}

/// f16, bf16, their pairs, f32 and f64: what arithmetic is done in.
inline bool isFloat(Type type) {
  return type >= Type::F16 && type <= Type::F64;
}

/// The 16-bit ones of these, and pairs.
inline bool isHalf(Type type) {
  return type >= Type::F16 && type <= Type::BF16x2;
}

} // namespace gpusched::ptx
