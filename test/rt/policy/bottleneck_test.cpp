// bottleneck_test - policy `bottleneck` and its predictor.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are given by what limits them: a memory kernel fills DRAM at half of its blocks, a
// compute kernel the issue slots at all of them, a latency-bound one nothing.
#include "rt/policy/PredictionMemo.h"
#include "rt/policy/Predictor.h"
#include "rt/policy/SmDivision.h"
#include "test/Check.h"
#include "test/rt/CurvedKernel.h"

#include <algorithm>
#include <functional>
#include <set>

using namespace gpusched;

static const PolicyKernel kMemory = curvedKernel("memory", kDramBandwidth, 0.98, 8);
static const PolicyKernel kCompute = curvedKernel("compute", kIssueSlots, 0.95, 10);
static const PolicyKernel kDoubles = curvedKernel("doubles", kFp64Pipe, 0.98, 2);

static void aloneTheCurveComesOut() {
  for (uint32_t blocks = 1; blocks <= 16; ++blocks) {
    Prediction alone = predict({&kMemory}, {blocks}, kTitanXp);
    CHECK_NEAR(alone.gain, kMemory.budgetCurve[blocks - 1], 0.02);
  }
}

static void differentBottlenecksGainEqualOnesDoNot() {
  Prediction mixed, same;
  CHECK(!bestBudgets({&kMemory, &kDoubles}, kTitanXp, {}, {2}, mixed).empty());
  bestBudgets({&kMemory, &kMemory}, kTitanXp, {}, {}, same);
  CHECK(mixed.gain > 1.7);
  CHECK(same.gain < 1.05);
  CHECK(same.gain > 0.9);
}

static void budgetsFitAndFixedOnesStay() {
  Prediction prediction;
  Budgets budgets = bestBudgets({&kMemory, &kCompute}, kTitanXp, {}, {2}, prediction);
  CHECK(fitsTogether({&kMemory, &kCompute}, budgets, kTitanXp));
  budgets = bestBudgets({&kMemory, &kCompute}, kTitanXp, {5, 0}, {2}, prediction);
  CHECK_EQUAL(budgets[0], 5u);
}

static void sharedCachesAndRowsCost() {
  DeviceLimits limits = kTitanXp;
  limits.l1BytesPerSm = 49152;
  PolicyKernel cached = curvedKernel("cached", kL2Bandwidth, 0.5, 4);
  cached.stallMemory = 70;
  cached.l1Hits = 0.6, cached.l1BytesPerWarp = 500;
  PolicyKernel streaming = curvedKernel("streaming", kFp64Pipe, 0.5, 4), hungry = streaming;
  hungry.l1Hits = 0.6, hungry.l1BytesPerWarp = 4000;
  double kept = predict({&cached, &streaming}, {8, 8}, limits).progress[0];
  CHECK(predict({&cached, &hungry}, {8, 8}, limits).progress[0] < 0.9 * kept);
  CHECK_NEAR(predict({&cached, &hungry}, {8, 8}, kTitanXp).progress[0], kept, 0.05);
  // Two equal streams that fill DRAM lose 14 % of it to each other's rows.
  Prediction rows = predict({&kMemory, &kMemory}, {8, 8}, limits);
  CHECK_NEAR(rows.gain, 1 / 1.14, 0.03);
}

/// A short kernel slows a long one for a part of its time only.
static void onceIsFromTheStartToTheEnd() {
  PolicyKernel brief = kDoubles, other = curvedKernel("other", kFp64Pipe, 0.98, 2);
  brief.timeUs = 100;
  Goal once{10, true};
  Prediction whole = predict({&brief, &other}, {8, 8}, kTitanXp, once);
  Prediction forEver = predict({&brief, &other}, {8, 8}, kTitanXp);
  CHECK_NEAR(forEver.slowdown, 2, 0.1);
  CHECK_NEAR(whole.timeUs, 1100, 30);                // both need all of one pipe
  CHECK_NEAR(whole.slowdown, forEver.slowdown, 0.1); // the brief one's
  CHECK_NEAR(whole.gain, 1, 0.03);
}

static void withoutAProfileNothingIsPredicted() {
  PolicyKernel unknown;
  unknown.occupancyBlocksPerSm = 8;
  CHECK_EQUAL(predict({&unknown, &kMemory}, {4, 4}, kTitanXp).gain, 0.0);
}

