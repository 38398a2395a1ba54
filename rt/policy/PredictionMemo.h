// PredictionMemo.h - what bestBudgets answered before, by what it was asked.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a program launches the same few kernels beside each other again and again, and choosing
// their budgets takes ten microseconds each time. Kept by a hash of all that the predictor reads
// (64 bits: two questions of one program are taken for one with a chance of 1e-12), not by address:
// a kernel's profile may change. Lives with the caller, as policies keep nothing; so an answer is
// the same with and without it. Forgets everything when full. Not thread-safe.
#pragma once

#include "rt/policy/Predictor.h"

#include <unordered_map>

namespace gpusched {

class PredictionMemo {
public:
  struct Answer {
    Budgets budgets;
    Prediction prediction;
  };
  static constexpr size_t kMost = 4096;

  /// As bestBudgets; the reference is good until the next call.
  const Answer& bestBudgets(const KernelList& kernels, const DeviceLimits& limits,
                            const Budgets& fixed, const Goal& goal);
  size_t size() const { return known_.size(); }

private:
  std::unordered_map<uint64_t, Answer> known_;
};

} // namespace gpusched
