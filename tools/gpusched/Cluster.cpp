// Cluster.cpp - gpusched cluster: policies for several GPUs on one workload, side by side.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jobs run in modelled time (rt/cluster/ClusterRun.h). What two applications do to each other is
// what the file says was measured; for pairs that were not, what a random forest has learnt of
// those that were. Policies and the modelled GPUs know the same.
#include "tools/gpusched/Settings.h"
#include "tools/gpusched/Subcommand.h"

#include "rt/cluster/ClusterRun.h"
#include "rt/cluster/LearntPairs.h"
#include "rt/learn/RandomForest.h"
#include "rt/schema/ClusterWorkload.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

namespace gpusched::tool {
namespace {

using namespace gpusched::cluster;

struct ClusterOptions {
  std::string workload;
  std::vector<std::string> policies;
  std::vector<std::string> settings;
};

/// Measured, else learnt.
class KnownPairs final : public PairModel {
public:
  KnownPairs(const std::vector<MeasuredPair>& measured, LearntPairs learnt)
      : learnt_(std::move(learnt)) {
    for (const MeasuredPair& pair : measured)
      measured_[{pair.job, pair.other}] = pair.slowdown;
  }

  double slowdown(const Application& job, const Application& other) const override {
    const auto known = measured_.find({&job, &other});
    return known != measured_.end() ? known->second : std::max(1.0, learnt_.slowdown(job, other));
  }
  size_t measured() const { return measured_.size(); }

private:
  std::map<std::pair<const Application*, const Application*>, double> measured_;
  LearntPairs learnt_;
};

Result<KnownPairs> pairsOf(const ClusterWorkloadFile& file) {
  std::vector<MeasuredPair> measured;
  for (const PairSlowdown& pair : file.pairs)
    measured.push_back({applicationNamed(file, pair.application),
                        applicationNamed(file, pair.beside), pair.slowdown});
  if (measured.empty())
    return Status::error("pairs: none was measured, so nobody knows what two jobs on one GPU do to "
                         "each other; run some together, and write their slowdowns there");
  Result<LearntPairs> learnt =
      LearntPairs::fit(measured, PairFeatures::Means, learn::learner<learn::RandomForest>());
  if (!learnt)
    return learnt.status();
  return KnownPairs(measured, std::move(*learnt));
}

std::vector<Submission> submissionsOf(const ClusterWorkloadFile& file) {
  std::vector<Submission> jobs;
  for (const ClusterArrivals& arrivals : file.arrivals) {
    const Application* application = applicationNamed(file, arrivals.application);
    for (uint64_t i = 0; i < arrivals.count; ++i)
      jobs.push_back({application, arrivals.arrivalUs + double(i) * arrivals.periodUs});
  }
  return jobs;
}

std::vector<Gpu> gpusOf(const ClusterWorkloadFile& file) {
  std::vector<Gpu> gpus;
  for (const GpuGroup& group : file.gpus)
    gpus.insert(gpus.end(), group.count, Gpu{group.memoryBytes, {}});
  return gpus;
}

Status runPolicy(const std::string& name, const ClusterOptions& options,
                 const std::vector<Submission>& jobs, const std::vector<Gpu>& gpus,
                 const KnownPairs& pairs) {
  Result<std::unique_ptr<ClusterPolicy>> policy = makeClusterPolicy(name);
  if (!policy)
    return Status::error("--policy: " + policy.message());
  if (Status set = applySettings(**policy, name, options.settings); !set)
    return set;
  const Result<ClusterRun> run = runCluster(jobs, gpus, **policy, &pairs, pairs);
  if (!run)
    return run.status();
  std::printf("%-14s %12.1f %11.3f %14.3f %12.1f %8.1f\n", name.c_str(), run->meanJctUs / 1e6,
              run->meanTurnaround, run->worstSlowdown, run->makespanUs / 1e6,
              100 * run->gpuUtilisation);
  return {};
}

int cluster(const ClusterOptions& options) {
  const Result<ClusterWorkloadFile> file = readClusterWorkload(options.workload);
  if (!file)
    return fail(kUsageError, "cluster: " + file.message());
  const Result<KnownPairs> pairs = pairsOf(*file);
  if (!pairs)
    return fail(kUsageError, "cluster: '" + options.workload + "': " + pairs.message());
  const std::vector<Submission> jobs = submissionsOf(*file);
  const std::vector<Gpu> gpus = gpusOf(*file);
  const size_t applications = file->applications.size();
  std::printf("%s: %zu jobs of %zu applications on %zu GPUs; %zu of %zu pairs measured, the others "
              "learnt; all figures are modelled\n",
              file->name.empty() ? options.workload.c_str() : file->name.c_str(), jobs.size(),
              applications, gpus.size(), pairs->measured(), applications * applications);
  std::printf("%-14s %12s %11s %14s %12s %8s\n", "policy", "mean JCT s", "turnaround",
              "worst slowdown", "makespan s", "GPU %");
  for (const std::string& name : options.policies)
    if (Status done = runPolicy(name, options, jobs, gpus, *pairs); !done)
      return fail(kUsageError, "cluster: " + done.message());
  return 0;
}

} // namespace

void addCluster(Command& command) {
  std::shared_ptr<ClusterOptions> options = std::make_shared<ClusterOptions>();
  for (const ClusterPolicyEntry& entry : clusterPolicyTable())
    options->policies.push_back(entry.name);
  Options sub =
      command.add("cluster", "Compare policies for several GPUs, offline: gpusched cluster FILE",
                  [options] { return cluster(*options); });
  sub.add("workload", options->workload, "Cluster workload file (docs/cluster.md)").required();
  sub.add("--policy", options->policies, "Policies to compare, separated by commas")
      .separatedBy(',')
      .showDefault();
  sub.add("--set", options->settings, "A parameter: POLICY.PARAMETER=NUMBER; repeatable");
}

} // namespace gpusched::tool