static std::string sets(const std::vector<PolicyKernel>& kernels) {
  std::string text;
  std::set<size_t> seen;
  for (const CoRunSet& set : std::move(*makePolicy("bottleneck"))->schedule(kernels, kTitanXp)) {
    text += text.empty() ? "" : " | ";
    for (size_t i = 0; i < set.size(); ++i) {
      text.append(i ? "+" : "").append(kernels[set[i].kernel].name);
      seen.insert(set[i].kernel);
    }
  }
  CHECK_EQUAL(seen.size(), kernels.size());
  return text;
}

static void plans() {
  CHECK_EQUAL(sets({}), "");
  CHECK_EQUAL(sets({kMemory, kMemory}), "memory | memory");
  CHECK_EQUAL(sets({kMemory, kDoubles}), "doubles+memory"); // the longer first
  PolicyKernel small = kDoubles;
  small.name = "d";
  small.timeUs = 250; // four of them last as long as the memory kernel
  CHECK_EQUAL(sets({small, kMemory, small, small, small}), "memory+d+d+d+d");
}

/// The pair with the largest gain is not always in the shortest division.
static void listsAreDividedAsAWhole() {
  PolicyKernel a = curvedKernel("a", kDramBandwidth, 0.98, 8),
               b = curvedKernel("b", kFp64Pipe, 0.98, 2);
  PolicyKernel c = curvedKernel("c", kDramBandwidth, 0.9, 8),
               d = curvedKernel("d", kFp64Pipe, 0.9, 2);
  std::string planned = sets({a, b, c, d});
  CHECK_EQUAL(std::count(planned.begin(), planned.end(), '|'), 1);
  for (const char* twoOfOneKind : {"a+c", "c+a", "b+d", "d+b"})
    CHECK(planned.find(twoOfOneKind) == std::string::npos);
  PolicyKernel mixed = curvedKernel("mixed", kDramBandwidth, 0.5, 4), light = kDoubles;
  mixed.utilisation[kFp64Pipe] = 0.5;
  light.name = "light", light.utilisation[kFp64Pipe] = 0.4;
  planned = sets({a, mixed, light, b}); // a gains beside each, most beside b; mixed beside light
  CHECK(planned.find("a+b") != std::string::npos || planned.find("b+a") != std::string::npos);
  std::vector<PolicyKernel> many; // a list too long for trying every division
  for (int i = 0; i < 10; ++i)
    many.insert(many.end(), {a, b});
  planned = sets(many);
  CHECK_EQUAL(std::count(planned.begin(), planned.end(), '+'), 10);
}

static void online() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("bottleneck"));
  PolicyState state;
  state.limits = kTitanXp;
  state.waiting = {{1, 1, &kMemory}, {2, 2, &kDoubles}, {3, 3, &kMemory}};
  std::vector<Decision> made = policy->decide(state);
  std::vector<Decision> starts;
  for (const Decision& decision : made)
    if (decision.action != Action::SetBudget)
      starts.push_back(decision);
  CHECK_EQUAL(starts.size(), 3u);
  CHECK_EQUAL(starts[1].set, starts[0].set);
  CHECK(starts[1].reason.find("beside 'memory'") != std::string::npos);
  CHECK(starts[2].action == Action::Wait);
  CHECK_EQUAL(starts[2].after.size(), 2u);
}

/// Who joins with fewer blocks gets the others once alone, if it lasts longer than a raise is
/// worth.
static void theNewcomerIsRaised() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("bottleneck"));
  PolicyKernel brief = kDoubles;
  brief.timeUs = 100;
  PolicyState state;
  state.limits = kTitanXp;
  state.running = {{1, 1, 1, 1, 16, &kMemory}};
  for (const PolicyKernel* newcomer : {&kDoubles, static_cast<const PolicyKernel*>(&brief)}) {
    state.waiting = {{2, 2, newcomer}};
    const Decision made = policy->decide(state).back();
    CHECK_EQUAL(made.set, 1u);
    CHECK(made.blocksPerSm < 16);
    CHECK_EQUAL(made.blocksPerSmAlone, newcomer == &kDoubles ? bestAlone(kDoubles) : 0u);
  }
  state.running.clear(); // who is alone has them already
  CHECK_EQUAL(policy->decide(state).back().blocksPerSmAlone, 0u);
}

