// Comparisons.h - whether two values compare so.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In an unnamed namespace, since files compiled per instruction set include it (see Lanes.h).
#pragma once

#include "rt/device/cpu/engine/Isa.h"

namespace gpusched::cpu {
namespace {

/// Of integers none is unordered.
template <class T> bool holds(Comparison comparison, T a, T b) {
  const bool unordered = a != a || b != b;
  switch (comparison) {
  case Comparison::Eq:
    return a == b;
  case Comparison::Ne:
    return !unordered && a != b;
  case Comparison::Lt:
    return a < b;
  case Comparison::Le:
    return a <= b;
  case Comparison::Gt:
    return a > b;
  case Comparison::Ge:
    return a >= b;
  case Comparison::Equ:
    return unordered || a == b;
  case Comparison::Neu:
    return a != b;
  case Comparison::Ltu:
    return unordered || a < b;
  case Comparison::Leu:
    return unordered || a <= b;
  case Comparison::Gtu:
    return unordered || a > b;
  case Comparison::Geu:
    return unordered || a >= b;
  case Comparison::Num:
    return !unordered;
  case Comparison::Nan:
    return unordered;
  }
  return false;
}

} // namespace
} // namespace gpusched::cpu
