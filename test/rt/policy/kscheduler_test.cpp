// kscheduler_test - rules 1 to 5 one by one, then sets offline and online.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device is the thesis' test bed: Titan Xp, 30 SMs, 64 warps and 32 blocks per SM, 96 KiB
// of shared memory, 547.6 GB/s, 12,150 GFLOP/s.
#include "rt/policy/CoRunRules.h"
#include "rt/policy/DemandIndex.h"
#include "test/Check.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

using namespace gpusched;

static const DeviceLimits kTitanXp = {30, 65536, 98304, 32, 2048, 547.6, 12150};

static PolicyKernel kernel(const char* name, KernelClass kernelClass, double epc = 0.5) {
  PolicyKernel made;
  made.name = name;
  made.kernelClass = kernelClass;
  made.eligibleWarpsPerCycle = epc;
  made.hasPersistent = made.profiled = true;
  made.threadsPerBlock = 128;
  made.registersPerBlock = 4096;
  made.occupancyBlocksPerSm = 16;
  made.saturationBlocksPerSm = 4;
  made.timeUs = 100;
  return made;
}

static std::unique_ptr<Policy> policy() {
  return std::move(*makePolicy("kscheduler"));
}

static std::string sets(const std::vector<PolicyKernel>& kernels) {
  std::string text;
  for (const CoRunSet& set : policy()->schedule(kernels, kTitanXp)) {
    text += text.empty() ? "" : " | ";
    for (size_t i = 0; i < set.size(); ++i)
      text.append(i ? "+" : "").append(kernels[set[i].kernel].name);
  }
  return text;
}

static void ruleOneEveryResource() {
  PolicyKernel a = kernel("a", KernelClass::Compute), b = kernel("b", KernelClass::Compute);
  CHECK_EQUAL(sets({a, b}), "a+b");
  PolicyKernel big = b;
  big.registersPerBlock = 12289; // 4 blocks of it and 4 of a: 4 registers too many
  CHECK_EQUAL(sets({a, big}), "a | b");
  big.registersPerBlock = 12288; // exactly full
  CHECK_EQUAL(sets({a, big}), "a+b");
  big = b;
  big.sharedBytesPerBlock = 98304 / 4 + 1;
  CHECK_EQUAL(sets({a, big}), "a | b");
  big = b;
  big.registersPerBlock = 64, big.threadsPerBlock = 32;
  big.occupancyBlocksPerSm = big.saturationBlocksPerSm = 29; // 29 + 4 blocks
  CHECK_EQUAL(sets({a, big}), "a | b");
  big.saturationBlocksPerSm = 28;
  CHECK_EQUAL(sets({a, big}), "a+b");
  big.threadsPerBlock = 64; // 28 * 64 + 4 * 128 threads
  CHECK_EQUAL(sets({a, big}), "a | b");
}

static void ruleTwoRates() {
  // The thesis: of BlackScholes (266 GB/s), two instances fit, a third does not.
  PolicyKernel bs = kernel("bs", KernelClass::Compute);
  bs.dramGbPerSecond = 266;
  CHECK_EQUAL(sets({bs, bs, bs}), "bs+bs | bs");
  PolicyKernel flops = kernel("f", KernelClass::Compute);
  flops.gflops = 6075;
  CHECK_EQUAL(sets({flops, flops}), "f | f"); // the sum must stay below
  flops.gflops = 6074;
  CHECK_EQUAL(sets({flops, flops}), "f+f");
}

static void ruleThreeL1() {
  PolicyKernel lbm = kernel("lbm", KernelClass::L1), conv = kernel("conv", KernelClass::L1);
  CHECK_EQUAL(sets({lbm, conv}), "lbm | conv");
}

static void ruleFourMemory() {
  PolicyKernel l1 = kernel("l", KernelClass::L1), memory = kernel("m", KernelClass::Memory);
  CHECK_EQUAL(sets({memory, memory}), "m | m");
  CHECK_EQUAL(sets({memory, l1}), "l+m");
  memory.l1TransactionsPerSecond = 51e9;
  CHECK_EQUAL(sets({memory, l1}), "l | m");
}

static void ruleFiveCompute() {
  PolicyKernel low = kernel("low", KernelClass::Compute, 0.5);
  PolicyKernel middle = kernel("mid", KernelClass::Compute, 2);
  PolicyKernel high = kernel("high", KernelClass::Compute, 5);
  CHECK_EQUAL(sets({low, high}), "low+high");
  CHECK_EQUAL(sets({middle, middle}), "mid+mid");
  CHECK_EQUAL(sets({middle, high}), "mid | high");
  CHECK_EQUAL(sets({high, middle}), "high | mid");
  PolicyKernel l1 = kernel("l", KernelClass::L1);
  low.l1TransactionsPerSecond = 51e9;
  CHECK_EQUAL(sets({low, l1}), "l | low");
  PolicyKernel eagerMemory = kernel("m", KernelClass::Memory, 5);
  CHECK_EQUAL(sets({eagerMemory, middle}), "m+mid"); // rule 5 asks compute kernels
}

