// preemptive_test - policy `preemptive`, state by state, and the patent's formulas by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as in bottleneck_test: a memory kernel fills DRAM, `doubles` the double-precision pipe,
// so they suit each other and two of a kind do not. Their grids are a hundred waves.
#include "rt/policy/Predictor.h"
#include "rt/policy/PreemptionGain.h"
#include "test/Check.h"

#include <algorithm>
#include <set>

using namespace gpusched;

static const DeviceLimits kTitanXp = {30, 65536, 98304, 32, 2048, 547.6, 12150};

static PolicyKernel kernel(const char* name, KernelClass kernelClass, Resource limit, double busy) {
  PolicyKernel made;
  made.name = name;
  made.kernelClass = kernelClass;
  made.hasPersistent = made.profiled = true;
  made.threadsPerBlock = 128;
  made.registersPerBlock = 4096;
  made.occupancyBlocksPerSm = 16;
  made.blocks = 48'000; // 100 waves on 30 SMs
  made.timeUs = 10'000;
  for (int blocks = 1; blocks <= 16; ++blocks)
    made.budgetCurve.push_back(std::min(1.0, blocks / 6.0));
  made.utilisation[limit] = busy;
  return made;
}

static const PolicyKernel kMemory = kernel("memory", KernelClass::Memory, kDramBandwidth, 0.98);
static const PolicyKernel kMemory2 = kernel("memory2", KernelClass::Memory, kDramBandwidth, 0.98);
static const PolicyKernel kDoubles = kernel("doubles", KernelClass::Compute, kFp64Pipe, 0.98);
static const PolicyKernel kDoubles2 = kernel("doubles2", KernelClass::Compute, kFp64Pipe, 0.98);

static RunningKernel runs(uint64_t sequence, const PolicyKernel& kernel, uint32_t budget,
                          double leftUs = 0) {
  return {sequence, sequence, sequence, sequence, budget, &kernel, leftUs};
}

static PolicyState stateOf(std::vector<RunningKernel> running,
                           std::vector<const PolicyKernel*> waiting) {
  PolicyState state;
  state.limits = kTitanXp;
  state.running = std::move(running);
  for (const PolicyKernel* kernel : waiting)
    state.waiting.push_back(
        {uint64_t(100 + state.waiting.size()), 100 + state.waiting.size(), kernel});
  return state;
}

static std::unique_ptr<Policy> policyWith(const std::string& parameters = "") {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("preemptive"));
  CHECK(policy->configure(parameters).ok());
  return policy;
}

/// What was decided about a launch; one that nothing was decided about has sequence 0.
static Decision about(const std::vector<Decision>& decisions, uint64_t sequence) {
  for (const Decision& decision : decisions)
    if (decision.sequence == sequence)
      return decision;
  return {};
}

static uint64_t preemptedIn(const std::vector<Decision>& decisions) {
  for (const Decision& decision : decisions)
    if (decision.preempts)
      return decision.sequence;
  return 0;
}

static bool startsNow(const std::vector<Decision>& decisions, uint64_t sequence) {
  const Decision decision = about(decisions, sequence);
  return decision.sequence == sequence && decision.action == Action::Start &&
         decision.after.empty();
}

static void formulasByHand() {
  // 0.7 * 0.9 * 100 + 1.6 * 900 - 1.2 * 1000
  CHECK_NEAR(preemptionGain({1.2, 0.7, 1.6, 1000, 100, 0.9}), 303, 1e-9);
  CHECK_NEAR(preemptionGain({1.2, 0.7, 1.6, 1000, 0, 0.9}), 400, 1e-9);
  // A cost above the rest: 0.7 * 0.9 * 1000 - 1200
  CHECK_NEAR(preemptionGain({1.2, 0.7, 1.6, 1000, 5000, 0.9}), -570, 1e-9);
  PolicyKernel kernel = kMemory;
  kernel.sharedBytesPerBlock = 8192;
  // (0.09526 * 0.5 + 0.01633) * (4 * 4096 + 8192) * 8
  CHECK_NEAR(contextSwitchCycles(kernel, 8, 0.5), 12575.05, 0.01);
  CHECK_NEAR(contextSwitchCycles(kernel, 8, 0), 3210.6, 0.1);
  kernel.blocks = 4800;
  kernel.timeUs = 1000;
  CHECK_NEAR(blockUs(kernel, 16, 30, 1), 100, 1e-9); // ten waves
  CHECK_NEAR(blockUs(kernel, 8, 30, 0.25), 200, 1e-9);
  kernel.blocks = 100; // fewer than fit: one wave
  CHECK_NEAR(blockUs(kernel, 16, 30, 1), 1000, 1e-9);
  kernel.blocks = 0;
  CHECK_EQUAL(blockUs(kernel, 16, 30, 1), 0.0);
}

