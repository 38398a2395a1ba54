// CounterSums.h - adding one KernelCounters to another.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The struct is a row of uint64_t and nothing else, which the assertion keeps true.
#pragma once

#include "rt/schema/Counters.h"

#include <cstring>

namespace gpusched::cpu {

inline void addCounters(KernelCounters& into, const KernelCounters& from) {
  constexpr size_t kFields = sizeof(KernelCounters) / sizeof(uint64_t);
  static_assert(sizeof(KernelCounters) % sizeof(uint64_t) == 0);
  uint64_t sum[kFields], add[kFields];
  std::memcpy(sum, &into, sizeof sum);
  std::memcpy(add, &from, sizeof add);
  for (size_t i = 0; i < kFields; ++i)
    sum[i] += add[i];
  std::memcpy(&into, sum, sizeof sum);
}

} // namespace gpusched::cpu
