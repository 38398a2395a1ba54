// Serial.cpp - policy `serial`: one kernel at a time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kernel waits for all earlier ones, in order of submission, and runs natively. The
// baseline of weighted speedup, ANTT and fairness. Each set holds one launch.
#include "rt/policy/Policy.h"

namespace gpusched {
namespace {

class Serial final : public Policy {
public:
  const char* name() const override { return "serial"; }

  std::vector<Decision> decide(const PolicyState& state) const override {
    std::vector<Decision> decisions;
    std::vector<uint64_t> earlier;
    for (const RunningKernel& running : state.running)
      earlier.push_back(running.lastSequence);
    for (const WaitingKernel& waiting : state.waiting) {
      Decision decision;
      decision.action = earlier.empty() ? Action::Start : Action::Wait;
      decision.sequence = waiting.sequence;
      decision.set = waiting.sequence;
      decision.after = earlier;
      if (state.explain)
        decision.reason = earlier.empty() ? "policy serial: nothing runs"
                                          : "policy serial: after every earlier kernel";
      decisions.push_back(std::move(decision));
      earlier.assign(1, waiting.sequence);
    }
    return decisions;
  }

  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits&) const override {
    std::vector<CoRunSet> sets(kernels.size());
    for (size_t i = 0; i < kernels.size(); ++i)
      sets[i].push_back({.kernel = i});
    return sets;
  }
};

} // namespace

std::unique_ptr<Policy> makeSerial() {
  return std::make_unique<Serial>();
}

} // namespace gpusched