static void belowTheLimitEveryoneStarts() {
  std::vector<Decision> first = policyWith()->decide(stateOf({}, {&kMemory}));
  CHECK_EQUAL(first.size(), 1u);
  CHECK(startsNow(first, 100));
  CHECK_EQUAL(first[0].blocksPerSm, bestAlone(kMemory));
  CHECK_EQUAL(first[0].set, 100u);
  std::vector<Decision> second = policyWith()->decide(stateOf({runs(1, kMemory, 16)}, {&kDoubles}));
  CHECK(startsNow(second, 100));
  const uint32_t lowered = about(second, 1).blocksPerSm;
  CHECK(about(second, 1).action == Action::SetBudget && lowered > 0 && lowered < 16);
  CHECK(!about(second, 1).preempts);
  CHECK(fitsTogether({&kMemory, &kDoubles}, {lowered, about(second, 100).blocksPerSm}, kTitanXp));
  CHECK_EQUAL(about(second, 100).blocksPerSmAlone, 16u);
  // A native one keeps what it has.
  PolicyKernel native = kMemory;
  native.occupancyBlocksPerSm = 8;
  std::vector<Decision> beside = policyWith()->decide(stateOf({runs(1, native, 0)}, {&kDoubles}));
  CHECK_EQUAL(beside.size(), 1u);
  CHECK(fitsTogether({&native, &kDoubles}, {8, about(beside, 100).blocksPerSm}, kTitanXp));
}

/// Kernels that want every block: without the one of who is preempted the budgets would not fit.
static void aPreemptedBlockHasRoom() {
  PolicyKernel memory = kMemory, doubles = kDoubles;
  for (PolicyKernel* kernel : {&memory, &doubles})
    for (int blocks = 1; blocks <= 16; ++blocks)
      kernel->budgetCurve[size_t(blocks) - 1] = blocks / 16.0;
  auto blocksOf = [&](const std::vector<Decision>& made) {
    uint32_t sum = 0;
    for (const RunningKernel& running : {runs(1, memory, 8), runs(2, memory, 8)})
      sum += about(made, running.lastSequence).sequence
                 ? about(made, running.lastSequence).blocksPerSm
                 : 8;
    return sum + about(made, 100).blocksPerSm;
  };
  std::vector<RunningKernel> two = {runs(1, memory, 8, 8000), runs(2, memory, 8, 8000)};
  std::vector<Decision> preempts = policyWith()->decide(stateOf(two, {&doubles}));
  CHECK(preemptedIn(preempts) != 0);
  CHECK_EQUAL(blocksOf(preempts), 16u);
  two[1].preempted = true;
  two[1].blocksPerSm = 1;
  std::vector<Decision> joins = policyWith()->decide(stateOf(two, {&doubles}));
  CHECK(startsNow(joins, 100));
  CHECK_EQUAL(about(joins, 2).sequence, 0u);
  CHECK_EQUAL(blocksOf(joins) - 8 + 1, 16u);
}

static void theBestOfThoseThatWaitStarts() {
  std::vector<Decision> made =
      policyWith()->decide(stateOf({runs(1, kMemory, 16)}, {&kMemory2, &kDoubles}));
  CHECK(startsNow(made, 101));
  CHECK_EQUAL(about(made, 100).after.size(), 1u);
}

static RunningKernel preempted(uint64_t sequence, const PolicyKernel& kernel) {
  RunningKernel made = runs(sequence, kernel, 1);
  made.preempted = true;
  return made;
}

