// PairTruth.cpp - two applications side by side, event by event.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/papers/applications/PairTruth.h"

#include <algorithm>
#include <limits>

namespace gpusched::papers {

/// One of the two: where it is in its steps.
struct Runner {
  enum Part { kHost, kCopy, kKernel };

  explicit Runner(const SyntheticApplication& application) : steps(&application.steps) {
    enter(kHost);
  }

  const Step& current() const { return (*steps)[step]; }
  bool inKernel() const { return part == kKernel; }

  void enter(Part next) {
    part = next;
    left = part == kHost ? current().hostUs : part == kCopy ? current().copyUs : current().kernelUs;
  }

  /// To the next part that takes time.
  void leave() {
    do {
      if (part != kKernel) {
        enter(Part(part + 1));
        continue;
      }
      if (++step == steps->size())
        step = 0, ++rounds;
      enter(kHost);
    } while (left <= 0);
  }

  const std::vector<Step>* steps;
  size_t step = 0, rounds = 0;
  Part part = kHost;
  double left = 0; // us of alone
};

class PairRun {
public:
  PairRun(const PairTruth& truth, size_t job, size_t other)
      : truth_(truth),
        runners_{Runner(truth.applications_[job]), Runner(truth.applications_[other])} {
    for (Runner& runner : runners_)
      if (runner.left <= 0)
        runner.leave();
  }

  /// Until the job is over.
  double us() {
    double now = 0;
    while (runners_[0].rounds == 0) {
      const std::array<double, 2> rates = ratesNow();
      double step = std::numeric_limits<double>::max();
      for (size_t i = 0; i < 2; ++i)
        if (rates[i] > 0)
          step = std::min(step, runners_[i].left / rates[i]);
      now += step;
      for (size_t i = 0; i < 2; ++i)
        advance(i, step * rates[i]);
    }
    return now;
  }

private:
  void advance(size_t which, double us) {
    Runner& runner = runners_[which];
    runner.left -= us;
    if (runner.left > 1e-6)
      return;
    runner.leave();
    // Who comes to a kernel while the other is in one is the second.
    if (runner.inKernel() || first_ == which)
      first_ = runners_[1 - which].inKernel() ? 1 - which : which;
  }

  std::array<double, 2> ratesNow() const {
    if (runners_[0].part != runners_[1].part || runners_[0].part == Runner::kHost)
      return {1, 1};
    if (runners_[0].part == Runner::kCopy)
      return {0.5, 0.5};
    const PairTruth::Rates& rates =
        truth_.ratesOf(runners_[first_].current().kernel, runners_[1 - first_].current().kernel);
    return first_ == 0 ? std::array{rates.first, rates.second}
                       : std::array{rates.second, rates.first};
  }

  const PairTruth& truth_;
  Runner runners_[2];
  size_t first_ = 0; // of two kernels at once, the one that began before the other
};

PairTruth::PairTruth(sim::Simulator& simulator,
                     const std::vector<SyntheticApplication>& applications, const Policy* inside)
    : simulator_(simulator), applications_(applications), inside_(inside) {
  for (size_t i = 0; i < applications.size(); ++i)
    places_[&applications[i].known] = i;
}

std::vector<Member> PairTruth::placed(size_t first, size_t second) const {
  if (!inside_)
    return {{.kernel = first, .lane = 0}, {.kernel = second, .lane = 1}};
  const std::vector<PolicyKernel> both = {simulator_.kernels()[first].known,
                                          simulator_.kernels()[second].known};
  CoRunSet set = inside_->schedule(both, simulator_.limits()).front();
  for (Member& member : set)
    member.kernel = member.kernel == 0 ? first : second;
  return set;
}

const PairTruth::Rates& PairTruth::ratesOf(size_t first, size_t second) const {
  const auto [known, isNew] = rates_.try_emplace({first, second});
  if (!isNew)
    return known->second;
  const std::vector<Member> members = placed(first, second);
  if (members.size() < 2 || members[0].lane == members[1].lane) {
    known->second = {1, 0};
    return known->second;
  }
  const std::vector<sim::Simulator::Progress> both = simulator_.together(members);
  const auto share = [&](size_t index) {
    const double alone =
        simulator_.together({{.kernel = members[index].kernel}}).front().blocksPerUs;
    return std::min(1.0, both[index].blocksPerUs / alone);
  };
  const bool inOrder = members[0].kernel == first;
  known->second = {share(inOrder ? 0 : 1), share(inOrder ? 1 : 0)};
  return known->second;
}

double PairTruth::slowdown(size_t job, size_t other) const {
  const auto [known, isNew] = slowdowns_.try_emplace({job, other});
  if (isNew)
    known->second = PairRun(*this, job, other).us() / applications_[job].known.timeUs;
  return known->second;
}

double PairTruth::slowdown(const cluster::Application& job,
                           const cluster::Application& other) const {
  return slowdown(places_.at(&job), places_.at(&other));
}

std::vector<cluster::MeasuredPair> PairTruth::all() const {
  std::vector<cluster::MeasuredPair> pairs;
  for (size_t job = 0; job < applications_.size(); ++job)
    for (size_t other = 0; other < applications_.size(); ++other)
      pairs.push_back(
          {&applications_[job].known, &applications_[other].known, slowdown(job, other)});
  return pairs;
}

} // namespace gpusched::papers