/// The state in which `newcomer` arrives in stream 2 while all of `running` are queued in stream 1.
static PolicyState queueOf(const std::vector<const PolicyKernel*>& running,
                           const PolicyKernel& newcomer, uint32_t blocksPerSm = 16) {
  PolicyState state;
  state.limits = kTitanXp;
  for (const PolicyKernel* kernel : running) {
    const uint64_t sequence = state.running.size() + 1;
    state.running.push_back({sequence, sequence, 1, 1, blocksPerSm, kernel});
  }
  state.waiting = {{running.size() + 1, 2, &newcomer}};
  return state;
}

/// Kernels of one stream run in turn, however many: each makes room, and each must bear it.
static void aStreamOfSeveralKernels() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("bottleneck"));
  PolicyKernel brief = kMemory, other = kMemory;
  brief.timeUs = 100, other.timeUs = 200;
  std::vector<Decision> made =
      policy->decide(queueOf({&brief, &kMemory, &other, &brief}, kDoubles));
  CHECK_EQUAL(made.size(), 5u);
  CHECK_EQUAL(made.back().set, 1u);
  CHECK(made.back().action == Action::Start);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(made[i].action == Action::SetBudget);
    CHECK(made[i].blocksPerSm >= 8 && made[i].blocksPerSm < 16);
  }
  // The longest stands for all where the newcomer's budget is chosen, wherever it is in the queue.
  PolicyKernel small = curvedKernel("small", kIssueSlots, 0.5, 4);
  small.timeUs = 100;
  auto budget = [&](const std::vector<const PolicyKernel*>& running) {
    return policy->decide(queueOf(running, kCompute)).back().blocksPerSm;
  };
  CHECK(policy->configure("max_slowdown=3").ok());
  CHECK(budget({&small}) != budget({&kDoubles}));
  CHECK_EQUAL(budget({&small, &kDoubles}), budget({&kDoubles}));
  CHECK_EQUAL(budget({&kDoubles, &small}), budget({&kDoubles}));
  CHECK(policy->configure("max_slowdown=1.3").ok());
  // One that needs the newcomer's own pipe keeps it away from all of them.
  PolicyKernel doubles = kDoubles;
  doubles.timeUs = 100;
  made = policy->decide(queueOf({&kMemory, &doubles}, kDoubles));
  CHECK_EQUAL(made.size(), 1u);
  CHECK(made[0].action == Action::Wait);
  CHECK_EQUAL(made[0].after.size(), 2u);
}

/// Behind launches of several sets: the lowest set that admits it, and saturation points for all
/// who may meet, for what they were lowered to might as well be what they run with alone.
static void inAQueueSaturationPointsAreUsed() {
  PolicyKernel memory = kMemory, doubles = kDoubles;
  memory.saturationBlocksPerSm = 7, doubles.saturationBlocksPerSm = 2;
  std::unique_ptr<Policy> policy = std::move(*makePolicy("bottleneck"));
  PolicyState state;
  state.limits = kTitanXp;
  state.running = {{1, 1, 1, 1, 16, &memory}, {2, 2, 2, 2, 16, &memory}};
  state.waiting = {{3, 3, &doubles}};
  const std::vector<Decision> made = policy->decide(state);
  CHECK_EQUAL(made.size(), 3u);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(made[i].action == Action::SetBudget);
    CHECK_EQUAL(made[i].blocksPerSm, 7u);
  }
  CHECK(made[2].action == Action::Start);
  CHECK_EQUAL(made[2].set, 1u);
  CHECK_EQUAL(made[2].blocksPerSm, 2u);
  memory.saturationBlocksPerSm = 8; // all three no longer fit: behind the first
  CHECK_EQUAL(policy->decide(state).back().set, 2u);
  state.waiting = {{3, 3, &memory}};
  const Decision behind = policy->decide(state).at(0);
  CHECK(behind.action == Action::Wait);
  CHECK_EQUAL(behind.after.size(), 2u);
  CHECK_EQUAL(behind.blocksPerSm, bestAlone(memory)); // nobody to meet
  CHECK(behind.reason.find("not earlier: 'memory', predicted gain") != std::string::npos);
  state.waiting = {{3, 2, &doubles}}; // a stream never goes back to a lower set
  const Decision next = policy->decide(state).back();
  CHECK_EQUAL(next.set, 2u);
  CHECK_EQUAL(next.after.size(), 1u);
}

