// KScheduler.cpp - policy `kscheduler`: sets of kernels that gain from sharing SMs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: run kernels together inside SMs, each with its saturation budget, where that beats
// one after the other. Model: rules 1 to 5 of CoRunRules.h over class, budget and demand.
//
// Offline (the thesis): sort by class (L1 cache, Memory, Compute), longest first; repeat: one
// scan of the rest, moving every kernel that the rules admit into the set; run the sets in
// order. An index of demands finds the next kernel that may fit (DemandIndex.h), so that
// 10^5 queued kernels take well under a second (benchmarks/policies).
//
// Online: a launch joins the lowest set whose rules admit it (SetPlacement.h). Beside nobody a
// kernel has the budget at which it is fastest; when somebody comes, all that may meet go down to
// their saturation points (parameter `elastic`).
#include "rt/policy/CoRunRules.h"
#include "rt/policy/DemandIndex.h"
#include "rt/policy/Predictor.h"
#include "rt/policy/SetPlacement.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gpusched {
namespace {

enum Parameter {
  kBaseEpc,
  kMaxEpc,
  kL1Transactions,
  kBandwidthShare,
  kFlopsShare,
  kEpcBesideMemory,
  kElastic
};

std::vector<PolicyParameter> defaults() {
  return {
      {"base_epc", "eligible warps per cycle", 1,
       "rule 5: below this a compute kernel leaves issue slots free",
       "thesis, workloads W5 and W6: small EPC is below 1"},
      {"max_epc", "eligible warps per cycle", 4,
       "rule 5: above this a compute kernel fills the issue slots",
       "ours: one eligible warp for each of an SM's 4 schedulers"},
      {"l1_transactions", "1e9 per second", 50,
       "rules 4 and 5: more than this spoils the cache of an L1-cache kernel",
       "ours: a fifth of one transaction per cycle and SM on H200"},
      {"bandwidth_share", "of the device's peak", 1, "rule 2: DRAM traffic allowed in a set",
       "thesis, rule 2"},
      {"flops_share", "of the device's peak", 1, "rule 2: arithmetic allowed in a set",
       "thesis, rule 2"},
      {"epc_beside_memory", "0 or 1", 0,
       "1: rule 5 asks the EPC of every kernel in the set; 0: of compute kernels only",
       "1: thesis, rule 5 as written; 0: the observation it rests on, and an H200's cp + stencil"},
      {"elastic", "0 or 1", 1, "1: saturation budgets only beside others; 0: always",
       "ours; the thesis has fixed budgets"},
  };
}

std::string joinNames(const std::vector<const RunningKernel*>& kernels) {
  std::string text;
  for (const RunningKernel* running : kernels)
    text += (text.empty() ? "'" : ", '") + running->kernel->name + "'";
  return text;
}

class KScheduler final : public Policy {
public:
  const char* name() const override { return "kscheduler"; }
  bool wantsProfiles() const override { return true; }
  std::vector<Decision> decide(const PolicyState& state) const override;
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits& limits) const override;

private:
  std::vector<PolicyParameter>* mutableParameters() override { return &parameters_; }
  CoRunThresholds thresholds() const {
    return {parameters_[kBaseEpc].value,
            parameters_[kMaxEpc].value,
            parameters_[kL1Transactions].value * 1e9,
            parameters_[kBandwidthShare].value,
            parameters_[kFlopsShare].value,
            parameters_[kEpcBesideMemory].value != 0};
  }

  std::vector<Decision> place(const PolicyState& state, const WaitingKernel& waiting) const;

  std::vector<PolicyParameter> parameters_ = defaults();
};

std::string explain(const PolicyState& state, const WaitingKernel& waiting,
                    const Placement& placement) {
  std::vector<const RunningKernel*> beside;
  for (const RunningKernel& running : state.running)
    if (running.set == placement.set && running.stream != waiting.stream)
      beside.push_back(&running);
  std::string text = std::string(name(waiting.kernel->kernelClass)) + ", " +
                     (beside.empty() ? "alone" : "beside " + joinNames(beside));
  return placement.problem.empty() ? text : text + "; not earlier: " + placement.problem;
}

