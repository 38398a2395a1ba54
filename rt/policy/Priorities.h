// Priorities.h - kernels step back while there are some of higher priority.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a process that somebody waits for shares a GPU with one that nobody does. Rule, around
// any policy: who launches decides as if kernels of lower priority were not there. These keep the
// least budget, one block per SM, and not none: a launch without workers would end, and what
// follows it in its stream would begin before its blocks are done. They have the policy's budget
// again once nothing of higher priority is left.
//
// A kernel below normal priority is always given a budget, if it can have one, since only then can
// it step back. Kernels in their native form cannot.
//
// Pure, as policies are. Cost: one copy of the running kernels, where priorities differ.
#pragma once

#include "rt/policy/Policy.h"

namespace gpusched {

inline constexpr int32_t kLowPriority = -1, kNormalPriority = 0, kHighPriority = 1;

/// A kernel of that priority is to be able to step back at any time.
inline bool alwaysHasBudget(int32_t priority) {
  return priority < kNormalPriority;
}

/// policy.decide(state) for the last waiting kernel, under the rule. `state` is changed meanwhile
/// and as before when it returns.
std::vector<Decision> decideByPriority(const Policy& policy, PolicyState& state);

} // namespace gpusched
