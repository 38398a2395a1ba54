// SharingPolicy.h - a policy of tests: four blocks per SM, divided among the kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All four alone, two beside one other, one beside more.
#pragma once

#include "rt/policy/Policy.h"

class Sharing final : public gpusched::Policy {
public:
  const char* name() const override { return "sharing"; }
  std::vector<gpusched::Decision> decide(const gpusched::PolicyState& state) const override {
    uint32_t kernels = uint32_t(state.running.size() + state.waiting.size());
    std::vector<gpusched::Decision> decisions;
    auto say = [&](gpusched::Action action, uint64_t sequence) {
      gpusched::Decision decision;
      decision.action = action;
      decision.sequence = sequence;
      decision.blocksPerSm = kernels == 1 ? 4 : kernels == 2 ? 2 : 1;
      decision.blocksPerSmAlone = 4;
      decisions.push_back(decision);
    };
    for (const gpusched::RunningKernel& running : state.running)
      say(gpusched::Action::SetBudget, running.lastSequence);
    for (const gpusched::WaitingKernel& waiting : state.waiting)
      say(gpusched::Action::Start, waiting.sequence);
    return decisions;
  }
  std::vector<gpusched::CoRunSet> schedule(const std::vector<gpusched::PolicyKernel>&,
                                           const gpusched::DeviceLimits&) const override {
    return {};
  }
};
