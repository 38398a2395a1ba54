// Fifo.cpp - policy `fifo`: K streams, kernels dealt to them in order of submission.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program does that knows nothing of its kernels and uses K streams: launch i follows
// launch i - K. Kernels are native; the hardware gives the later ones what the earlier leave
// over. Cost: linear.
#include "rt/policy/Partition.h"

#include <algorithm>

namespace gpusched {
namespace {

class Fifo final : public Policy {
public:
  const char* name() const override { return "fifo"; }

  std::vector<Decision> decide(const PolicyState& state) const override {
    std::vector<Decision> decisions;
    for (const WaitingKernel& waiting : state.waiting) {
      decisions.push_back(inLanes(state, waiting, together()));
      if (state.explain)
        decisions.back().reason = "policy fifo: stream " +
                                  std::to_string(waiting.sequence % together()) + " of " +
                                  std::to_string(together());
    }
    return decisions;
  }

  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits&) const override {
    CoRunSet all;
    for (size_t i = 0; i < kernels.size(); ++i)
      all.push_back({.kernel = i, .lane = uint32_t(i % together())});
    return all.empty() ? std::vector<CoRunSet>{} : std::vector<CoRunSet>{all};
  }

private:
  size_t together() const { return size_t(std::max(1.0, parameters_[0].value)); }
  std::vector<PolicyParameter>* mutableParameters() override { return &parameters_; }
  std::vector<PolicyParameter> parameters_ = {{"streams", "streams", 2,
                                               "how many run at the same time",
                                               "ours: pairs, as the other baselines"}};
};

} // namespace

std::unique_ptr<Policy> makeFifo() {
  return std::make_unique<Fifo>();
}

} // namespace gpusched
