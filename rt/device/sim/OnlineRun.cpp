// OnlineRun.cpp - a program's launches under a policy that is asked once for each.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As the runtime does it (rt/launch/RunningSet.h, Elastic.cpp): launches that run in turn are one
// entry; a new budget is for all of an entry's launches; the entry that is left without neighbours
// is raised to its budget of alone, and what has stepped back for a higher priority to what it had,
// once nothing outranks it. Raises are at once and cost nothing here, and so do budgets fall: no
// blocks in flight have to end first.
#include "rt/device/sim/Engine.h"
#include "rt/device/sim/Simulator.h"
#include "rt/policy/PredictionMemo.h"
#include "rt/policy/Priorities.h"

#include <algorithm>
#include <set>

namespace gpusched::sim {
namespace {

class OnlineRun {
public:
  OnlineRun(Simulator& simulator, const std::vector<Job>& jobs, const Policy& policy)
      : sim_(simulator), jobs_(jobs), policy_(policy), engine_(simulator, jobs.size()),
        how_(jobs.size()), waitsFor_(jobs.size()) {
    for (size_t i = 0; i < jobs.size(); ++i)
      arrivals_.push_back(i);
    std::stable_sort(arrivals_.begin(), arrivals_.end(),
                     [&](size_t a, size_t b) { return jobs[a].arrivalUs < jobs[b].arrivalUs; });
  }

  Run run() {
    size_t next = 0;
    while (next < arrivals_.size() || !engine_.idle()) {
      double until = next < arrivals_.size() ? jobs_[arrivals_[next]].arrivalUs : kForever;
      if (engine_.idle())
        engine_.waitUntil(until);
      while (next < arrivals_.size() && jobs_[arrivals_[next]].arrivalUs <= engine_.now())
        arrive(arrivals_[next++]);
      until = next < arrivals_.size() ? jobs_[arrivals_[next]].arrivalUs : kForever;
      for (size_t job : engine_.step(until))
        ended(job);
    }
    return engine_.finish();
  }

private:
  /// Launches that run in turn, in order, without those that are over.
  struct Entry {
    RunningKernel seen;
    std::vector<size_t> jobs;
    uint32_t alone = 0; // budget once no neighbour is left; 0 = as now
    uint32_t after = 0; // while it yields: budget once it need not
  };

  static uint64_t sequence(size_t job) { return job + 1; }
  const SimKernel& kernelOf(size_t job) const { return sim_.kernels()[jobs_[job].kernel]; }
  uint64_t blocksOf(size_t job) const { return uint64_t(kernelOf(job).demand.blocks); }
  /// As the runtime does, which asks for priorities under policies that go by profiles only.
  int32_t priorityOf(size_t job) const { return policy_.wantsProfiles() ? jobs_[job].priority : 0; }
  /// As time alone. They run in turn: all but the first are still whole.
  double leftUs(const Entry& entry) const {
    return (double(entry.jobs.size() - 1) + engine_.shareLeft(entry.jobs.front())) *
           entry.seen.kernel->timeUs;
  }
  bool isRunning(size_t job) const { return waitsFor_[job].empty(); }

  void arrive(size_t job) {
    PolicyState state;
    state.limits = sim_.limits();
    state.memo = &memo_;
    for (const Entry& entry : entries_) {
      state.running.push_back(entry.seen);
      state.running.back().leftUs = leftUs(entry);
    }
    const int32_t priority = priorityOf(job);
    mostUrgent_ = std::max(mostUrgent_, priority);
    state.waiting.push_back({sequence(job), jobs_[job].stream, &kernelOf(job).known, 0, priority,
                             priority < mostUrgent_, blocksOf(job)});
    for (const Entry& entry : entries_)
      if (entry.seen.stream == jobs_[job].stream)
        waitsFor_[job].insert(entry.jobs.begin(), entry.jobs.end());
    Decision made;
    for (const Decision& decision : decideByPriority(state, [&] { return policy_.decide(state); }))
      if (decision.sequence == sequence(job))
        made = decision;
      else if (decision.action == Action::SetBudget)
        setBudget(decision);
    place(job, made);
    add(job, made);
    if (isRunning(job))
      engine_.start(job, jobs_[job].kernel, how_[job], jobs_[job].priority);
  }