std::vector<Decision> KScheduler::place(const PolicyState& state,
                                        const WaitingKernel& waiting) const {
  const bool elastic = parameters_[kElastic].value != 0;
  const CoRunThresholds rules = thresholds();
  const Placement placement = findSet(
      state, waiting,
      [&](const RunningKernel& running, const PolicyKernel& kernel) {
        return pairRefusal(*running.kernel, kernel, rules, state.explain);
      },
      [&](const Demand& sum) { return resourceRefusal(sum, state.limits, rules, state.explain); });
  Decision decision = inSet(state, waiting, placement.set);
  if (state.explain)
    decision.reason = explain(state, waiting, placement);
  const auto neighbours = neighboursOf(state, decision.set, waiting.stream);
  if (waiting.kernel->takesBudget())
    decision.blocksPerSm =
        elastic && neighbours.empty() ? bestAlone(*waiting.kernel) : waiting.kernel->budget();
  if (elastic && !neighbours.empty())
    decision.blocksPerSmAlone = raisedBudget(*waiting.kernel);
  std::vector<Decision> decisions;
  if (elastic)
    makeRoom(neighbours, decisions);
  decisions.push_back(std::move(decision));
  return decisions;
}

std::vector<Decision> KScheduler::decide(const PolicyState& state) const {
  return oneByOne(state, [this](const PolicyState& seen, const WaitingKernel& waiting) {
    return place(seen, waiting);
  });
}

/// Registers, shared memory, blocks, threads, DRAM, FLOP/s, L1 transactions, EPC.
DemandPoint pointOf(const PolicyKernel& kernel) {
  Demand demand = Demand::of(kernel);
  return {double(demand.registers),       double(demand.sharedBytes),  double(demand.blocks),
          double(demand.threads),         demand.dramGbPerSecond,      demand.gflops,
          kernel.l1TransactionsPerSecond, kernel.eligibleWarpsPerCycle};
}

/// A set being filled by one scan of the sorted list.
class Scan {
public:
  Scan(const std::vector<PolicyKernel>& kernels, const DeviceLimits& limits,
       const CoRunThresholds& thresholds)
      : kernels_(kernels), limits_(limits), thresholds_(thresholds) {}

  bool admits(size_t index) const {
    Demand with = sum_;
    with.add(Demand::of(kernels_[index]));
    if (!set_.empty() && !resourceRefusal(with, limits_, thresholds_, false).empty())
      return false;
    return std::all_of(set_.begin(), set_.end(), [&](const Member& member) {
      return pairRefusal(kernels_[member.kernel], kernels_[index], thresholds_, false).empty();
    });
  }

  void add(size_t index) {
    const PolicyKernel& kernel = kernels_[index];
    uint32_t budget = kernel.takesBudget() ? kernel.budget() : 0;
    set_.push_back({.kernel = index, .blocksPerSm = budget, .lane = uint32_t(set_.size())});
    sum_.add(Demand::of(kernel));
  }

  bool empty() const { return set_.empty(); }

  /// No kernel of this class above the point in any dimension is admitted. Never narrower than
  /// the rules, which admits() then asks.
  DemandPoint bound(KernelClass kernelClass) const {
    double bandwidth = limits_.dramGbPerSecond * thresholds_.bandwidthShare;
    double flops = limits_.gflops * thresholds_.flopsShare;
    bool besideL1 = !set_.empty() && isClass(set_.front(), KernelClass::L1);
    if (set_.empty())
      return everywhere(kUnbounded);
    return {double(limits_.registersPerSm) - double(sum_.registers),
            double(limits_.sharedBytesPerSm) - double(sum_.sharedBytes),
            double(limits_.blocksPerSm) - double(sum_.blocks),
            double(limits_.threadsPerSm) - double(sum_.threads),
            bandwidth > 0 ? bandwidth - sum_.dramGbPerSecond : kUnbounded,
            flops > 0 ? flops - sum_.gflops : kUnbounded,
            besideL1 ? thresholds_.l1TransactionsPerSecond : kUnbounded,
            kernelClass == KernelClass::Compute ? epcBound() : kUnbounded};
  }
  /// A kernel alone is native: a saturation budget gives up a little for partners it has not got.
  CoRunSet take(bool elastic) {
    for (Member& member : set_) {
      if (set_.size() == 1)
        member.blocksPerSm = 0;
      else if (elastic && member.blocksPerSm)
        member.blocksPerSmAlone = kernels_[member.kernel].occupancyBlocksPerSm;
    }
    return std::move(set_);
  }

private:
  bool isClass(const Member& member, KernelClass kernelClass) const {
    return kernels_[member.kernel].kernelClass == kernelClass;
  }

