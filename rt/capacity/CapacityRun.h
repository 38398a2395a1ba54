// CapacityRun.h - GPU-as-a-service under a planner, in modelled time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete-event model. At each rescheduling point running jobs are stopped, all jobs that have
// come and are not over are dealt to the local queues, and each queue's planner says what runs
// until the next point: an arrival, a completion, or a period without either. Then each placed job
// has done time / t_jvg of its work. Stopping and moving a job costs nothing, as in the document.
//
//   arrivals -> central queue -> dealJobs -> local queues -> planner -> placements -> progress
//
// Source: spec/hierarchical-milp.md. That all jobs are dealt anew at each point is ours: dealt
// once, as they come one at a time, EDF2 and EDF3 would say nothing.
//
// Same input, same output, if the planner is so. Cost: events x the planner's. Queues are planned
// one after the other; nothing is shared between them, so a service may do it in parallel.
#pragma once

#include "rt/capacity/Distribution.h"
#include "rt/capacity/LocalProblem.h"

namespace gpusched::capacity {

struct Service {
  std::vector<VmType> types;
  size_t nodes = 0;
  size_t queues = 1; // K; 1 = not hierarchical
  Deal deal;
  double periodSeconds = 3600; // also H; ours
  Weights weights;
};

struct JobOutcome {
  double startSeconds = 0, endSeconds = 0; // of its first and its last slot
  double responseSeconds = 0;              // end - arrival
  double lateSeconds = 0;                  // theta_j = max(0, end - deadline)
  /// sum over slots of c_v t_slot g / s_v, and w_j theta_j once: theta_j is what slots after the
  /// deadline add up to.
  double gpuUsd = 0, lateUsd = 0;
};

struct CapacityRun {
  std::vector<JobOutcome> jobs; // as given
  double meanResponseSeconds = 0;
  double meanLateSeconds = 0;
  double gpuUsd = 0, lateUsd = 0; // their sum is the document's cost
  double vmUsd = 0;               // c_v of used nodes, idle GPUs included; ours
  size_t reschedulings = 0;
  size_t plans = 0;      // of queues with jobs
  size_t unfinished = 0; // plans the solver had no time to finish
  size_t fallbacks = 0;  // greedy, with a reason
  std::string firstWhy;  // of the first of these two
};

/// Error: no VM types, no nodes, a period that is not above 0, more queues than nodes, 0 jobs at a
/// time, checkProblem's of any job, an arrival that is not finite and >= 0, or a plan that
/// checkPlan refuses.
Result<CapacityRun> runCapacity(const std::vector<CapacityJob>& jobs, const Service& service,
                                const Planner& planner);

} // namespace gpusched::capacity