static void sortedByClassThenLongestFirst() {
  PolicyKernel c1 = kernel("c1", KernelClass::Compute), c2 = kernel("c2", KernelClass::Compute);
  PolicyKernel m1 = kernel("m1", KernelClass::Memory), m2 = kernel("m2", KernelClass::Memory);
  PolicyKernel l = kernel("l", KernelClass::L1);
  c2.timeUs = 500, m2.timeUs = 300;
  CHECK_EQUAL(sets({c1, m1, c2, m2, l}), "l+m2+c2+c1 | m1");
  CHECK_EQUAL(sets({m1, m2, m1}), "m2 | m1 | m1"); // W2, memory only: serial by design
}

static void unknownRunsAlone() {
  PolicyKernel unknown = kernel("u", KernelClass::Unknown), c = kernel("c", KernelClass::Compute);
  CHECK_EQUAL(sets({unknown, c}), "c | u");
}

/// Feeds launches one by one; everything keeps running.
struct Arrivals {
  PolicyState state;
  std::unique_ptr<Policy> decider = policy();
  Arrivals() { state.limits = kTitanXp; }

  Decision arrive(const PolicyKernel& kernel, uint64_t stream) {
    uint64_t sequence = state.running.size() + 1;
    state.waiting.assign(1, {sequence, stream, &kernel});
    const std::vector<Decision> decisions = decider->decide(state);
    for (const Decision& decision : decisions)
      if (decision.action == Action::SetBudget)
        state.running.at(decision.sequence - 1).blocksPerSm = decision.blocksPerSm;
    const Decision& made = decisions.back();
    state.running.push_back({sequence, sequence, stream, made.set, made.blocksPerSm, &kernel});
    return made;
  }
};

static std::string waitsFor(const Decision& decision) {
  std::string text;
  for (uint64_t sequence : decision.after)
    text += (text.empty() ? "" : " ") + std::to_string(sequence);
  return text;
}

static void onlineJoinsOrWaits() {
  PolicyKernel memory = kernel("m", KernelClass::Memory),
               compute = kernel("c", KernelClass::Compute);
  Arrivals arrivals;
  Decision first = arrivals.arrive(memory, 1);
  CHECK(first.action == Action::Start);
  CHECK_EQUAL(arrivals.arrive(compute, 2).set, first.set);
  Decision second = arrivals.arrive(memory, 3);
  CHECK(second.action == Action::Wait);
  CHECK_EQUAL(waitsFor(second), "1 2");
  CHECK(second.reason.find("rule 4") != std::string::npos);
  CHECK(second.set != first.set);
}

/// Beside nobody a kernel has what makes it fastest; saturation points are for company.
static void onlineBudgetsAreForCompany() {
  PolicyKernel memory = kernel("m", KernelClass::Memory),
               compute = kernel("c", KernelClass::Compute);
  Arrivals arrivals;
  CHECK_EQUAL(arrivals.arrive(memory, 1).blocksPerSm, 16u);
  CHECK_EQUAL(arrivals.arrive(memory, 1).blocksPerSm, 16u); // runs after it
  CHECK_EQUAL(arrivals.arrive(memory, 2).blocksPerSm, 16u); // waits for it
  CHECK_EQUAL(arrivals.state.running.at(0).blocksPerSm, 16u);
  const Decision company = arrivals.arrive(compute, 3);
  CHECK_EQUAL(company.blocksPerSm, 4u);
  CHECK_EQUAL(company.blocksPerSmAlone, 0u);
  for (size_t other = 0; other < 3; ++other) // it may meet all of them
    CHECK_EQUAL(arrivals.state.running.at(other).blocksPerSm, 4u);
  compute.timeUs = 5000; // worth a raise
  CHECK_EQUAL(arrivals.arrive(compute, 4).blocksPerSmAlone, 16u);

  memory.budgetCurve = {0.5, 0.9, 1, 0.8};
  CHECK_EQUAL(Arrivals().arrive(memory, 1).blocksPerSm, 3u);
  Arrivals fixed;
  CHECK(fixed.decider->configure("elastic=0").ok());
  CHECK_EQUAL(fixed.arrive(memory, 1).blocksPerSm, 4u);
}