  /// Rule 5 for a compute kernel.
  double epcBound() const {
    double bound = kUnbounded;
    for (const Member& member : set_) {
      double epc = kernels_[member.kernel].eligibleWarpsPerCycle;
      if (!thresholds_.epcBesideMemory && !isClass(member, KernelClass::Compute))
        continue;
      if (epc > thresholds_.baseEpc)
        bound =
            std::min(bound, epc > thresholds_.maxEpc ? thresholds_.baseEpc : thresholds_.maxEpc);
    }
    return bound;
  }

  const std::vector<PolicyKernel>& kernels_;
  const DeviceLimits& limits_;
  const CoRunThresholds& thresholds_;
  CoRunSet set_;
  Demand sum_;
};

/// By class, then longest first; the key is kept beside the index, for kernels are large.
std::vector<size_t> sorted(const std::vector<PolicyKernel>& kernels) {
  struct Key {
    int rank;
    double timeUs;
    size_t index;
  };
  std::vector<Key> keys;
  for (size_t i = 0; i < kernels.size(); ++i)
    keys.push_back({classRank(kernels[i].kernelClass), kernels[i].timeUs, i});
  std::stable_sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.timeUs > b.timeUs;
  });
  std::vector<size_t> order;
  for (const Key& key : keys)
    order.push_back(key.index);
  return order;
}

/// The kernels not yet in a set, in order, and the next that a set may take. One index a class,
/// since what a set admits depends on the class.
class Rest {
public:
  explicit Rest(const std::vector<PolicyKernel>& kernels)
      : kernels_(kernels), order_(sorted(kernels)) {
    for (size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
      std::vector<DemandPoint> points;
      for (; end < order_.size() && classAt(end) == classAt(begin); ++end)
        points.push_back(pointOf(kernels_[order_[end]]));
      parts_.push_back({classAt(begin), begin, DemandIndex(points)});
    }
  }

  bool empty() const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const Part& part) { return part.index.first() == part.index.size(); });
  }

  CoRunSet takeSet(const DeviceLimits& limits, const CoRunThresholds& thresholds, bool elastic) {
    Scan scan(kernels_, limits, thresholds);
    for (Part& part : parts_) {
      if (part.kernelClass == KernelClass::Unknown && !scan.empty())
        break; // joins nobody
      takeFrom(part, scan);
    }
    return scan.take(elastic);
  }

private:
  struct Part {
    KernelClass kernelClass;
    size_t begin; // in order_
    DemandIndex index;
  };

  void takeFrom(Part& part, Scan& scan) {
    auto next = [&](size_t from) { return part.index.next(from, scan.bound(part.kernelClass)); };
    for (size_t at = next(0); at < part.index.size(); at = next(at + 1)) {
      if (!scan.admits(order_[part.begin + at]))
        continue;
      scan.add(order_[part.begin + at]);
      part.index.remove(at);
      if (part.kernelClass != KernelClass::Compute)
        return; // at most one of the other classes is in a set
    }
  }

  KernelClass classAt(size_t at) const { return kernels_[order_[at]].kernelClass; }

  const std::vector<PolicyKernel>& kernels_;
  std::vector<size_t> order_;
  std::vector<Part> parts_;
};

std::vector<CoRunSet> KScheduler::schedule(const std::vector<PolicyKernel>& kernels,
                                           const DeviceLimits& limits) const {
  CoRunThresholds rules = thresholds();
  Rest rest(kernels);
  std::vector<CoRunSet> sets;
  while (!rest.empty())
    sets.push_back(rest.takeSet(limits, rules, parameters_[kElastic].value != 0));
  return sets;
}

} // namespace

std::unique_ptr<Policy> makeKScheduler() {
  return std::make_unique<KScheduler>();
}

} // namespace gpusched
