// LeftOver.cpp - policy `left-over`: the first kernel takes what it can, the next what is left.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What NVIDIA's block scheduler does between streams, made explicit with budgets: in order of
// submission, each kernel gets its occupancy limit or what earlier ones leave of an SM. A kernel
// for which no block is left waits. Most kernels fill an SM alone, so this is nearly serial:
// that is the known weakness of the hardware's way. Cost: linear.
#include "rt/policy/Partition.h"

#include <algorithm>

namespace gpusched {
namespace {

class LeftOver final : public Policy {
public:
  const char* name() const override { return "left-over"; }

  std::vector<Decision> decide(const PolicyState& state) const override {
    std::vector<Decision> decisions;
    KernelList members;
    Budgets budgets;
    std::vector<uint64_t> earlier;
    for (const RunningKernel& running : state.running) {
      members.push_back(running.kernel);
      budgets.push_back(running.blocksPerSm ? running.blocksPerSm
                                            : running.kernel->occupancyBlocksPerSm);
      earlier.push_back(running.lastSequence);
    }
    for (const WaitingKernel& waiting : state.waiting) {
      Decision decision;
      decision.sequence = decision.set = waiting.sequence;
      uint32_t left = mostBeside(members, budgets, *waiting.kernel, state.limits);
      decision.action = left || earlier.empty() ? Action::Start : Action::Wait;
      if (decision.action == Action::Wait)
        decision.after = earlier;
      if (left && waiting.kernel->hasPersistent)
        decision.blocksPerSm = left;
      if (state.explain)
        decision.reason = "policy left-over: " + std::to_string(left) + " blocks per SM left";
      members.push_back(waiting.kernel);
      budgets.push_back(left);
      earlier.push_back(waiting.sequence);
      decisions.push_back(std::move(decision));
    }
    return decisions;
  }

  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits& limits) const override {
    std::vector<CoRunSet> sets;
    KernelList members;
    Budgets budgets;
    for (size_t i = 0; i < kernels.size(); ++i) {
      uint32_t left = mostBeside(members, budgets, kernels[i], limits);
      if (sets.empty() || left == 0) {
        sets.emplace_back();
        members.clear();
        budgets.clear();
        left = kernels[i].occupancyBlocksPerSm;
      }
      sets.back().push_back({.kernel = i,
                             .blocksPerSm = left,
                             .lane = uint32_t(sets.back().size()),
                             .blocksPerSmAlone = kernels[i].occupancyBlocksPerSm});
      members.push_back(&kernels[i]);
      budgets.push_back(left);
    }
    return sets;
  }

private:
  static uint32_t mostBeside(KernelList members, Budgets budgets, const PolicyKernel& kernel,
                             const DeviceLimits& limits) {
    members.push_back(&kernel);
    budgets.push_back(kernel.occupancyBlocksPerSm);
    while (budgets.back() > 0 && !fitsTogether(members, budgets, limits))
      --budgets.back();
    return budgets.back();
  }
};

} // namespace

std::unique_ptr<Policy> makeLeftOver() {
  return std::make_unique<LeftOver>();
}

} // namespace gpusched
