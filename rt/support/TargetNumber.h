// TargetNumber.h - the number in the name of a target.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace gpusched {

/// 90 of "sm_90", "sm_90a" and "compute_90"; 0 when there is none.
inline uint32_t targetNumber(const std::string& target) {
  const size_t digits = target.find_first_of("0123456789");
  return digits == std::string::npos ? 0
                                     : uint32_t(std::strtoul(target.c_str() + digits, nullptr, 10));
}

} // namespace gpusched
