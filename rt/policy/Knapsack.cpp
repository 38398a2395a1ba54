// Knapsack.cpp - policy `knapsack`: submission order by a 0-1 knapsack over the device's resources.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: native kernels in a few queues get what earlier ones leave over, so the order in which
// they are submitted decides who runs beside whom. Source: spec/knapsack.md (B. Breder 2016).
// Model: resident blocks take shared memory, registers and threads of the whole device; a kernel
// that needs more than there is takes all. Value: mean share of the device / time alone.
//
// Offline (KernelReorder): take the kernels that a selector (KnapsackSelector.h) gives for what is
// free; each goes to the queue that ends first; then the kernel that ends first gives back its
// needs; repeat. It is the last of its queue, as in the thesis, unless another was put behind it
// before it ended. Round robin over the queues is the order of submission. One set, native
// launches, lanes are queues.
//
// Online nothing can be put before what was submitted. A launch starts when its needs fit beside
// those of all streams in flight; else it waits for whole streams, those that end first by their
// kernels' times, until the rest leaves it room. Waits go to earlier launches only: no deadlock.
//
// Cost: a selection looks at `window` kernels, so with n kernels at most n selections of that size.
#include "rt/policy/KnapsackSelector.h"
#include "rt/policy/SetPlacement.h"

#include <algorithm>
#include <queue>

namespace gpusched {
namespace {

enum Parameter { kQueues, kSelector, kLevels, kWindow };
constexpr size_t kMostLevels = 64, kMostWindow = 4096; // bounds of memory, not of sense

KnapsackNeeds deviceNeeds(const DeviceLimits& limits) {
  return {limits.sms * limits.sharedBytesPerSm, limits.sms * limits.registersPerSm,
          uint64_t(limits.sms) * limits.threadsPerSm};
}

/// Of the blocks that are resident at the same time, at most the whole device. A grid of unknown
/// size is taken to fill what it can.
KnapsackNeeds needsOf(const PolicyKernel& kernel, const DeviceLimits& limits) {
  const uint64_t resident = uint64_t(kernel.occupancyBlocksPerSm) * limits.sms;
  const uint64_t blocks = kernel.blocks ? std::min(kernel.blocks, resident) : resident;
  const KnapsackNeeds device = deviceNeeds(limits);
  KnapsackNeeds needs = {blocks * kernel.sharedBytesPerBlock, blocks * kernel.registersPerBlock,
                         blocks * kernel.threadsPerBlock};
  for (size_t j = 0; j < kKnapsackResources; ++j)
    needs[j] = std::min(needs[j], device[j]);
  return needs;
}

/// Of a kernel without a time: the mean of those that have one.
double usualTimeUs(const std::vector<PolicyKernel>& kernels) {
  double sum = 0, count = 0;
  for (const PolicyKernel& kernel : kernels)
    if (kernel.timeUs > 0)
      sum += kernel.timeUs, count += 1;
  return count > 0 ? sum / count : 1;
}

/// KernelReorder: fills the queues from a list.
class Reorder {
public:
  Reorder(const std::vector<PolicyKernel>& kernels, const DeviceLimits& limits, size_t queues,
          size_t window, KnapsackSelector select, uint32_t levels)
      : kernels_(kernels), limits_(limits), usualTimeUs_(usualTimeUs(kernels)), window_(window),
        select_(select), queues_(queues) {
    knapsack_.device = knapsack_.free = deviceNeeds(limits);
    knapsack_.most = queues;
    knapsack_.levels = levels;
  }

  /// Ends: with the whole device free every kernel fits, so then some are selected.
  CoRunSet run() {
    for (refill(); !items_.empty(); refill()) {
      std::vector<size_t> selected = select_(items_, knapsack_);
      for (size_t item : selected)
        place(item);
      remove(std::move(selected));
      giveBackFirst();
    }
    return interleaved();
  }

private:
  struct Queue {
    double endUs = 0;
    std::vector<size_t> kernels;
  };
  struct Held {
    double endUs = 0;
    size_t kernel = 0; // of equal ends the first placed gives back first
    KnapsackNeeds needs = {};
    bool operator>(const Held& other) const { return endUs > other.endUs; }
  };

  double timeUs(size_t kernel) const {
    return kernels_[kernel].timeUs > 0 ? kernels_[kernel].timeUs : usualTimeUs_;
  }

  void refill() {
    for (; items_.size() < window_ && next_ < kernels_.size(); ++next_) {
      const KnapsackNeeds needs = needsOf(kernels_[next_], limits_);
      items_.push_back({needs, meanShare(needs, knapsack_.device) / timeUs(next_)});
      indices_.push_back(next_);
    }
  }

  void place(size_t item) {
    Queue& queue =
        *std::min_element(queues_.begin(), queues_.end(),
                          [](const Queue& a, const Queue& b) { return a.endUs < b.endUs; });
    queue.endUs = std::max(queue.endUs, nowUs_) + timeUs(indices_[item]);
    queue.kernels.push_back(indices_[item]);
    knapsack_.free = minus(knapsack_.free, items_[item].needs);
    running_.push({queue.endUs, indices_[item], items_[item].needs});
  }

  void remove(std::vector<size_t> selected) {
    std::sort(selected.rbegin(), selected.rend());
    for (size_t item : selected) {
      items_.erase(items_.begin() + std::ptrdiff_t(item));
      indices_.erase(indices_.begin() + std::ptrdiff_t(item));
    }
  }

