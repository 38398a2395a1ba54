// Even.cpp - policy `even`: K kernels at a time, each with the K-th part of every SM.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in order of submission. A kernel's budget is what fits in 1/K of registers, shared
// memory, threads and block slots; a kernel of which no block fits in that runs alone. The
// baseline of the same name in the thesis and in Warped-Slicer. Cost: linear.
#include "rt/policy/Partition.h"

#include <algorithm>

namespace gpusched {
namespace {

class Even final : public Policy {
public:
  const char* name() const override { return "even"; }

  std::vector<Decision> decide(const PolicyState& state) const override {
    std::vector<Decision> decisions;
    for (const WaitingKernel& waiting : state.waiting) {
      Decision decision = inLanes(state, waiting, together());
      if (waiting.kernel->hasPersistent)
        decision.blocksPerSm =
            std::max(1u, blocksInShare(*waiting.kernel, state.limits, 1.0 / double(together())));
      decision.blocksPerSmAlone = waiting.kernel->occupancyBlocksPerSm;
      if (state.explain)
        decision.reason = "policy even: 1/" + std::to_string(together()) + " of every SM";
      decisions.push_back(std::move(decision));
    }
    return decisions;
  }

  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits& limits) const override {
    return consecutiveSets(kernels, together(), [&](const KernelList& members) {
      Budgets budgets;
      for (const PolicyKernel* kernel : members)
        budgets.push_back(blocksInShare(*kernel, limits, 1.0 / double(members.size())));
      bool all = std::find(budgets.begin(), budgets.end(), 0u) == budgets.end();
      return all ? budgets : Budgets{};
    });
  }

private:
  size_t together() const { return size_t(std::max(1.0, parameters_[0].value)); }
  std::vector<PolicyParameter>* mutableParameters() override { return &parameters_; }
  std::vector<PolicyParameter> parameters_ = {{"together", "kernels", 2,
                                               "how many run at the same time",
                                               "ours: pairs, as in the thesis' examples"}};
};

} // namespace

std::unique_ptr<Policy> makeEven() {
  return std::make_unique<Even>();
}

} // namespace gpusched