/// Launches that wait together are decided as if they had come one after the other.
static void severalThatWaitComeInTurn() {
  PolicyKernel memory = kernel("m", KernelClass::Memory),
               compute = kernel("c", KernelClass::Compute);
  PolicyState together;
  together.limits = kTitanXp;
  for (const PolicyKernel* waiting : {&memory, &memory, &compute, &compute})
    together.waiting.push_back(
        {together.waiting.size() + 1, waiting == &memory ? 1ull : 2ull, waiting});
  const std::vector<Decision> made = policy()->decide(together);
  // The queue of the first stream is one entry and is lowered once, by its last launch.
  std::string text;
  for (const Decision& decision : made)
    text.append(decision.action == Action::SetBudget ? "lower " : "start ") +=
        std::to_string(decision.sequence) + " to " + std::to_string(decision.blocksPerSm) + "; ";
  CHECK_EQUAL(text, "start 1 to 16; start 2 to 16; lower 2 to 4; start 3 to 4; start 4 to 4; ");
}

static void onlineLateMemberMustSuitLaterSets() {
  PolicyKernel memory = kernel("m", KernelClass::Memory);
  PolicyKernel low = kernel("low", KernelClass::Compute, 0.5);
  PolicyKernel middle = kernel("mid", KernelClass::Compute, 2);
  PolicyKernel high = kernel("high", KernelClass::Compute, 5);
  Arrivals arrivals;
  uint64_t firstSet = arrivals.arrive(high, 1).set;
  uint64_t secondSet = arrivals.arrive(middle, 2).set; // rule 5: not beside high
  CHECK(secondSet != firstSet);
  CHECK_EQUAL(arrivals.arrive(low, 3).set, firstSet); // suits both
  CHECK_EQUAL(arrivals.arrive(memory, 4).set, firstSet);
  // Suits the first set's kernels no better than middle does: behind everything.
  CHECK_EQUAL(waitsFor(arrivals.arrive(high, 5)), "1 2 3 4");
}

static void onlineStreamsAreLanes() {
  PolicyKernel memory = kernel("m", KernelClass::Memory),
               compute = kernel("c", KernelClass::Compute);
  Arrivals arrivals;
  uint64_t set = arrivals.arrive(memory, 1).set;
  // The same stream: over before it starts, so no rule is in the way and nothing to wait for.
  Decision next = arrivals.arrive(memory, 1);
  CHECK_EQUAL(next.set, set);
  CHECK(next.action == Action::Start);
  // A lane counts its largest kernel once: 2 x 4 x 4096 registers stay far below 65536.
  for (int i = 0; i < 20; ++i)
    CHECK_EQUAL(arrivals.arrive(compute, 2).set, set);
  CHECK_EQUAL(arrivals.arrive(compute, 3).set, set);
}

static void onlineStreamNeverGoesBack() {
  PolicyKernel memory = kernel("m", KernelClass::Memory),
               compute = kernel("c", KernelClass::Compute);
  Arrivals arrivals;
  uint64_t first = arrivals.arrive(memory, 1).set;
  uint64_t second = arrivals.arrive(memory, 2).set;
  CHECK(second > first);
  CHECK_EQUAL(arrivals.arrive(compute, 2).set, second);
}

static void thresholdsAreParameters() {
  std::unique_ptr<Policy> decider = policy();
  std::vector<PolicyKernel> kernels = {kernel("mid", KernelClass::Compute, 2),
                                       kernel("high", KernelClass::Compute, 5)};
  CHECK_EQUAL(decider->schedule(kernels, kTitanXp).size(), 2u);
  CHECK(decider->configure("base_epc=2.5,max_epc=6").ok());
  CHECK_EQUAL(decider->schedule(kernels, kTitanXp).size(), 1u);
  std::unique_ptr<Policy> asWritten = policy();
  CHECK(asWritten->configure("epc_beside_memory=1").ok());
  std::vector<PolicyKernel> mixed = {kernel("m", KernelClass::Memory, 5),
                                     kernel("mid", KernelClass::Compute, 2)};
  CHECK_EQUAL(asWritten->schedule(mixed, kTitanXp).size(), 2u);
  CHECK_EQUAL(policy()->schedule(mixed, kTitanXp).size(), 1u);
  CHECK_EQUAL(policy()->schedule(kernels, kTitanXp).size(), 2u); // both compute
  CHECK(decider->configure("nonsense=1").message().find("base_epc") != std::string::npos);
  CHECK(!decider->configure("base_epc=x").ok());
}

