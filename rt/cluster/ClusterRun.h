// ClusterRun.h - jobs on several GPUs under a policy, in modelled time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete-event model. Events: a job comes, a job ends; after each the policy is asked. Between
// two events a job makes linear progress: at the rate of alone, divided by its slowdown beside the
// one other job of its GPU. So what two jobs do to each other is one number for each of them,
// whichever of their phases meet here.
//
// Same input, same output. Cost: events x (the policy's + GPUs).
#pragma once

#include "rt/cluster/ClusterPolicy.h"

#include <vector>

namespace gpusched::cluster {

struct Submission {
  const Application* application = nullptr;
  double arrivalUs = 0;
};

struct JobRun {
  size_t gpu = 0;
  double startUs = 0, endUs = 0;
};

struct ClusterRun {
  std::vector<JobRun> jobs; // as the submissions
  double makespanUs = 0;    // from the first arrival to the last end
  double meanJctUs = 0;     // job completion time: end - arrival
  /// Mean of (end - arrival) / alone.
  double meanTurnaround = 0;
  double worstSlowdown = 0; // largest (end - start) / alone
  /// Mean over GPUs and makespan of the share of time that kernels run: that of the jobs there,
  /// each divided by its slowdown, at most 1.
  double gpuUtilisation = 0;
  double gpuBusyUs = 0; // with at least one job, summed over GPUs
};

/// `truth`: what really happens; `predicted`: what the policy asks, may be null. Error: a policy
/// that breaks what ClusterPolicy::place requires, with its name and the job.
Result<ClusterRun> runCluster(const std::vector<Submission>& submissions, std::vector<Gpu> gpus,
                              const ClusterPolicy& policy, const PairModel* predicted,
                              const PairModel& truth);

} // namespace gpusched::cluster
