// WarpedSlicer.cpp - policy `warped-slicer`: K kernels at a time, budgets by water-filling.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: divide an SM among K kernels so that the least performance is as large as possible.
// Model: each kernel's own scalability curve; partners are thought not to disturb each other
// (which is why it predicts 1.93x for stencil + spmv where 0.94x was measured).
// Algorithm: Q. Xu et al., "Warped-Slicer", ISCA 2016: waterFill() of Partition.h. When it leaves
// a kernel less than `spatial_below` of its performance, SMs are divided instead of each SM.
// Kernels in order of submission; who runs with whom is not chosen. Cost: K * blocks per set.
#include "rt/policy/Partition.h"

#include <algorithm>

namespace gpusched {
namespace {

enum Parameter { kTogether, kSpatialBelow };

class WarpedSlicer final : public Policy {
public:
  const char* name() const override { return "warped-slicer"; }
  bool wantsProfiles() const override { return true; }

  std::vector<Decision> decide(const PolicyState& state) const override {
    std::vector<Decision> decisions;
    for (const WaitingKernel& waiting : state.waiting)
      place(state, waiting, decisions);
    return decisions;
  }

  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits& limits) const override {
    std::vector<CoRunSet> sets = consecutiveSets(
        kernels, together(), [&](const KernelList& members) { return waterFill(members, limits); });
    for (CoRunSet& set : sets)
      if (tooLittle(set, kernels))
        divideSms(set, kernels, limits.sms);
    return sets;
  }

private:
  size_t together() const { return size_t(std::max(1.0, parameters_[kTogether].value)); }

  /// The last launches of the other lanes, and this one: those below get their new budgets.
  void place(const PolicyState& state, const WaitingKernel& waiting,
             std::vector<Decision>& decisions) const {
    Decision decision = inLanes(state, waiting, together());
    KernelList members;
    std::vector<const RunningKernel*> others;
    size_t first = state.running.size() - std::min(state.running.size(), together() - 1);
    for (size_t i = first; i < state.running.size(); ++i) {
      others.push_back(&state.running[i]);
      members.push_back(state.running[i].kernel);
    }
    members.push_back(waiting.kernel);
    Budgets budgets = waterFill(members, state.limits);
    for (size_t i = 0; i < others.size() && !budgets.empty(); ++i)
      if (others[i]->blocksPerSm > budgets[i]) {
        Decision lower;
        lower.action = Action::SetBudget;
        lower.sequence = others[i]->lastSequence;
        lower.blocksPerSm = budgets[i];
        decisions.push_back(lower);
      }
    if (waiting.kernel->hasPersistent)
      decision.blocksPerSm =
          budgets.empty() ? waiting.kernel->occupancyBlocksPerSm : budgets.back();
    decision.blocksPerSmAlone = waiting.kernel->occupancyBlocksPerSm;
    if (state.explain)
      decision.reason =
          "policy warped-slicer: water-filling over " + std::to_string(members.size()) + " kernels";
    decisions.push_back(std::move(decision));
  }

  bool tooLittle(const CoRunSet& set, const std::vector<PolicyKernel>& kernels) const {
    return set.size() > 1 && std::any_of(set.begin(), set.end(), [&](const Member& member) {
             return performanceAt(kernels[member.kernel], member.blocksPerSm) <
                    parameters_[kSpatialBelow].value;
           });
  }

  /// Each kernel its part of the SMs, with the budget that is best there.
  static void divideSms(CoRunSet& set, const std::vector<PolicyKernel>& kernels, uint32_t sms) {
    for (size_t i = 0; i < set.size(); ++i) {
      const PolicyKernel& kernel = kernels[set[i].kernel];
      set[i].blocksPerSm = kernel.occupancyBlocksPerSm;
      set[i].sms.clear();
      for (uint32_t sm = uint32_t(i); sm < sms; sm += uint32_t(set.size()))
        set[i].sms.push_back(sm);
    }
  }

  std::vector<PolicyParameter>* mutableParameters() override { return &parameters_; }
  std::vector<PolicyParameter> parameters_ = {
      {"together", "kernels", 2, "how many run at the same time; fixed, as published",
       "ours: pairs, as in the thesis' examples"},
      {"spatial_below", "of its performance", 0.4,
       "a kernel left with less than this: divide the SMs instead",
       "ours; the paper has such a threshold, we have not its value"}};
};

} // namespace

std::unique_ptr<Policy> makeWarpedSlicer() {
  return std::make_unique<WarpedSlicer>();
}

} // namespace gpusched
