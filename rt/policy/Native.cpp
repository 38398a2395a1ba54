// Native.cpp - policy `native`: changes nothing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kernel starts at once with its native variant; the hardware decides who runs beside
// whom (the left-over policy of NVIDIA's block scheduler). The baseline of every comparison,
// and the way to record a trace of what a program launches.
#include "rt/policy/Policy.h"

namespace gpusched {
namespace {

class Native final : public Policy {
public:
  const char* name() const override { return "native"; }

  std::vector<Decision> decide(const PolicyState& state) const override {
    std::vector<Decision> decisions;
    for (const WaitingKernel& waiting : state.waiting) {
      Decision decision;
      decision.sequence = waiting.sequence;
      if (state.explain)
        decision.reason = "policy native: as launched";
      decisions.push_back(std::move(decision));
    }
    return decisions;
  }

  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits&) const override {
    if (kernels.empty())
      return {};
    CoRunSet all(kernels.size());
    for (uint32_t i = 0; i < all.size(); ++i)
      all[i].kernel = all[i].lane = i;
    return {all};
  }
};

} // namespace

std::unique_ptr<Policy> makeNative() {
  return std::make_unique<Native>();
}

} // namespace gpusched