/// What was launched natively has all blocks that fit, whatever a budget would do.
static void aNativeLaunchMakesNoRoom() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("bottleneck"));
  CHECK(policy->decide(queueOf({&kMemory}, kDoubles, 0)).back().action == Action::Wait);
  PolicyKernel half = kMemory; // leaves half of an SM
  half.occupancyBlocksPerSm = 8, half.registersPerBlock = 4096;
  half.budgetCurve.resize(8);
  const std::vector<Decision> made = policy->decide(queueOf({&half}, kDoubles, 0));
  CHECK_EQUAL(made.size(), 1u);
  CHECK(made[0].action == Action::Start);
  CHECK(made[0].blocksPerSm <= 8);
}

/// The same answers as without, from one question a pair and set of budgets, also when it is full.
static void whatWasPredictedIsRemembered() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("bottleneck"));
  PredictionMemo memo;
  std::vector<PolicyKernel> others;
  for (int i = 0; i < 40; ++i)
    others.push_back(
        curvedKernel("other", Resource(i % int(kResources)), 0.5 + 0.01 * i, 1 + i % 16));
  for (int round = 0; round < 2; ++round)
    for (const PolicyKernel& other : others) {
      PolicyState state = queueOf({&kMemory}, other);
      const std::vector<Decision> plain = policy->decide(state);
      state.memo = &memo;
      const std::vector<Decision> remembered = policy->decide(state);
      CHECK_EQUAL(remembered.size(), plain.size());
      for (size_t i = 0; i < plain.size(); ++i) {
        CHECK_EQUAL(remembered[i].blocksPerSm, plain[i].blocksPerSm);
        CHECK_EQUAL(remembered[i].reason, plain[i].reason);
      }
    }
  CHECK_EQUAL(memo.size(), others.size());
  PolicyKernel changed = kDoubles;
  const KernelList pair = {&kMemory, &changed};
  for (size_t i = 0; i < PredictionMemo::kMost + 10; ++i) {
    changed.timeUs = 1000 + double(i); // another profile, another question
    (void)memo.bestBudgets(pair, kTitanXp, {1, 1}, {});
  }
  CHECK(memo.size() <= PredictionMemo::kMost);
  const size_t known = memo.size();
  (void)memo.bestBudgets(pair, kTitanXp, {1, 1}, {});
  CHECK_EQUAL(memo.size(), known);
  (void)memo.bestBudgets(pair, kTitanXp, {1, 2}, {});
  (void)memo.bestBudgets(pair, kTitanXp, {1, 1}, {2});
  CHECK_EQUAL(memo.size(), known + 2);
}