  void place(size_t job, const Decision& made) {
    how_[job].blocksPerSm = made.blocksPerSm;
    how_[job].sms = made.sms;
    engine_.job(job).set = made.set;
    engine_.job(job).after = made.after;
    engine_.job(job).reason = made.reason;
    for (const Entry& entry : entries_)
      for (uint64_t after : made.after)
        if (entry.seen.lastSequence == after)
          waitsFor_[job].insert(entry.jobs.begin(), entry.jobs.end());
  }

  void add(size_t job, const Decision& made) {
    RunningKernel launch{sequence(job), sequence(job),    jobs_[job].stream,
                         made.set,      made.blocksPerSm, &kernelOf(job).known};
    launch.streamPriority = priorityOf(job);
    launch.blocks = blocksOf(job);
    auto known = std::find_if(entries_.begin(), entries_.end(),
                              [&](const Entry& entry) { return runInTurn(entry.seen, launch); });
    if (known == entries_.end())
      known = entries_.insert(entries_.end(), Entry{launch, {}});
    known->seen.lastSequence = launch.lastSequence;
    known->jobs.push_back(job);
    known->alone = std::max(made.blocksPerSmAlone, made.blocksPerSmAfter);
    if (made.blocksPerSmAfter != 0)
      known->seen.yields = true, known->after = made.blocksPerSmAfter;
  }

  void setBudget(const Decision& decision) {
    for (Entry& entry : entries_) {
      if (entry.seen.lastSequence != decision.sequence)
        continue;
      entry.alone = std::max({entry.alone, decision.blocksPerSmAlone, entry.seen.blocksPerSm});
      if (decision.blocksPerSmAfter != 0 && !entry.seen.yields)
        entry.seen.yields = true, entry.after = decision.blocksPerSmAfter;
      rewriteBudgets(entry, decision.blocksPerSm);
      entry.seen.preempted = decision.preempts;
    }
  }

  void rewriteBudgets(Entry& entry, uint32_t budget) {
    entry.seen.blocksPerSm = budget;
    for (size_t job : entry.jobs) {
      how_[job].blocksPerSm = budget;
      engine_.setBudget(job, budget);
    }
  }

  void ended(size_t job) {
    for (Entry& entry : entries_)
      std::erase(entry.jobs, job);
    std::erase_if(entries_, [](const Entry& entry) { return entry.jobs.empty(); });
    for (const Entry& entry : entries_)
      for (size_t other : entry.jobs)
        if (waitsFor_[other].erase(job) && isRunning(other))
          engine_.start(other, jobs_[other].kernel, how_[other], jobs_[other].priority);
    raiseWhatNeedNotYield();
    raiseTheOnlyOne();
  }

  void raiseWhatNeedNotYield() {
    for (Entry& entry : entries_) {
      const bool isOutranked =
          std::any_of(entries_.begin(), entries_.end(),
                      [&](const Entry& other) { return outranks(other.seen, entry.seen); });
      if (!entry.seen.yields || isOutranked)
        continue;
      entry.seen.yields = false;
      raise(entry, entry.after);
    }
  }

  void raiseTheOnlyOne() {
    Entry* only = nullptr;
    for (Entry& entry : entries_) {
      if (!isRunning(entry.jobs.front()))
        continue;
      if (only)
        return;
      only = &entry;
    }
    if (only)
      raise(*only, only->alone);
  }

  void raise(Entry& entry, uint32_t budget) {
    if (budget <= entry.seen.blocksPerSm)
      return;
    rewriteBudgets(entry, budget);
    entry.seen.preempted = false;
  }

  Simulator& sim_;
  const std::vector<Job>& jobs_;
  const Policy& policy_;
  Engine engine_;
  PredictionMemo memo_;
  std::vector<Member> how_;
  std::vector<std::set<size_t>> waitsFor_;
  std::vector<size_t> arrivals_;
  std::vector<Entry> entries_;
  int32_t mostUrgent_ = 0; // so far
};

} // namespace

Run Simulator::runOnline(const std::vector<Job>& jobs, const Policy& policy) {
  return OnlineRun(*this, jobs, policy).run();
}

} // namespace gpusched::sim
