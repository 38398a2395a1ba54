// Priorities.h - kernels step back while there are some of higher priority.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: what somebody waits for shares a GPU with what nobody waits for. In hardware the blocks
// of a stream or process of higher priority go to each place that falls free, but the workers of a
// twin give no place back until the whole kernel is over. So budgets have to do what the hardware
// then cannot.
//
// Two kinds of priority: that of a process, which its user gives it, and that of a stream, which
// the program gives it, for its own streams.
//
// Rule, around any policy: who launches decides as if kernels of lower priority were not there.
// Nobody changes a budget, or pauses, for the sake of a lower one. Lower ones step back:
//   for another process    to the least budget, one block per SM
//   for another stream     so far that the blocks of the higher ones fit beside theirs, which of a
//                          small grid are few (a collective operation beside the computation)
// The least budget is not none: a launch without workers would end, and what follows it in its
// stream would begin before its blocks are done. They have the policy's budget again once nothing
// of higher priority is left.
//
// Unmanaged kernels, of libraries for instance, are launched as they come and policies do not see
// them, but others step back for them.
//
// A kernel that may have to step back is always given a budget, if it can have one. Kernels in
// their native form cannot step back.
//
// Pure, as policies are. Cost: where priorities differ, one copy of the running kernels and, for
// those that step back for a stream, a sum over all for each block that is taken away.
#pragma once

#include "rt/policy/Policy.h"

namespace gpusched {

inline constexpr int32_t kLowPriority = -1, kNormalPriority = 0, kHighPriority = 1;

/// A kernel of a process of that priority is to be able to step back at any time.
inline bool alwaysHasBudget(int32_t priority) {
  return priority < kNormalPriority;
}

/// Does `a` go before `b`? Of waiting kernels and of running ones.
template <class A, class B> bool outranks(const A& a, const B& b) {
  if (a.priority != b.priority)
    return a.priority > b.priority;
  return processOf(a.stream) == processOf(b.stream) && a.streamPriority > b.streamPriority;
}

// The steps of the function below.
bool mayDecideAsItIs(const PolicyState& state);
/// Takes out what the last waiting kernel outranks, and the unmanaged; returns what ran before.
std::vector<RunningKernel> hide(PolicyState& state);
void makeLowerStepBack(const PolicyState& state, std::vector<Decision>& decisions);

/// What `decide()`, a policy and the rules over it, says of `state` for its last waiting kernel,
/// under the rule. `state` is changed meanwhile and as before when this returns.
template <class Decide>
std::vector<Decision> decideByPriority(PolicyState& state, const Decide& decide) {
  if (mayDecideAsItIs(state))
    return decide();
  std::vector<RunningKernel> all = hide(state);
  std::vector<Decision> decisions = decide();
  state.running = std::move(all);
  makeLowerStepBack(state, decisions);
  return decisions;
}

} // namespace gpusched
