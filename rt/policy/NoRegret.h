// NoRegret.h - what measured worse than one after the other is not put together again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: rules and models err; a pair that loses must cost once, not for ever. Rule, over any
// policy's decisions: a pair whose mean ratio of co-run to serial throughput is below kWorthIt runs
// apart, once that was measured kTrials times in the form at hand, with budgets or without
// (NativePairs.h). Before that it is tried with one launch at a time:
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
#include <unordered_map>

namespace gpusched {

/// In which form two kernels run beside each other.
enum class PairForm : uint8_t { Budgeted, Native };
inline PairForm pairForm(bool firstIsNative, bool secondIsNative) {
  return firstIsNative && secondIsNative ? PairForm::Native : PairForm::Budgeted;
}

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
  void add(const std::string& a, const std::string& b, PairForm form, double ratio,
           uint32_t trials = 1);
  /// The policy lets one of the two wait for the other, see PairRecord.
  void held(const std::string& a, const std::string& b);
  /// One launch more was kept apart for the pair's sake. REQUIRES: a record.
  void keptApart(const std::string& a, const std::string& b);
  /// The kernel, which has to live as long as the history, was there with another one of that name.
  void met(const PolicyKernel& kernel, const std::string& other);
  /// Whom it met last; null: none yet.
  const std::string* latest(const PolicyKernel& kernel) const;
  /// Null when the pair was neither measured nor held.
  const PairRecord* find(const std::string& a, const std::string& b) const;
  bool known(const std::string& a, const std::string& b, PairForm form) const;
  /// In alphabetical order.
  PairHistoryFile file() const;

private:
  PairRecord& at(const std::string& a, const std::string& b);

  std::map<std::string, PairRecord> pairs_; // both names, joined by a line end
  std::unordered_map<const PolicyKernel*, std::string> latest_;
};

const PairOutcome& outcome(const PairRecord& record, PairForm form);
/// Measured often enough?
bool isKnown(const PairOutcome& outcome);

// What the rules over a policy's decisions need.

/// Null: the decision is about a running kernel.
const WaitingKernel* waitingOf(const PolicyState& state, const Decision& decision);
/// Nobody makes room for a kernel that does not take it.
void dropBudgetChanges(std::vector<Decision>& decisions);
void addReason(const PolicyState& state, Decision& decision, const std::string& why);

/// Changes the decisions about waiting kernels that the history speaks against: such a kernel
/// waits for everything that runs in other streams, in a set of its own, and has the budget at
/// which it is fastest alone. Counts them in the history.
void keepWithoutRegret(const PolicyState& state, PairHistory& history,
                       std::vector<Decision>& decisions);

} // namespace gpusched
