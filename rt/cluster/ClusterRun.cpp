// ClusterRun.cpp - the clock of a modelled cluster.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/cluster/ClusterRun.h"

#include "rt/cluster/Room.h"

#include <algorithm>
#include <limits>

namespace gpusched::cluster {
namespace {

class Cluster {
public:
  Cluster(const std::vector<Submission>& submissions, std::vector<Gpu> gpus,
          const ClusterPolicy& policy, const PairModel* predicted, const PairModel& truth)
      : submissions_(submissions), policy_(policy), truth_(truth), leftUs_(submissions.size()),
        slowdown_(submissions.size(), 1) {
    state_.gpus = std::move(gpus);
    state_.pairs = predicted;
    run_.jobs.resize(submissions.size());
    for (size_t job = 0; job < submissions.size(); ++job)
      arrivals_.push_back(job), leftUs_[job] = alone(job);
    std::stable_sort(arrivals_.begin(), arrivals_.end(), [&](size_t a, size_t b) {
      return submissions[a].arrivalUs < submissions[b].arrivalUs;
    });
    now_ = arrivals_.empty() ? 0 : submissions[arrivals_.front()].arrivalUs;
  }

  Result<ClusterRun> run() {
    const double first = now_;
    for (size_t next = 0; next < arrivals_.size() || running() || !state_.pending.empty();) {
      const double arrival = next < arrivals_.size() ? submissions_[arrivals_[next]].arrivalUs
                                                     : std::numeric_limits<double>::max();
      advance(std::min(arrival, now_ + untilNextEnd()));
      while (next < arrivals_.size() && submissions_[arrivals_[next]].arrivalUs <= now_)
        state_.pending.push_back(jobOf(arrivals_[next++]));
      if (Status placed = place(); !placed)
        return placed;
      if (!running() && !state_.pending.empty() && next == arrivals_.size())
        return broken("leaves all GPUs idle, with jobs that wait");
    }
    summarise(first);
    return std::move(run_);
  }

private:
  Status broken(const std::string& how) const {
    return Status::error("policy '" + std::string(policy_.name()) + "' " + how);
  }
  Job jobOf(size_t job) const { return {job, submissions_[job].application}; }
  double alone(size_t job) const { return submissions_[job].application->timeUs; }
  bool running() const {
    return std::any_of(state_.gpus.begin(), state_.gpus.end(),
                       [](const Gpu& gpu) { return !gpu.running.empty(); });
  }

  /// Asked where somebody comes or goes, and nowhere else: a model may be slow to answer.
  void noteSlowdowns(const Gpu& gpu) {
    for (const Job& job : gpu.running) {
      slowdown_[job.id] = 1;
      for (const Job& other : gpu.running)
        if (other.id != job.id)
          slowdown_[job.id] *= truth_.slowdown(*job.application, *other.application);
    }
  }

  double untilNextEnd() const {
    double least = std::numeric_limits<double>::max();
    for (const Gpu& gpu : state_.gpus)
      for (const Job& job : gpu.running)
        least = std::min(least, leftUs_[job.id] * slowdown_[job.id]);
    return least;
  }

  void advance(double until) {
    const double us = until - now_;
    now_ = until;
    for (Gpu& gpu : state_.gpus) {
      double busy = 0;
      for (const Job& job : gpu.running) {
        busy += job.application->means[kGpuUtilisation] / slowdown_[job.id];
        leftUs_[job.id] -= us / slowdown_[job.id];
      }
      run_.gpuUtilisation += us * std::min(1.0, busy);
      run_.gpuBusyUs += gpu.running.empty() ? 0 : us;
      end(gpu);
    }
  }

  /// Those that are over but for what rounding leaves.
  void end(Gpu& gpu) {
    const size_t ended = std::erase_if(gpu.running, [&](const Job& job) {
      if (leftUs_[job.id] > 1e-9 * alone(job.id))
        return false;
      run_.jobs[job.id].endUs = now_;
      return true;
    });
    if (ended > 0)
      noteSlowdowns(gpu);
  }

  Status place() {
    Room room(state_);
    for (const Placement& placement : policy_.place(state_)) {
      const auto job = std::find_if(state_.pending.begin(), state_.pending.end(),
                                    [&](const Job& known) { return known.id == placement.job; });
      const std::string what = "places job " + std::to_string(placement.job);
      if (job == state_.pending.end())
        return broken(what + ", which does not wait");
      if (placement.gpu >= room.size() || !room.fits(placement.gpu, *job->application))
        return broken(what + " on GPU " + std::to_string(placement.gpu) +
                      ", where it does not fit");
      run_.jobs[placement.job].gpu = placement.gpu;
      run_.jobs[placement.job].startUs = now_;
      room.put(placement.gpu, *job, "");
      state_.gpus[placement.gpu].running.push_back(*job);
      noteSlowdowns(state_.gpus[placement.gpu]);
      state_.pending.erase(job);
      ++state_.placed;
    }
    return {};
  }

  void summarise(double first) {
    run_.makespanUs = now_ - first;
    for (size_t job = 0; job < run_.jobs.size(); ++job) {
      const JobRun& done = run_.jobs[job];
      const double completion = done.endUs - submissions_[job].arrivalUs;
      run_.meanJctUs += completion / double(run_.jobs.size());
      run_.meanTurnaround += completion / alone(job) / double(run_.jobs.size());
      run_.worstSlowdown = std::max(run_.worstSlowdown, (done.endUs - done.startUs) / alone(job));
    }
    if (run_.makespanUs > 0)
      run_.gpuUtilisation /= run_.makespanUs * double(state_.gpus.size());
  }

  const std::vector<Submission>& submissions_;
  const ClusterPolicy& policy_;
  const PairModel& truth_;
  State state_;
  ClusterRun run_;
  std::vector<double> leftUs_;   // of its time alone, by job
  std::vector<double> slowdown_; // of jobs that run, by job
  std::vector<size_t> arrivals_;
  double now_ = 0;
};

} // namespace

Result<ClusterRun> runCluster(const std::vector<Submission>& submissions, std::vector<Gpu> gpus,
                              const ClusterPolicy& policy, const PairModel* predicted,
                              const PairModel& truth) {
  return Cluster(submissions, std::move(gpus), policy, predicted, truth).run();
}

} // namespace gpusched::cluster