/// The scan of the thesis, word by word: n^2.
static std::vector<std::vector<size_t>> plainScan(const std::vector<PolicyKernel>& kernels,
                                                  const CoRunThresholds& thresholds) {
  std::vector<size_t> rest(kernels.size());
  std::iota(rest.begin(), rest.end(), size_t(0));
  std::stable_sort(rest.begin(), rest.end(), [&](size_t a, size_t b) {
    int rankA = classRank(kernels[a].kernelClass), rankB = classRank(kernels[b].kernelClass);
    return rankA != rankB ? rankA < rankB : kernels[a].timeUs > kernels[b].timeUs;
  });
  std::vector<std::vector<size_t>> sets;
  while (!rest.empty()) {
    std::vector<size_t>& set = sets.emplace_back();
    Demand sum;
    std::erase_if(rest, [&](size_t index) {
      Demand with = sum;
      with.add(Demand::of(kernels[index]));
      bool admitted = set.empty() || resourceRefusal(with, kTitanXp, thresholds, false).empty();
      for (size_t member : set)
        admitted =
            admitted && pairRefusal(kernels[member], kernels[index], thresholds, false).empty();
      if (admitted)
        sum = with, set.push_back(index);
      return admitted;
    });
  }
  return sets;
}

/// The index finds what the scan finds, on mixes where every rule is at work.
static void fastScanIsThePlainScan() {
  std::mt19937 random(7);
  auto below = [&](uint32_t limit) { return random() % limit; };
  for (int round = 0; round < 52; ++round) {
    bool besideMemory = round % 2 == 0;
    std::vector<PolicyKernel> kernels;
    for (uint32_t i = 0; i < (round < 50 ? 60u : 1500u); ++i) {
      PolicyKernel made = kernel("k", KernelClass(below(4)), below(80) / 10.0);
      made.saturationBlocksPerSm = 1 + below(8);
      made.registersPerBlock = 64 * below(100);
      made.sharedBytesPerBlock = 128 * below(60);
      made.threadsPerBlock = 32 * (1 + below(8));
      made.dramGbPerSecond = below(400), made.gflops = below(9000);
      made.l1TransactionsPerSecond = below(100) * 1e9;
      made.timeUs = below(5);
      kernels.push_back(made);
    }
    std::unique_ptr<Policy> decider = policy();
    CHECK(decider->configure(besideMemory ? "epc_beside_memory=1" : "").ok());
    std::vector<std::vector<size_t>> fast;
    for (const CoRunSet& set : decider->schedule(kernels, kTitanXp)) {
      fast.emplace_back();
      for (const Member& member : set)
        fast.back().push_back(member.kernel);
    }
    CHECK(fast == plainScan(kernels, {1, 4, 50e9, 1, 1, besideMemory}));
  }
}

/// The index against a plain search, with few and with many different demands.
static void indexFindsTheFirstThatFits() {
  std::mt19937 random(3);
  for (size_t kinds : {1, 20, 3000}) {
    std::vector<DemandPoint> points(3000);
    for (size_t i = 0; i < points.size(); ++i)
      for (size_t d = 0; d < kDemandDimensions; ++d)
        points[i][d] = i < kinds ? double(random() % 1000) : points[i % kinds][d];
    DemandIndex index(points);
    std::vector<bool> left(points.size(), true);
    for (int round = 0; round < 2000; ++round) {
      size_t from = random() % points.size();
      DemandPoint bound = everywhere(double(random() % 1000));
      bound[random() % kDemandDimensions] = kUnbounded;
      size_t expected = points.size();
      for (size_t i = points.size(); i > from; --i) {
        bool fits = left[i - 1];
        for (size_t d = 0; d < kDemandDimensions; ++d)
          fits = fits && points[i - 1][d] <= bound[d];
        expected = fits ? i - 1 : expected;
      }
      CHECK_EQUAL(index.next(from, bound), expected);
      size_t removed = random() % points.size();
      left[removed] = false;
      index.remove(removed);
      CHECK_EQUAL(index.first(), size_t(std::find(left.begin(), left.end(), true) - left.begin()));
    }
  }
}

int main() {
  indexFindsTheFirstThatFits();
  fastScanIsThePlainScan();
  ruleOneEveryResource();
  ruleTwoRates();
  ruleThreeL1();
  ruleFourMemory();
  ruleFiveCompute();
  sortedByClassThenLongestFirst();
  unknownRunsAlone();
  onlineJoinsOrWaits();
  onlineBudgetsAreForCompany();
  severalThatWaitComeInTurn();
  onlineLateMemberMustSuitLaterSets();
  onlineStreamsAreLanes();
  onlineStreamNeverGoesBack();
  thresholdsAreParameters();
  return checkResult();
}
