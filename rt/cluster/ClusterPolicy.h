// ClusterPolicy.h - the interface of a policy for several GPUs: state in, placements out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pure decider, as rt/policy/Policy.h is for one GPU. It sees the GPUs with the jobs on them and
// the jobs that wait, and answers which job begins on which GPU now. It is asked when a job has
// come and when one has ended. A job stays where it was put.
//
// One policy = one .cpp + one line in ClusterPolicyList.def + its states in the test + its line in
// docs/cluster.md. Thread-safety: const after construction.
#pragma once

#include "rt/cluster/PairModel.h"
#include "rt/support/Parameters.h"
#include "rt/support/Result.h"

#include <memory>
#include <string>
#include <vector>

namespace gpusched::cluster {

/// Jobs that run on one GPU at the same time, at most (spec/coscheml.md and
/// spec/temporal-interference.md, "Scheduler").
inline constexpr size_t kJobsPerGpu = 2;

struct Job {
  uint64_t id = 0; // in order of arrival
  const Application* application = nullptr;
};

struct Gpu {
  uint64_t memoryBytes = 0; // 0 = not known: everything fits
  std::vector<Job> running;
};

struct State {
  std::vector<Gpu> gpus;
  std::vector<Job> pending;         // in order of arrival
  const PairModel* pairs = nullptr; // null: policies that want one place no pairs
  uint64_t placed = 0;              // jobs that were placed before, ever
};

struct Placement {
  uint64_t job = 0;
  size_t gpu = 0;
  std::string reason;
};

class ClusterPolicy : public Configurable {
public:
  virtual const char* name() const = 0;
  /// Asks State::pairs?
  virtual bool wantsModel() const { return false; }
  /// REQUIRES of the result: each pending job at most once, where its memory fits beside at most
  /// one other; with all GPUs idle at least one job.
  virtual std::vector<Placement> place(const State& state) const = 0;
};

/// A policy by its name in ClusterPolicyList.def; the error lists the names there are.
Result<std::unique_ptr<ClusterPolicy>> makeClusterPolicy(const std::string& name);

struct ClusterPolicyEntry {
  const char* name;
  const char* help;
  std::unique_ptr<ClusterPolicy> (*make)();
};
const std::vector<ClusterPolicyEntry>& clusterPolicyTable();

} // namespace gpusched::cluster