/// Whatever the predictor reads makes another question.
static void everyFieldIsPartOfTheQuestion() {
  PredictionMemo memo;
  auto ask = [&](const std::function<void(PolicyKernel&)>& change) {
    PolicyKernel changed = kDoubles;
    change(changed);
    const size_t before = memo.size();
    (void)memo.bestBudgets({&kMemory, &changed}, kTitanXp, {1, 1}, {});
    return memo.size() - before;
  };
  CHECK_EQUAL(ask([](PolicyKernel&) {}), 1u);
  CHECK_EQUAL(ask([](PolicyKernel&) {}), 0u);
  CHECK_EQUAL(ask([](PolicyKernel& kernel) { kernel.name = "another"; }), 0u);
  const std::function<void(PolicyKernel&)> kChanges[] = {
      [](PolicyKernel& kernel) { kernel.hasPersistent = false; },
      [](PolicyKernel& kernel) { kernel.profiled = false; },
      [](PolicyKernel& kernel) { kernel.threadsPerBlock += 1; },
      [](PolicyKernel& kernel) { kernel.registersPerBlock += 1; },
      [](PolicyKernel& kernel) { kernel.sharedBytesPerBlock += 1; },
      [](PolicyKernel& kernel) { kernel.occupancyBlocksPerSm += 1; },
      [](PolicyKernel& kernel) { kernel.saturationBlocksPerSm += 1; },
      [](PolicyKernel& kernel) { kernel.blocks += 1; },
      [](PolicyKernel& kernel) { kernel.timeUs += 1; },
      [](PolicyKernel& kernel) { kernel.persistentTimeUs += 1; },
      [](PolicyKernel& kernel) { kernel.stallMemory += 1; },
      [](PolicyKernel& kernel) { kernel.l1Hits += 0.1; },
      [](PolicyKernel& kernel) { kernel.l1BytesPerWarp += 1; },
      [](PolicyKernel& kernel) { kernel.l2Hits += 0.1; },
      [](PolicyKernel& kernel) { kernel.l2BytesPerWarp += 1; },
      [](PolicyKernel& kernel) { kernel.utilisation[kL2Bandwidth] += 0.1; },
      [](PolicyKernel& kernel) { kernel.budgetCurve[3] -= 0.1; },
      [](PolicyKernel& kernel) { kernel.budgetCurve.pop_back(); }};
  for (const auto& change : kChanges)
    CHECK_EQUAL(ask(change), 1u);
  DeviceLimits other = kTitanXp;
  const size_t before = memo.size();
  for (auto change : {+[](DeviceLimits& limits) { limits.sms += 1; },
                      +[](DeviceLimits& limits) { limits.registersPerSm += 1; },
                      +[](DeviceLimits& limits) { limits.sharedBytesPerSm += 1; },
                      +[](DeviceLimits& limits) { limits.blocksPerSm += 1; },
                      +[](DeviceLimits& limits) { limits.threadsPerSm += 1; },
                      +[](DeviceLimits& limits) { limits.l1BytesPerSm += 1; },
                      +[](DeviceLimits& limits) { limits.l2Bytes += 1; }}) {
    other = kTitanXp;
    change(other);
    (void)memo.bestBudgets({&kMemory, &kDoubles}, other, {1, 1}, {});
  }
  CHECK_EQUAL(memo.size(), before + 7);
}

/// A twin that was measured to be slower than its kernel counts for less, and is not used alone.
static void whatATwinCostsCounts() {
  PolicyKernel dear = kMemory;
  dear.persistentTimeUs = 1.4 * dear.timeUs;
  CHECK_EQUAL(budgetAlone(dear), 0u);
  CHECK_EQUAL(twinsBudgetAlone(dear), bestAlone(dear));
  CHECK_NEAR(bestAloneUs(dear), dear.timeUs, 1e-9);
  CHECK_NEAR(predict({&dear}, {16}, kTitanXp).progress[0], 1 / 1.4, 0.01);
  const double cheap = predict({&kMemory, &kDoubles}, {12, 4}, kTitanXp).gain;
  CHECK(predict({&dear, &kDoubles}, {12, 4}, kTitanXp).gain < cheap - 0.2);
  dear.persistentTimeUs = 1.08 * dear.timeUs; // cheap enough to be ready for company
  CHECK_EQUAL(budgetAlone(dear), bestAlone(dear));
  dear.persistentTimeUs = 0.7 * dear.timeUs; // and one that is faster, for more
  CHECK_EQUAL(budgetAlone(dear), bestAlone(dear));
  CHECK_NEAR(bestAloneUs(dear), 0.7 * dear.timeUs, 1e-6);
  CHECK_EQUAL(std::move(*makePolicy("bottleneck"))->decide(queueOf({}, dear)).at(0).blocksPerSm,
              bestAlone(dear));
  dear.persistentTimeUs = 1.4 * dear.timeUs;
  CHECK_EQUAL(std::move(*makePolicy("bottleneck"))->decide(queueOf({}, dear)).at(0).blocksPerSm,
              0u);
}

/// A grid of 10 blocks, each with so many bytes of shared memory, on 30 SMs.
static PolicyKernel smallGrid(uint64_t sharedBytes) {
  PolicyKernel made = curvedKernel("small", kFp64Pipe, 0.98, 1);
  made.blocks = 10;
  made.sharedBytesPerBlock = sharedBytes;
  return made;
}

