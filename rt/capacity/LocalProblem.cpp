// LocalProblem.cpp - whether a local problem can be solved, and whether a plan solves it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/capacity/LocalProblem.h"

#include <cmath>

namespace gpusched::capacity {
namespace {

bool finiteAndNotNegative(double value) {
  return std::isfinite(value) && value >= 0;
}

Status checkType(const VmType& type) {
  if (type.gpus == 0)
    return Status::error("VM type '" + type.name + "' has no GPUs; give at least one");
  if (!finiteAndNotNegative(type.usdPerSecond))
    return Status::error("VM type '" + type.name + "' costs " + std::to_string(type.usdPerSecond) +
                         " USD per second; give a finite price, 0 or above");
  return {};
}

Status checkJob(const LocalProblem& problem, size_t index) {
  const QueuedJob& queued = problem.jobs[index];
  const std::string who = "job '" + queued.job->name + "'";
  if (!(queued.share > 0 && queued.share <= 1))
    return Status::error(who + " has " + std::to_string(queued.share) +
                         " of its work left; a queued job has more than 0 and at most 1");
  if (!std::isfinite(queued.job->deadlineSeconds) ||
      !finiteAndNotNegative(queued.job->usdPerLateSecond))
    return Status::error(who + " has no finite deadline, or a tardiness weight below 0; "
                               "for no deadline give weight 0");
  bool runs = false;
  for (size_t type = 0; type < problem.types->size(); ++type)
    for (size_t gpus = 1; gpus <= (*problem.types)[type].gpus; ++gpus) {
      const double seconds = problem.seconds(index, type, gpus);
      if (!(seconds > 0))
        return Status::error(who + " takes " + std::to_string(seconds) + " s on VM type '" +
                             (*problem.types)[type].name + "'; times are above 0");
      runs = runs || seconds != kNever;
    }
  if (!runs)
    return Status::error("no VM type runs " + who +
                         ": all its times are missing or infinite; give it a time on one of the " +
                         std::to_string(problem.types->size()) + " VM types");
  return {};
}

/// What the placements so far make of a node.
struct Hosted {
  bool used = false;
  size_t type = 0, gpus = 0;
};

Status put(const LocalProblem& problem, const Placement& placement, std::vector<bool>& placed,
           std::vector<Hosted>& hosted) {
  if (placement.job >= problem.jobs.size() || placement.node >= problem.nodes ||
      placement.type >= problem.types->size())
    return Status::error("a plan names a job, a node or a VM type that there is not");
  const VmType& type = (*problem.types)[placement.type];
  const std::string where = "a plan puts job '" + problem.jobs[placement.job].job->name + "' on " +
                            std::to_string(placement.gpus) + " GPUs of node " +
                            std::to_string(placement.node) + ", as '" + type.name + "', ";
  Hosted& node = hosted[placement.node];
  if (placed[placement.job])
    return Status::error(where + "and elsewhere");
  if (placement.gpus < 1 || placement.gpus > type.gpus ||
      problem.seconds(placement.job, placement.type, placement.gpus) == kNever)
    return Status::error(where + "where it cannot run");
  if (node.used && node.type != placement.type)
    return Status::error(where + "which hosts '" + (*problem.types)[node.type].name + "'");
  if (node.gpus + placement.gpus > type.gpus)
    return Status::error(where + "which has " + std::to_string(type.gpus - node.gpus) + " left");
  placed[placement.job] = true;
  node = {true, placement.type, node.gpus + placement.gpus};
  return {};
}

} // namespace

double LocalProblem::worstSeconds(size_t job) const {
  double worst = 0;
  for (size_t type = 0; type < types->size(); ++type)
    for (size_t gpus = 1; gpus <= (*types)[type].gpus; ++gpus)
      if (const double time = seconds(job, type, gpus); time != kNever)
        worst = std::max(worst, time);
  return worst;
}

Status checkProblem(const LocalProblem& problem) {
  if (!problem.jobs.empty() && problem.nodes == 0)
    return Status::error("a queue has " + std::to_string(problem.jobs.size()) +
                         " jobs and no node; give it a node, or make fewer queues");
  for (const VmType& type : *problem.types)
    if (Status status = checkType(type); !status)
      return status;
  for (size_t job = 0; job < problem.jobs.size(); ++job)
    if (Status status = checkJob(problem, job); !status)
      return status;
  return {};
}

Status checkPlan(const LocalProblem& problem, const LocalPlan& plan) {
  std::vector<bool> placed(problem.jobs.size());
  std::vector<Hosted> hosted(problem.nodes);
  for (const Placement& placement : plan.placements)
    if (Status status = put(problem, placement, placed, hosted); !status)
      return status;
  const size_t used = size_t(
      std::count_if(hosted.begin(), hosted.end(), [](const Hosted& node) { return node.used; }));
  if (used != problem.usedNodes())
    return Status::error("a plan uses " + std::to_string(used) + " nodes, of " +
                         std::to_string(problem.nodes) + " nodes for " +
                         std::to_string(problem.jobs.size()) + " jobs");
  return {};
}

} // namespace gpusched::capacity