static void aFreePlaceIsForTheBetterOne() {
  // A tie: the preempted one.
  std::vector<Decision> tie =
      policyWith()->decide(stateOf({runs(1, kMemory, 8), preempted(2, kDoubles)}, {&kDoubles2}));
  CHECK(about(tie, 2).action == Action::SetBudget && about(tie, 2).blocksPerSm > 1);
  CHECK(!about(tie, 2).preempts);
  CHECK(about(tie, 100).action == Action::Wait);
  // The newcomer is better: the other stays where it is, and leaves room for its one block.
  std::vector<Decision> better =
      policyWith()->decide(stateOf({runs(1, kMemory, 8), preempted(2, kMemory2)}, {&kDoubles}));
  CHECK_EQUAL(about(better, 2).sequence, 0u);
  CHECK(startsNow(better, 100));
  const uint32_t beside = about(better, 1).sequence ? about(better, 1).blocksPerSm : 8;
  CHECK(fitsTogether({&kMemory, &kMemory2, &kDoubles}, {beside, 1, about(better, 100).blocksPerSm},
                     kTitanXp));
  // Nobody runs: it has the SMs, and the newcomer joins.
  std::vector<Decision> idle = policyWith()->decide(stateOf({preempted(2, kMemory)}, {&kDoubles}));
  CHECK(about(idle, 2).blocksPerSm > 1);
  CHECK(startsNow(idle, 100));
  // A newcomer that is behind its own stream cannot take the place.
  PolicyState behind = stateOf({runs(1, kMemory, 8), preempted(2, kDoubles)}, {&kDoubles2});
  behind.waiting[0].stream = 1;
  CHECK(about(policyWith()->decide(behind), 2).blocksPerSm > 1);
}

static std::vector<RunningKernel> twoMemory(double leftUs = 8'000) {
  return {runs(1, kMemory, 8, leftUs), runs(2, kMemory2, 8, leftUs)};
}

static void aBetterCombinationPreempts() {
  std::vector<Decision> made = policyWith()->decide(stateOf(twoMemory(), {&kDoubles}));
  CHECK_EQUAL(preemptedIn(made), 1u);
  CHECK(about(made, 1).action == Action::SetBudget);
  CHECK_EQUAL(about(made, 1).blocksPerSm, 1u);
  CHECK(startsNow(made, 100));
  CHECK_EQUAL(about(made, 100).set, 100u);
  CHECK_EQUAL(made.back().sequence, 100u);
  CHECK(made.back().reason.find("preempts 'memory'") != std::string::npos);
  // Not for an equal one, nor where the cost is more than what is left.
  CHECK_EQUAL(preemptedIn(policyWith()->decide(stateOf(twoMemory(), {&kMemory}))), 0u);
  std::vector<Decision> late = policyWith()->decide(stateOf(twoMemory(10), {&kDoubles}));
  CHECK_EQUAL(preemptedIn(late), 0u);
  CHECK(about(late, 100).action == Action::Wait);
  CHECK_EQUAL(late.size(), 1u);
  // What is left is not known: half of the time.
  CHECK_EQUAL(preemptedIn(policyWith()->decide(stateOf(twoMemory(0), {&kDoubles}))), 1u);
  // Of two newcomers the one that gains more.
  std::vector<Decision> both = policyWith()->decide(stateOf(twoMemory(), {&kMemory, &kDoubles}));
  CHECK(startsNow(both, 101));
  CHECK(!startsNow(both, 100));
}