/// Nothing fits beside a block: the other has the SMs that are left, then all of them.
static void aSmallGridLeavesItsSms() {
  const PolicyKernel small = smallGrid(90'000);
  PolicyKernel other = kDoubles; // the same pipe
  other.sharedBytesPerBlock = 30'000;
  std::optional<SmDivision> division = divideSms(small, other, kTitanXp);
  CHECK(division && !division->ownSms);
  CHECK_NEAR(division->endUs[0], 1000, 1);
  CHECK_NEAR(division->endUs[1], 1000 + 1000 / 3.0, 10); // two thirds of it are done by then
  CHECK(!divideSms(other, small, kTitanXp));             // its grid is not known to be small
  std::unique_ptr<Policy> policy = std::move(*makePolicy("bottleneck"));
  CHECK(policy->configure("max_slowdown=2").ok());
  std::vector<CoRunSet> plan = policy->schedule({other, small}, kTitanXp);
  CHECK_EQUAL(plan.size(), 1u);
  CHECK_EQUAL(plan[0][0].kernel, 1u); // first, so that it finds its SMs empty
  CHECK_EQUAL(plan[0][0].blocksPerSm, 1u);
  CHECK(plan[0][0].sms.empty() && plan[0][1].sms.empty());
}

/// Something would fit beside its blocks, and be in their way.
static void aSmallGridGetsSmsOfItsOwn() {
  const PolicyKernel small = smallGrid(0);
  PolicyKernel brief = kDoubles;
  brief.timeUs = 500;
  std::unique_ptr<Policy> policy = std::move(*makePolicy("bottleneck"));
  std::vector<CoRunSet> plan = policy->schedule({small, brief}, kTitanXp);
  CHECK_EQUAL(plan.size(), 2u); // 1.5 times the brief one's time alone is too slow
  CHECK(policy->configure("max_slowdown=2").ok());
  plan = policy->schedule({small, brief}, kTitanXp);
  CHECK_EQUAL(plan.size(), 1u);
  CHECK_EQUAL(plan[0][0].sms.size(), 10u);
  CHECK_EQUAL(plan[0][1].sms.size(), 20u);
  CHECK_EQUAL(plan[0][0].sms.back() + 1, plan[0][1].sms.front());
  PolicyKernel native = small;
  native.hasPersistent = false; // cannot be held to SMs
  CHECK_EQUAL(policy->schedule({native, brief}, kTitanXp).size(), 2u);
}

/// Online the newcomer joins a small grid that leaves it no room, and nobody is lowered.
static void aNewcomerFillsTheSmsThatAreLeft() {
  const PolicyKernel small = smallGrid(90'000);
  PolicyKernel other = kDoubles, brief = kDoubles;
  other.sharedBytesPerBlock = brief.sharedBytesPerBlock = 30'000;
  other.timeUs = 10'000, brief.timeUs = 100; // which would take 1.5 times as long
  std::unique_ptr<Policy> policy = std::move(*makePolicy("bottleneck"));
  PolicyState state;
  state.limits = kTitanXp;
  state.running = {{1, 1, 1, 1, 0, &small}};
  state.waiting = {{2, 2, &other}};
  std::vector<Decision> made = policy->decide(state);
  CHECK_EQUAL(made.size(), 1u);
  CHECK(made[0].action == Action::Start);
  CHECK_EQUAL(made[0].set, 1u);
  CHECK_EQUAL(made[0].blocksPerSm, 16u);
  CHECK(made[0].reason.find("beside 'small', predicted gain 1.0") != std::string::npos);
  state.waiting = {{2, 2, &brief}};
  CHECK(policy->decide(state).at(0).action == Action::Wait);
}

int main() {
  aloneTheCurveComesOut();
  differentBottlenecksGainEqualOnesDoNot();
  budgetsFitAndFixedOnesStay();
  sharedCachesAndRowsCost();
  onceIsFromTheStartToTheEnd();
  withoutAProfileNothingIsPredicted();
  plans();
  listsAreDividedAsAWhole();
  online();
  theNewcomerIsRaised();
  aStreamOfSeveralKernels();
  inAQueueSaturationPointsAreUsed();
  aNativeLaunchMakesNoRoom();
  whatWasPredictedIsRemembered();
  everyFieldIsPartOfTheQuestion();
  whatATwinCostsCounts();
  aSmallGridLeavesItsSms();
  aSmallGridGetsSmsOfItsOwn();
  aNewcomerFillsTheSmsThatAreLeft();
  return checkResult();
}
