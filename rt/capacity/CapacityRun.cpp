// CapacityRun.cpp - the clock of a modelled service.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/capacity/CapacityRun.h"

#include <cmath>
#include <numeric>

namespace gpusched::capacity {
namespace {

/// Of a job's work, below which it is over: what rounding leaves.
constexpr double kNothing = 1e-9;

Status checkService(const Service& service) {
  if (service.types.empty() || service.nodes == 0)
    return Status::error("a service needs at least one VM type and one node");
  if (service.queues == 0 || service.queues > service.nodes)
    return Status::error(std::to_string(service.queues) + " local queues for " +
                         std::to_string(service.nodes) +
                         " nodes: each queue owns at least one; give 1 to as many as nodes");
  if (service.deal.atATime == 0 || !(service.periodSeconds > 0))
    return Status::error("a service deals at least one job at a time, and its period is above 0");
  return {};
}

class Clock {
public:
  Clock(const std::vector<CapacityJob>& jobs, const Service& service, const Planner& planner)
      : jobs_(jobs), service_(service), planner_(planner),
        owned_(dealNodes(service.nodes, service.queues)), share_(jobs.size(), 1),
        arrivals_(jobs.size()) {
    run_.jobs.resize(jobs.size());
    std::iota(arrivals_.begin(), arrivals_.end(), 0);
    std::stable_sort(arrivals_.begin(), arrivals_.end(), [&](size_t a, size_t b) {
      return jobs[a].arrivalSeconds < jobs[b].arrivalSeconds;
    });
  }

  Result<CapacityRun> run() {
    while (next_ < arrivals_.size() || !present_.empty()) {
      if (present_.empty())
        now_ = nextArrival();
      while (next_ < arrivals_.size() && nextArrival() <= now_)
        present_.push_back(arrivals_[next_++]);
      if (Status status = reschedule(); !status)
        return status;
      advance();
    }
    summarise();
    return std::move(run_);
  }

private:
  /// What a job does until the next rescheduling point.
  struct Slot {
    size_t job = 0, type = 0, gpus = 0;
  };

  double nextArrival() const {
    return next_ < arrivals_.size() ? jobs_[arrivals_[next_]].arrivalSeconds : kNever;
  }

  Status reschedule() {
    slots_.clear();
    usedTypes_.clear();
    ++run_.reschedulings;
    std::vector<const CapacityJob*> central;
    for (size_t job : present_)
      central.push_back(&jobs_[job]);
    const std::vector<std::vector<size_t>> dealt =
        dealJobs(central, service_.queues, service_.deal);
    for (size_t queue = 0; queue < service_.queues; ++queue)
      if (Status status = dealt[queue].empty() ? Status() : plan(dealt[queue], owned_[queue]);
          !status)
        return status;
    return {};
  }

  /// `dealt`: places in present_.
  Status plan(const std::vector<size_t>& dealt, size_t nodes) {
    LocalProblem problem{&service_.types,        nodes,           {}, now_,
                         service_.periodSeconds, service_.weights};
    for (size_t place : dealt)
      problem.jobs.push_back({&jobs_[present_[place]], share_[present_[place]]});
    Result<LocalPlan> plan = planner_(problem);
    if (!plan)
      return plan.status();
    if (Status status = checkPlan(problem, *plan); !status)
      return status;
    count(*plan);
    std::vector<bool> used(nodes);
    for (const Placement& placement : plan->placements) {
      slots_.push_back({present_[dealt[placement.job]], placement.type, placement.gpus});
      if (!used[placement.node])
        usedTypes_.push_back(placement.type);
      used[placement.node] = true;
    }
    return {};
  }

  void count(const LocalPlan& plan) {
    ++run_.plans;
    run_.unfinished += plan.origin == PlanOrigin::MilpUnfinished;
    run_.fallbacks += plan.isReplacement();
    if (run_.firstWhy.empty())
      run_.firstWhy = plan.why;
  }

  /// To the next point: a completion, an arrival, a period.
  void advance() {
    double until = std::min(nextArrival(), now_ + service_.periodSeconds);
    for (const Slot& slot : slots_)
      until = std::min(until, now_ + share_[slot.job] * jobs_[slot.job].time(slot.type, slot.gpus));
    const double seconds = until - now_;
    for (const Slot& slot : slots_)
      work(slot, until);
    for (size_t type : usedTypes_)
      run_.vmUsd += service_.types[type].usdPerSecond * seconds;
    now_ = until;
    std::erase_if(present_, [&](size_t job) {
      if (share_[job] > kNothing)
        return false;
      run_.jobs[job].endSeconds = now_;
      return true;
    });
  }

  void work(const Slot& slot, double until) {
    const VmType& type = service_.types[slot.type];
    JobOutcome& outcome = run_.jobs[slot.job];
    double& share = share_[slot.job];
    if (share == 1)
      outcome.startSeconds = now_;
    const double alone = jobs_[slot.job].time(slot.type, slot.gpus), seconds = until - now_;
    // Not by subtraction only: what remains may be too little to move the clock.
    share = now_ + share * alone <= until ? 0 : share - seconds / alone;
    outcome.gpuUsd += type.usdPerSecond * seconds * double(slot.gpus) / double(type.gpus);
  }

  void summarise() {
    const double count = double(jobs_.size());
    for (size_t job = 0; job < jobs_.size(); ++job) {
      JobOutcome& outcome = run_.jobs[job];
      outcome.responseSeconds = outcome.endSeconds - jobs_[job].arrivalSeconds;
      outcome.lateSeconds = std::max(0.0, outcome.endSeconds - jobs_[job].deadlineSeconds);
      outcome.lateUsd = jobs_[job].usdPerLateSecond * outcome.lateSeconds;
      run_.meanResponseSeconds += outcome.responseSeconds / count;
      run_.meanLateSeconds += outcome.lateSeconds / count;
      run_.gpuUsd += outcome.gpuUsd, run_.lateUsd += outcome.lateUsd;
    }
  }

  const std::vector<CapacityJob>& jobs_;
  const Service& service_;
  const Planner& planner_;
  std::vector<size_t> owned_; // nodes, by queue
  std::vector<double> share_; // of its work that remains, by job
  std::vector<size_t> arrivals_;
  size_t next_ = 0;
  std::vector<size_t> present_; // jobs that came and are not over: the central queue
  std::vector<Slot> slots_;
  std::vector<size_t> usedTypes_; // one for each node in use
  double now_ = 0;
  CapacityRun run_;
};

} // namespace

Result<CapacityRun> runCapacity(const std::vector<CapacityJob>& jobs, const Service& service,
                                const Planner& planner) {
  if (Status status = checkService(service); !status)
    return status;
  LocalProblem all{&service.types, service.nodes, {}, 0, service.periodSeconds, service.weights};
  for (const CapacityJob& job : jobs) {
    if (!(std::isfinite(job.arrivalSeconds) && job.arrivalSeconds >= 0))
      return Status::error("job '" + job.name + "' arrives at " +
                           std::to_string(job.arrivalSeconds) +
                           " s; give a finite time, 0 or above");
    all.jobs.push_back({&job, 1});
  }
  if (Status status = checkProblem(all); !status)
    return status;
  return Clock(jobs, service, planner).run();
}

} // namespace gpusched::capacity
