// RoundUp.h - the next multiple.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gpusched {

/// The least multiple of `unit` that is no less than `value`; `value` itself where there is no
/// unit.
constexpr uint64_t roundUp(uint64_t value, uint64_t unit) {
  return unit ? (value + unit - 1) / unit * unit : value;
}

} // namespace gpusched
