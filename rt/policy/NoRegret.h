// NoRegret.h - what measured worse than one after the other is not put together again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: rules and models err; a pair that loses must cost once, not for ever. Rule, over any
// policy's decisions: a pair whose mean ratio of co-run to serial throughput is below kWorthIt runs
// apart, once that was measured kTrials times. Before that it is tried with one launch at a time:
// while one launch of it is beside the other kernel, further ones run apart. Inputs change and a
// history outlives them: after kPatience launches kept apart the pair is tried once more.
//
// A pair that was never measured is left to the policy, so a bad one costs what is enqueued until
// its first measurement is in. It would cost less to try every new pair with one launch. But
// programs enqueue hundreds of launches before the first one ends, a decision is final, and a
// stream whose second launch waits for another stream has all others behind it: an H200 ran ten
// queued pairs, all predicted to gain, one after the other for such a trial's sake
// (benchmarks/results/h200/2026-11-27).
//
// Reads nothing but its inputs; who measures is rt/launch/Trials.h.
#pragma once

#include "rt/policy/Policy.h"
#include "rt/schema/PairHistory.h"

#include <map>

namespace gpusched {

class PairHistory {
public:
  static constexpr double kWorthIt = 0.98;
  static constexpr uint32_t kTrials = 3;
  /// Older measurements fade: a mean never counts as more than this many.
  static constexpr uint32_t kMemory = 16;
  static constexpr uint32_t kPatience = 1000;

  PairHistory() = default;
  explicit PairHistory(const PairHistoryFile& file);

  /// `trials`: so many measurements it counts as, from 1.
  void add(const std::string& a, const std::string& b, double ratio, uint32_t trials = 1);
  /// One launch more was kept apart for the pair's sake. REQUIRES: it was measured.
  void keptApart(const std::string& a, const std::string& b);
  /// Null when the pair was never measured.
  const PairRecord* find(const std::string& a, const std::string& b) const;
  bool known(const std::string& a, const std::string& b) const;
  /// In alphabetical order.
  PairHistoryFile file() const;

private:
  std::map<std::string, PairRecord> pairs_; // both names, joined by a line end
};

/// Changes the decisions about waiting kernels that the history speaks against: such a kernel
/// waits for everything that runs in other streams, in a set of its own, and has the budget at
/// which it is fastest alone. Counts them in the history.
void keepWithoutRegret(const PolicyState& state, PairHistory& history,
                       std::vector<Decision>& decisions);

} // namespace gpusched
