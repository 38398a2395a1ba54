// LocalProblem.h - what one local queue decides at a rescheduling point, and its answer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: spec/hierarchical-milp.md, "MILP of queue k". A queue has its jobs, with what remains of
// them, and its nodes, all of which are free: running jobs were stopped. The answer says which jobs
// run now, and where. Two planners: LocalMilp.h, GreedyPlan.h. Both are pure: no clock but the
// solver's own, which bounds its time.
#pragma once

#include "rt/capacity/CapacityJob.h"
#include "rt/support/Result.h"

#include <algorithm>
#include <functional>

namespace gpusched::capacity {

/// Weights of the objective. The document's values are not in its text; these are ours.
struct Weights {
  double postponed = 10;      // rho: of the tardiness that a postponed job may come to
  double usdPerIdleGpu = 0.1; // mu: of each GPU of a VM that no job runs on
};

struct QueuedJob {
  const CapacityJob* job = nullptr;
  double share = 1; // of its work, that remains
};

struct LocalProblem {
  const std::vector<VmType>* types = nullptr;
  size_t nodes = 0;
  std::vector<QueuedJob> jobs;
  double nowSeconds = 0;
  /// H: until the next rescheduling point, at most.
  double horizonSeconds = 0;
  Weights weights;

  /// What remains of t_jvg; kNever where the job cannot run.
  double seconds(size_t job, size_t type, size_t gpus) const {
    return jobs[job].share * jobs[job].job->time(type, gpus);
  }
  /// The largest time that is not kNever: M_j, the job where it is slowest.
  double worstSeconds(size_t job) const;
  /// d_j, from now; negative when it has passed.
  double deadlineSeconds(size_t job) const { return jobs[job].job->deadlineSeconds - nowSeconds; }
  /// (g / s_v) c_v t_jvg, USD.
  double usd(size_t job, size_t type, size_t gpus) const {
    const VmType& vm = (*types)[type];
    return double(gpus) / double(vm.gpus) * vm.usdPerSecond * seconds(job, type, gpus);
  }
  /// Nodes that are used: as many as there are jobs for.
  size_t usedNodes() const { return std::min(nodes, jobs.size()); }
};

struct Placement {
  size_t job = 0; // index into LocalProblem::jobs
  size_t node = 0;
  size_t type = 0; // that the node hosts
  size_t gpus = 0;
};

/// Who made a plan.
enum class PlanOrigin {
  Milp,           // within the gap asked for
  MilpUnfinished, // the best the solver had found when its time was over
  Greedy
};

struct LocalPlan {
  std::vector<Placement> placements;
  PlanOrigin origin = PlanOrigin::Greedy;
  std::string why; // not the plan that was asked for; else empty

  /// Greedy where another was asked for?
  bool isReplacement() const { return origin == PlanOrigin::Greedy && !why.empty(); }
};

using Planner = std::function<Result<LocalPlan>(const LocalProblem&)>;

/// Error: a VM type without GPUs or with a price that is not finite and >= 0; jobs but no node; a
/// job that no VM type runs, or whose times, share, deadline or weight make no sense.
Status checkProblem(const LocalProblem& problem);

/// Error: a placement that does not exist or where the job cannot run, a job twice, two VM types on
/// a node, more GPUs than the VM has, or another number of used nodes than usedNodes().
Status checkPlan(const LocalProblem& problem, const LocalPlan& plan);

} // namespace gpusched::capacity