  void giveBackFirst() {
    if (running_.empty())
      return;
    nowUs_ = running_.top().endUs;
    knapsack_.free = plus(knapsack_.free, running_.top().needs);
    running_.pop();
  }

  CoRunSet interleaved() const {
    CoRunSet all;
    for (size_t turn = 0; all.size() < kernels_.size(); ++turn)
      for (size_t lane = 0; lane < queues_.size(); ++lane)
        if (turn < queues_[lane].kernels.size())
          all.push_back({.kernel = queues_[lane].kernels[turn], .lane = uint32_t(lane)});
    return all;
  }

  const std::vector<PolicyKernel>& kernels_;
  const DeviceLimits& limits_;
  const double usualTimeUs_;
  const size_t window_;
  const KnapsackSelector select_;
  Knapsack knapsack_;
  std::vector<Queue> queues_;
  std::priority_queue<Held, std::vector<Held>, std::greater<>> running_;
  double nowUs_ = 0;
  size_t next_ = 0; // of the list, not yet in the window
  std::vector<KnapsackItem> items_;
  std::vector<size_t> indices_; // of items_, into the list
};

std::vector<PolicyParameter> defaults() {
  return {
      {"queues", "queues", 32, "how many run at the same time, at most",
       "thesis: the hardware's queues"},
      {"selector", "0, 1 or 2", 0,
       "0: greedy; 1: dynamic programming over one flattened weight; 2: over three resources",
       "ours: best on the sim device, and the cheapest (benchmarks/papers/knapsack)"},
      {"levels", "steps", 16, "of each resource in the tables of selectors 1 and 2, at most 64",
       "ours: 32 gains nothing there; the thesis' unit is not known"},
      {"window", "kernels", 256, "how many of the list a selection looks at, at most 4096",
       "ours: the thesis' longest list"},
  };
}

/// What is in flight in one stream: its kernels run one after the other.
struct Lane {
  uint64_t stream = 0, lastSequence = 0;
  double endUs = 0; // if all of it were to begin now
  KnapsackNeeds needs = {};
};

std::vector<Lane> lanesBeside(const PolicyState& state, uint64_t stream) {
  std::vector<Lane> lanes;
  for (const RunningKernel& running : state.running) {
    if (running.stream == stream)
      continue; // over before this launch begins
    auto lane = std::find_if(lanes.begin(), lanes.end(),
                             [&](const Lane& known) { return known.stream == running.stream; });
    if (lane == lanes.end())
      lane = lanes.insert(lane, Lane{running.stream});
    const KnapsackNeeds needs = needsOf(*running.kernel, state.limits);
    lane->lastSequence = std::max(lane->lastSequence, running.lastSequence);
    lane->endUs += running.kernel->timeUs;
    for (size_t j = 0; j < kKnapsackResources; ++j)
      lane->needs[j] = std::max(lane->needs[j], needs[j]);
  }
  std::stable_sort(lanes.begin(), lanes.end(),
                   [](const Lane& a, const Lane& b) { return a.endUs < b.endUs; });
  return lanes;
}

class KnapsackOrder final : public Policy {
public:
  const char* name() const override { return "knapsack"; }
  bool wantsProfiles() const override { return true; }

  std::vector<Decision> decide(const PolicyState& state) const override {
    return oneByOne(state, [](const PolicyState& seen, const WaitingKernel& waiting) {
      return std::vector<Decision>{place(seen, waiting)};
    });
  }

  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits& limits) const override {
    if (kernels.empty())
      return {};
    return {Reorder(kernels, limits, whole(kQueues, kernels.size()), whole(kWindow, kMostWindow),
                    selector(), uint32_t(whole(kLevels, kMostLevels)))
                .run()};
  }

private:
  static Decision place(const PolicyState& state, const WaitingKernel& waiting) {
    Decision decision;
    decision.sequence = decision.set = waiting.sequence;
    const KnapsackNeeds device = deviceNeeds(state.limits);
    const std::vector<Lane> lanes = lanesBeside(state, waiting.stream);
    KnapsackNeeds sum = needsOf(*waiting.kernel, state.limits);
    for (const Lane& lane : lanes)
      sum = plus(sum, lane.needs);
    for (size_t i = 0; i < lanes.size() && !fits(sum, device); ++i) {
      sum = minus(sum, lanes[i].needs);
      decision.after.push_back(lanes[i].lastSequence);
    }
    decision.action = decision.after.empty() ? Action::Start : Action::Wait;
    if (state.explain)
      decision.reason = "policy knapsack: fits beside " +
                        std::to_string(lanes.size() - decision.after.size()) + " of " +
                        std::to_string(lanes.size()) + " streams in flight";
    return decision;
  }

  size_t whole(Parameter parameter, size_t most) const {
    return size_t(std::min(double(most), std::max(1.0, parameters_[parameter].value)));
  }
  KnapsackSelector selector() const {
    const double chosen = parameters_[kSelector].value;
    return chosen < 1 ? selectGreedy : chosen < 2 ? selectFlattened : selectExact;
  }
  std::vector<PolicyParameter>* mutableParameters() override { return &parameters_; }
  std::vector<PolicyParameter> parameters_ = defaults();
};

} // namespace

std::unique_ptr<Policy> makeKnapsack() {
  return std::make_unique<KnapsackOrder>();
}

} // namespace gpusched