static void whoCannotBePreempted() {
  std::vector<RunningKernel> running = twoMemory();
  running[0].blocksPerSm = 0;                                                        // native
  CHECK_EQUAL(preemptedIn(policyWith()->decide(stateOf(running, {&kDoubles}))), 0u); // no room
  PolicyKernel half = kMemory;
  half.occupancyBlocksPerSm = 8;
  half.hasPersistent = false;
  running[0].kernel = &half;
  CHECK_EQUAL(preemptedIn(policyWith()->decide(stateOf(running, {&kDoubles}))), 2u);
  running[1].blocksPerSm = 0;
  running[1].kernel = &half;
  CHECK_EQUAL(preemptedIn(policyWith()->decide(stateOf(running, {&kDoubles}))), 0u);
  running = twoMemory();
  running[0].blocksPerSm = running[1].blocksPerSm = 1; // nothing to take away
  CHECK_EQUAL(preemptedIn(policyWith()->decide(stateOf(running, {&kDoubles}))), 0u);
  // Others of its lane wait for it.
  running = twoMemory();
  running.push_back(runs(3, kMemory, 8, 50));
  running.back().set = 1;
  CHECK_EQUAL(preemptedIn(policyWith()->decide(stateOf(running, {&kDoubles}))), 2u);
  // More run than may: not by this policy's doing.
  running.back() = runs(3, kMemory, 8, 8'000);
  CHECK_EQUAL(preemptedIn(policyWith()->decide(stateOf(running, {&kDoubles}))), 0u);
  // One at a time.
  running = twoMemory();
  running.push_back(preempted(3, kMemory));
  std::vector<Decision> made = policyWith()->decide(stateOf(running, {&kDoubles}));
  CHECK_EQUAL(preemptedIn(made), 0u);
  CHECK(about(made, 100).action == Action::Wait);
}

static void unknownKernels() {
  PolicyKernel unknown;
  unknown.hasPersistent = true;
  unknown.occupancyBlocksPerSm = 16;
  std::vector<Decision> joins = policyWith()->decide(stateOf({runs(1, unknown, 0)}, {&unknown}));
  CHECK(startsNow(joins, 100));
  CHECK_EQUAL(about(joins, 100).blocksPerSm, 0u);
  std::vector<Decision> waits = policyWith()->decide(stateOf(twoMemory(), {&unknown}));
  CHECK_EQUAL(waits.size(), 1u);
  CHECK_EQUAL(about(waits, 100).after.size(), 1u);
  // It runs: nobody knows what would be gained.
  std::vector<RunningKernel> running = {runs(1, unknown, 8), runs(2, kMemory, 8)};
  CHECK_EQUAL(preemptedIn(policyWith()->decide(stateOf(running, {&kDoubles}))), 0u);
}

/// Without utilisation nothing is predicted.
static void classesRankWhatIsNotPredicted() {
  PolicyKernel memory = kMemory, compute = kDoubles, cache = kMemory;
  cache.kernelClass = KernelClass::L1;
  for (PolicyKernel* kernel : {&memory, &compute, &cache})
    kernel->utilisation = {};
  auto firstOf = [&](const PolicyKernel& running, const PolicyKernel& a, const PolicyKernel& b) {
    return startsNow(policyWith()->decide(stateOf({runs(1, running, 8)}, {&a, &b})), 100) ? 0 : 1;
  };
  CHECK_EQUAL(firstOf(memory, memory, compute), 1);
  CHECK_EQUAL(firstOf(compute, compute, memory), 1);
  CHECK_EQUAL(firstOf(compute, compute, cache), 1);
  CHECK_EQUAL(firstOf(memory, cache, memory), 0); // a tie: in order of submission
  // By class nobody is preempted.
  std::vector<RunningKernel> two = {runs(1, memory, 8), runs(2, memory, 8)};
  CHECK_EQUAL(preemptedIn(policyWith()->decide(stateOf(two, {&compute}))), 0u);
  // A tie by class, too, is the preempted one's.
  std::vector<Decision> tie =
      policyWith()->decide(stateOf({runs(1, memory, 8), preempted(2, compute)}, {&compute}));
  CHECK(about(tie, 2).blocksPerSm > 1);
  // Three at a time: the worst pair counts.
  std::vector<Decision> three = policyWith("limit=3")->decide(
      stateOf({runs(1, compute, 5), runs(2, compute, 5)}, {&compute, &memory}));
  CHECK(startsNow(three, 101));
}

static void atTheLimitALaneIsJoined() {
  std::vector<RunningKernel> running = {runs(1, kMemory, 8, 500), runs(2, kDoubles, 8, 400)};
  auto after = [&] {
    const Decision own = about(policyWith()->decide(stateOf(running, {&kDoubles2})), 100);
    CHECK_EQUAL(own.after.size(), 1u);
    return own.after.empty() ? 0 : own.after[0];
  };
  CHECK_EQUAL(after(), 2u);
  running[1].leftUs = 600;
  CHECK_EQUAL(after(), 1u);
  // What waits in a lane counts, and is who the newcomer waits for.
  running.push_back(runs(3, kMemory, 8, 50));
  running.back().set = 1;
  CHECK_EQUAL(after(), 3u);
  running.back().leftUs = 5000;
  CHECK_EQUAL(after(), 2u);
  // A time is not known: the lane whose last launch is the oldest.
  PolicyKernel timeless = kMemory;
  timeless.timeUs = 0;
  running = {runs(1, timeless, 8), runs(2, kDoubles, 8, 900), runs(3, kDoubles, 8, 400)};
  running[2].set = 1;
  CHECK_EQUAL(after(), 2u);
}

static void streamsKeepTheirOrder() {
  std::vector<RunningKernel> running = {runs(1, kMemory, 6, 500), runs(2, kDoubles, 6, 5000)};
  PolicyState state = stateOf(running, {&kDoubles});
  state.waiting[0].stream = 2;
  Decision own = about(policyWith()->decide(state), 100);
  CHECK(own.action == Action::Start && own.after.empty()); // its stream holds it
  CHECK_EQUAL(own.set, 2u);
  CHECK_EQUAL(own.blocksPerSm, 6u); // so that the two count once
  // Behind another stream's launch in the lane of its own.
  running.push_back(runs(3, kMemory, 6, 500));
  running.back().set = 2;
  state.running = running;
  own = about(policyWith()->decide(state), 100);
  CHECK_EQUAL(own.after.at(0), 3u);
  // Behind a preempted launch of its stream: in a lane that counts, or the limit would not hold.
  state.running = {runs(1, kMemory, 6, 500), runs(2, kDoubles, 6, 5000), preempted(3, kMemory)};
  state.waiting[0].stream = 3;
  own = about(policyWith()->decide(state), 100);
  CHECK_EQUAL(own.set, 1u);
  CHECK_EQUAL(own.after.at(0), 1u);
  // Two of one stream at once: the second behind the first.
  state = stateOf({}, {&kMemory, &kDoubles});
  state.waiting[1].stream = state.waiting[0].stream;
  std::vector<Decision> both = policyWith()->decide(state);
  CHECK_EQUAL(about(both, 101).set, 100u);
  // Below the limit, too.
  CHECK_EQUAL(both.size(), 2u);
}

/// The least that must be left for a preemption; the grid is in steps of 0.5 %.
static double leastLeftUs(const std::string& parameters, const PolicyKernel& staying,
                          const PolicyKernel& newcomer = kDoubles) {
  for (double left = 1; left < 1e5; left *= 1.005) {
    std::vector<RunningKernel> running = {runs(1, kMemory, 8, left), runs(2, staying, 8, left)};
    if (preemptedIn(policyWith(parameters)->decide(stateOf(running, {&newcomer}))) == 1)
      return left;
  }
  return 1e5;
}

/// Where gain and cost are equal, found by hand from the predictor's numbers.
static double byHand(double cost, double decay, double minGain) {
  Prediction now = predict({&kMemory, &kMemory2}, {8, 8}, kTitanXp), then;
  DeviceLimits limits = kTitanXp; // without the one block of who is preempted
  limits.registersPerSm -= 4096, limits.blocksPerSm -= 1, limits.threadsPerSm -= 128;
  bestBudgets({&kMemory2, &kDoubles}, limits, {}, {3}, then);
  const double sumNow = now.progress[0] + now.progress[1];
  const double sumThen = then.progress[0] + then.progress[1];
  // staying * decay * cost + sumThen * (rest - cost) = sumNow * rest * (1 + minGain)
  const double rest =
      cost * (sumThen - now.progress[1] * decay) / (sumThen - sumNow * (1 + minGain));
  return rest * now.progress[0];
}

static void gainAndCostMeetWhereTheFormulasSay() {
  Prediction now = predict({&kMemory, &kMemory2}, {8, 8}, kTitanXp);
  const double drain = blockUs(kMemory, 8, 30, now.progress[0]);
  CHECK_NEAR(leastLeftUs("whole_rest=1", kMemory2) / byHand(1.5 * drain, 0.9, 0.02), 1, 0.01);
  CHECK_NEAR(leastLeftUs("whole_rest=1,drain_blocks=6", kMemory2) / byHand(6 * drain, 0.9, 0.02), 1,
             0.01);
  CHECK_NEAR(leastLeftUs("whole_rest=1,decay_memory=0", kMemory2) / byHand(1.5 * drain, 0, 0.02), 1,
             0.01);
  CHECK_NEAR(leastLeftUs("whole_rest=1,min_gain=0.5", kMemory2) / byHand(1.5 * drain, 0.9, 0.5), 1,
             0.01);
  // The patent's cost: no hits are known, so all miss.
  const double cycles = contextSwitchCycles(kMemory, 8, 1);
  CHECK_NEAR(leastLeftUs("whole_rest=1,context_switch=1,clock=1000", kMemory2) /
                 byHand(cycles / 1000, 0.9, 0.02),
             1, 0.01);
  CHECK_NEAR(leastLeftUs("context_switch=1,clock=500", kMemory2) /
                 leastLeftUs("context_switch=1,clock=1000", kMemory2),
             2, 0.02);
  PolicyKernel cached = kMemory2;
  cached.l2Hits = 0.9;
  CHECK(leastLeftUs("context_switch=1", cached) < 0.5 * leastLeftUs("context_switch=1", kMemory2));
}

static void decayIsForMemoryKernels() {
  PolicyKernel compute = kMemory2;
  compute.kernelClass = KernelClass::Compute; // runs as before
  CHECK_EQUAL(leastLeftUs("decay_memory=0", compute), leastLeftUs("decay_memory=1", compute));
  CHECK(leastLeftUs("decay_memory=0", kMemory2) > leastLeftUs("decay_memory=1", kMemory2));
}

static void aBriefNewcomerBringsLittle() {
  PolicyKernel brief = kDoubles;
  brief.timeUs = 30; // about as long as blocks drain
  CHECK(leastLeftUs("whole_rest=1", kMemory2, brief) < 1000);
  CHECK_EQUAL(leastLeftUs("whole_rest=0", kMemory2, brief), 1e5);
}

static void parameters() {
  CHECK_EQUAL(preemptedIn(policyWith("preempt=0")->decide(stateOf(twoMemory(), {&kDoubles}))), 0u);
  CHECK(startsNow(policyWith("limit=3")->decide(stateOf(twoMemory(), {&kDoubles})), 100));
  std::vector<Decision> one =
      policyWith("limit=1")->decide(stateOf({runs(1, kMemory, 16)}, {&kDoubles}));
  CHECK_EQUAL(about(one, 100).after.at(0), 1u);
  CHECK(!policyWith()->configure("limits=3").ok());
}

static void offlineEachOnceInTheBestPairs() {
  std::vector<PolicyKernel> kernels = {kMemory, kMemory2, kDoubles, kDoubles2, kMemory};
  std::vector<CoRunSet> sets = policyWith()->schedule(kernels, kTitanXp);
  CHECK_EQUAL(sets.size(), 3u);
  std::set<size_t> seen;
  for (const CoRunSet& set : sets) {
    for (const Member& member : set)
      seen.insert(member.kernel);
    if (set.size() == 2)
      CHECK(kernels[set[0].kernel].kernelClass != kernels[set[1].kernel].kernelClass);
  }
  CHECK_EQUAL(seen.size(), 5u);
  CHECK_EQUAL(sets[2][0].blocksPerSm, 0u); // alone: native
  CHECK(policyWith()->schedule({}, kTitanXp).empty());
}

int main() {
  formulasByHand();
  belowTheLimitEveryoneStarts();
  aPreemptedBlockHasRoom();
  theBestOfThoseThatWaitStarts();
  aFreePlaceIsForTheBetterOne();
  aBetterCombinationPreempts();
  whoCannotBePreempted();
  unknownKernels();
  classesRankWhatIsNotPredicted();
  atTheLimitALaneIsJoined();
  streamsKeepTheirOrder();
  gainAndCostMeetWhereTheFormulasSay();
  decayIsForMemoryKernels();
  aBriefNewcomerBringsLittle();
  parameters();
  offlineEachOnceInTheBestPairs();
  return checkResult();
}
