// GreedyPlan.cpp - opens nodes, then fills them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/capacity/GreedyPlan.h"

#include <numeric>
#include <optional>
#include <tuple>

namespace gpusched::capacity {
namespace {

struct Node {
  size_t type = 0, freeGpus = 0;
};

class Greedy {
public:
  explicit Greedy(const LocalProblem& problem) : problem_(problem) {}

  LocalPlan plan() {
    for (size_t job : byDeadline())
      if (const std::optional<Placement> best =
              nodes_.size() < problem_.nodes ? open(job) : join(job)) {
        nodes_[best->node].freeGpus -= best->gpus;
        plan_.placements.push_back(*best);
      }
    return std::move(plan_);
  }

private:
  std::vector<size_t> byDeadline() const {
    std::vector<size_t> order(problem_.jobs.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return problem_.deadlineSeconds(a) < problem_.deadlineSeconds(b);
    });
    return order;
  }

  /// Less is better.
  auto rank(const Placement& placement) const {
    const double seconds = problem_.seconds(placement.job, placement.type, placement.gpus);
    const bool late = seconds > problem_.deadlineSeconds(placement.job);
    const double usd = problem_.usd(placement.job, placement.type, placement.gpus);
    const size_t smallness = SIZE_MAX - (*problem_.types)[placement.type].gpus;
    return std::make_tuple(late, late ? seconds : usd, smallness, placement.gpus);
  }

  /// `best` or the best of the job on up to `freeGpus` GPUs of that VM.
  void consider(size_t job, size_t node, size_t type, size_t freeGpus,
                std::optional<Placement>& best) const {
    for (size_t gpus = 1; gpus <= freeGpus; ++gpus) {
      const Placement placement{job, node, type, gpus};
      if (problem_.seconds(job, type, gpus) != kNever && (!best || rank(placement) < rank(*best)))
        best = placement;
    }
  }

  std::optional<Placement> open(size_t job) {
    std::optional<Placement> best;
    for (size_t type = 0; type < problem_.types->size(); ++type)
      consider(job, nodes_.size(), type, (*problem_.types)[type].gpus, best);
    // A job that runs nowhere has failed checkProblem.
    nodes_.push_back({best->type, (*problem_.types)[best->type].gpus});
    return best;
  }

  std::optional<Placement> join(size_t job) const {
    std::optional<Placement> best;
    for (size_t node = 0; node < nodes_.size(); ++node)
      consider(job, node, nodes_[node].type, nodes_[node].freeGpus, best);
    return best;
  }

  const LocalProblem& problem_;
  std::vector<Node> nodes_; // those that are open
  LocalPlan plan_;
};

} // namespace

Result<LocalPlan> planGreedily(const LocalProblem& problem) {
  if (Status status = checkProblem(problem); !status)
    return status;
  return Greedy(problem).plan();
}

} // namespace gpusched::capacity
