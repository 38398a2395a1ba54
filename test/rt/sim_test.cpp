// sim_test - laws the sim device must keep: conservation, capacities, monotony, order, determinism.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are random within physical limits, from a fixed seed; every policy is put through.
#include "rt/device/sim/Metrics.h"
#include "rt/device/sim/Oracle.h"
#include "test/Check.h"

#include <algorithm>
#include <random>

using namespace gpusched;
using namespace gpusched::sim;

static DeviceDescription device() {
  return std::move(*loadDeviceDescription("titan-xp"));
}

/// Measured values of a kernel: what fills it, how much, with how many threads a block.
static KernelProfile profile(const char* name, Resource limit, double busy, uint32_t threads = 128,
                             uint64_t blocks = 48000) {
  KernelProfile made;
  made.fixed.kernel = name;
  VariantProfile variant;
  variant.target = "sm_61";
  variant.registersPerThread = 32;
  made.fixed.native = {variant};
  DynamicProfile& dynamic = made.dynamic.emplace();
  dynamic.source = "table";
  dynamic.threadsPerBlock = threads;
  dynamic.blocks = blocks;
  dynamic.timeUs = 10'000;
  dynamic.eligibleWarpsPerCycle = 1;
  dynamic.stallExecution = 40, dynamic.stallMemory = 40, dynamic.stallOther = 20;
  dynamic.utilisation[kIssueSlots] = 0.2;
  dynamic.utilisation[limit] = busy;
  return made;
}

static SimKernel kernel(const KernelProfile& made) {
  return std::move(*makeSimKernel(made, device()));
}

static std::vector<SimKernel> randomKernels(unsigned seed, size_t count) {
  std::mt19937 random(seed);
  std::vector<SimKernel> kernels;
  for (size_t i = 0; i < count; ++i) {
    Resource limit = Resource(random() % kResources);
    double busy = 0.1 + 0.89 * double(random() % 1000) / 1000;
    KernelProfile made = profile("k", limit, busy, 32 << random() % 5, 2000 + random() % 60000);
    made.dynamic->timeUs = 1000 + double(random() % 20000);
    made.dynamic->l1Hits = double(random() % 50) / 100;
    made.dynamic->l1BytesPerWarp = double(random() % 2000);
    kernels.push_back(kernel(made));
  }
  return kernels;
}

static void theMeasuredRunComesOutAgain() {
  for (Resource limit : {kDramBandwidth, kFp64Pipe, kLoadStorePipe, kIssueSlots}) {
    Simulator simulator(device(), {kernel(profile("k", limit, 0.9))});
    CHECK_NEAR(simulator.aloneUs(0) / 10'000, 1.0, 0.01);
    KernelEstimate full = estimate(simulator.kernels()[0].demand, device(), 16);
    CHECK_NEAR(full.eligibleWarpsPerCycle, 1.0, 0.05);
    CHECK_NEAR(full.stallMemory, 40, 4);
    CHECK_NEAR(full.stallExecution, 40, 25); // a pipe's queue counts as "other"
  }
}

/// Whatever its shape: here a kernel that is best with four blocks, which no queue explains.
static void theMeasuredCurveComesOutAgain() {
  KernelProfile measured = profile("k", kFp32Pipe, 0.5);
  measured.dynamic->budgetCurve = {0.3, 0.55, 0.8, 1};
  for (int blocks = 5; blocks <= 16; ++blocks)
    measured.dynamic->budgetCurve.push_back(1 - 0.0125 * (blocks - 4));
  Simulator simulator(device(), {kernel(measured)});
  CHECK_NEAR(simulator.aloneUs(0) / 10'000, 1.0, 0.01);
  for (uint32_t blocks = 1; blocks <= 16; ++blocks)
    CHECK_NEAR(simulator.aloneUs(0, 16) / simulator.aloneUs(0, blocks),
               measured.dynamic->budgetCurve[blocks - 1] / 0.85, 0.01);
}

/// 90 blocks on 30 SMs: more than three are never on one.
static void aCurveThatEndsEarlyIsFlatBehind() {
  KernelProfile measured = profile("k", kFp32Pipe, 0.5, 128, 90);
  measured.dynamic->budgetCurve = {0.4, 0.7, 1};
  Simulator simulator(device(), {kernel(measured)});
  CHECK_NEAR(simulator.aloneUs(0, 3) / simulator.aloneUs(0, 1), 0.4, 0.02);
  CHECK_NEAR(simulator.aloneUs(0, 16), simulator.aloneUs(0, 3), 1e-6);
}

static void moreBudgetIsNeverSlowerWithoutCaches() {
  for (Resource limit : {kDramBandwidth, kFp64Pipe, kLoadStorePipe}) {
    Simulator simulator(device(), {kernel(profile("k", limit, 0.95))});
    for (uint32_t blocks = 2; blocks <= 16; ++blocks)
      CHECK(simulator.aloneUs(0, blocks) <= simulator.aloneUs(0, blocks - 1) * 1.005);
  }
}

static void cachesMakeAPeak() {
  KernelProfile thrashing = profile("k", kDramBandwidth, 0.9999);
  thrashing.dynamic->stallMemory = 90;
  thrashing.dynamic->stallExecution = thrashing.dynamic->stallOther = 5;
  thrashing.dynamic->l1Hits = 0.2;
  thrashing.dynamic->l1BytesPerWarp = 3000; // 64 warps want four times the L1
  Simulator simulator(device(), {kernel(thrashing)});
  double best = simulator.aloneUs(0, 1);
  for (uint32_t blocks = 2; blocks <= 16; ++blocks)
    best = std::min(best, simulator.aloneUs(0, blocks));
  CHECK(best < simulator.aloneUs(0, 16) * 0.97);
}

/// No resource does more than one second's work in a second.
static void checkCapacities(Simulator& simulator, const std::vector<Job>& jobs, const Run& run) {
  double cycles = run.makespanUs * simulator.device().clockMhz;
  for (size_t r = 0; r < kCentres; ++r) {
    double work = 0;
    for (const Job& job : jobs) {
      const KernelDemand& demand = simulator.kernels()[job.kernel].demand;
      double perSm = sharedByAllSms(r) ? 1 : simulator.device().sms;
      work += demand.blocks * demand.warpsPerBlock * demand.task.demand[r] / perSm;
    }
    CHECK(work <= cycles * 1.001);
  }
}

static void aPartnerNeverSpeedsOneUp() {
  std::vector<SimKernel> kernels = randomKernels(3, 8);
  Simulator simulator(device(), kernels);
  for (size_t a = 0; a < kernels.size(); ++a)
    for (size_t b = 0; b < kernels.size(); ++b) {
      Member first{.kernel = a, .blocksPerSm = 1};
      Member second{.kernel = b, .blocksPerSm = 1, .lane = 1};
      double alone = simulator.together({first}).at(0).blocksPerUs;
      std::vector<Simulator::Progress> both = simulator.together({first, second});
      CHECK(both[0].blocksPerUs <= alone * 1.0001);
      CHECK(both[0].dramBusy + both[1].dramBusy <= 1.0001);
    }
}

static void everyPolicyRunsEverythingOnce() {
  std::vector<SimKernel> kernels = randomKernels(11, 9);
  Simulator simulator(device(), kernels);
  std::vector<Job> jobs;
  std::vector<PolicyKernel> known;
  for (size_t i = 0; i < kernels.size(); ++i) {
    jobs.push_back({i, 0, i + 1});
    known.push_back(kernels[i].known);
  }
  for (const PolicyEntry& entry : policyTable()) {
    std::unique_ptr<Policy> policy = std::move(*makePolicy(entry.name));
    std::vector<CoRunSet> plan = policy->schedule(known, simulator.limits());
    std::vector<int> times(jobs.size(), 0);
    for (const CoRunSet& set : plan)
      for (const Member& member : set)
        ++times[member.kernel];
    CHECK_EQUAL(std::count(times.begin(), times.end(), 1), std::ptrdiff_t(jobs.size()));
    Run run = simulator.runPlan(jobs, plan);
    checkCapacities(simulator, jobs, run);
    for (const JobRun& job : run.jobs)
      CHECK(job.endUs > job.startUs);
  }
}

static void onlineOrderIsKept() {
  std::vector<SimKernel> kernels = randomKernels(5, 4);
  std::mt19937 random(5);
  std::vector<Job> jobs;
  for (size_t i = 0; i < 24; ++i)
    jobs.push_back({random() % 4, double(random() % 60'000), 1 + random() % 5});
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Job& a, const Job& b) { return a.arrivalUs < b.arrivalUs; });
  for (const PolicyEntry& entry : policyTable()) {
    Simulator simulator(device(), kernels);
    Run run = simulator.runOnline(jobs, **makePolicy(entry.name));
    checkCapacities(simulator, jobs, run);
    for (size_t i = 0; i < jobs.size(); ++i) {
      CHECK(run.jobs[i].startUs >= jobs[i].arrivalUs);
      CHECK(run.jobs[i].endUs > run.jobs[i].startUs);
      for (size_t j = 0; j < i; ++j)
        if (jobs[j].stream == jobs[i].stream)
          CHECK(run.jobs[i].startUs >= run.jobs[j].endUs);
      for (uint64_t after : run.jobs[i].after)
        CHECK(run.jobs[i].startUs >= run.jobs[after - 1].endUs);
    }
  }
}

/// Ten launches of one kernel in one stream run in turn: for a policy they are one neighbour.
static void aQueueCountsOnce() {
  std::vector<Job> jobs(10, {0, 0, 1});
  jobs.push_back({1, 0, 2});
  Simulator simulator(device(), {kernel(profile("a", kFp64Pipe, 0.95)),
                                 kernel(profile("b", kDramBandwidth, 0.95))});
  std::unique_ptr<Policy> policy = std::move(*makePolicy("bottleneck"));
  CHECK(policy->configure("max_slowdown=3").ok());
  Run run = simulator.runOnline(jobs, *policy);
  CHECK(run.jobs[10].after.empty());
  CHECK(run.jobs[10].startUs < run.jobs[0].endUs);
}

/// Gives every launch four blocks per SM, lowers the other streams' to that, and names what is for
/// alone.
class Quarter final : public Policy {
public:
  explicit Quarter(uint32_t alone) : alone_(alone) {}
  const char* name() const override { return "quarter"; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    std::vector<Decision> decisions;
    for (const RunningKernel& running : state.running)
      if (running.stream != state.waiting[0].stream)
        decisions.push_back(made(Action::SetBudget, running.lastSequence));
    decisions.push_back(made(Action::Start, state.waiting[0].sequence));
    return decisions;
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }

private:
  Decision made(Action action, uint64_t sequence) const {
    Decision decision;
    decision.action = action;
    decision.sequence = sequence;
    decision.blocksPerSm = 4;
    decision.blocksPerSmAlone = alone_;
    return decision;
  }
  uint32_t alone_;
};

/// With four of sixteen blocks a kernel takes four times as long, so the last one shows it.
static void whoIsLeftIsRaisedOnline() {
  KernelProfile brief = profile("b", kIssueSlots, 0.1, 128, 4800);
  brief.dynamic->timeUs = 1000;
  Simulator simulator(device(), {kernel(profile("a", kIssueSlots, 0.1)), kernel(brief)});
  const std::vector<Job> pair = {{0, 0, 1}, {1, 0, 2}};
  CHECK(simulator.runOnline(pair, Quarter(16)).makespanUs < 14'000);
  CHECK(simulator.runOnline(pair, Quarter(0)).makespanUs > 35'000);
  // So is what was queued behind it.
  const std::vector<Job> queued = {{0, 0, 1}, {0, 0, 1}, {1, 0, 2}};
  CHECK(simulator.runOnline(queued, Quarter(16)).makespanUs < 24'000);
  CHECK(simulator.runOnline(queued, Quarter(0)).makespanUs > 70'000);
}

/// Two blocks an SM, of eight.
static KernelProfile brief(double timeUs) {
  KernelProfile made = profile("brief", kIssueSlots, 0.3, 256, 60);
  made.dynamic->timeUs = timeUs;
  return made;
}

/// A long queue, and a small kernel of 300 us beside it every 4 ms, from 1 ms on.
static std::vector<Job> urgentBesideQueue(int32_t priority) {
  std::vector<Job> jobs(8, Job{0, 0, 1});
  for (int i = 0; i < 15; ++i)
    jobs.push_back({1, 1000 + 4000.0 * i, 2, priority});
  return jobs;
}

static void theHigherPriorityHasRoom() {
  Simulator simulator(device(), {kernel(profile("long", kDramBandwidth, 0.9)), kernel(brief(300))});
  const auto under = [&](const char* policy, int32_t priority) {
    const std::vector<Job> jobs = urgentBesideQueue(priority);
    return metricsOf(simulator, jobs, simulator.runOnline(jobs, **makePolicy(policy)));
  };
  for (const char* policy : {"kscheduler", "bottleneck", "native"}) {
    const Metrics urgent = under(policy, 5);
    CHECK(urgent.urgent < 1.8);
    CHECK(urgent.weightedSpeedup > 0.95);
  }
  // Policies without profiles show the order in which launches come.
  CHECK(under("serial", 5).urgent > 20);
  // Natively, one that comes later has what is left, which is nothing.
  CHECK(under("native", 0).anttQueued > 5);
}

/// All blocks that fit, but for kernels of one name, which are launched natively.
class Full final : public Policy {
public:
  Full(bool byProfiles, std::string native) : byProfiles_(byProfiles), native_(std::move(native)) {}
  const char* name() const override { return "full"; }
  bool wantsProfiles() const override { return byProfiles_; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    std::vector<uint32_t>& budgets = seen.emplace_back();
    for (const RunningKernel& running : state.running)
      budgets.push_back(running.blocksPerSm);
    const WaitingKernel& waiting = state.waiting.back();
    Decision start;
    start.sequence = start.set = waiting.sequence;
    start.blocksPerSm = waiting.kernel->name == native_ ? 0 : waiting.kernel->occupancyBlocksPerSm;
    return {start};
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }
  mutable std::vector<std::vector<uint32_t>> seen; ///< budgets of what ran, at each launch

private:
  bool byProfiles_;
  std::string native_;
};

/// So far that it has room, and up again in between.
static void theLowerOneStepsBack() {
  Simulator simulator(device(), {kernel(profile("long", kDramBandwidth, 0.9)), kernel(brief(300)),
                                 kernel(profile("late", kDramBandwidth, 0.9))});
  // 2048 threads an SM: sixteen blocks of 128, or twelve beside two of 256; also for what comes
  // then.
  const Full policy(/*byProfiles=*/true, /*native=*/"late");
  const std::vector<Job> jobs = {{0, 0, 1}, {1, 1000, 2, 5}, {0, 1100, 3}, {2, 9000, 4}};
  const Run run = simulator.runOnline(jobs, policy);
  CHECK((policy.seen == std::vector<std::vector<uint32_t>>{{}, {}, {12, 8}, {16, 16}}));
  CHECK_EQUAL(run.jobs[2].blocksPerSm, 6u);
  CHECK_EQUAL(run.jobs[3].blocksPerSm, 16u); // so that it could step back
}

/// Nor does the end of a third one bring it back.
static void theLowerOneStaysBack() {
  Simulator simulator(device(), {kernel(profile("long", kDramBandwidth, 0.9)), kernel(brief(300)),
                                 kernel(brief(3000))});
  const Full policy(/*byProfiles=*/true, /*native=*/"");
  const std::vector<Job> jobs = {{0, 0, 1}, {2, 1000, 2, 5}, {1, 1100, 3}, {1, 3500, 4}};
  const Run run = simulator.runOnline(jobs, policy);
  CHECK(run.jobs[2].endUs < 3500 && run.jobs[1].endUs > 3500);
  CHECK(policy.seen.back().front() < 16);
}

/// The hardware's priorities are for places that fall free.
static void workersGiveNoPlaceToAHigherOne() {
  Simulator simulator(device(), {kernel(profile("long", kDramBandwidth, 0.9)), kernel(brief(300))});
  const std::vector<Job> jobs = {{0, 0, 1}, {1, 1000, 2, 5}};
  const Run beside = simulator.runOnline(jobs, Full(/*byProfiles=*/false, /*native=*/"long"));
  CHECK(beside.jobs[1].endUs < 2000);
  const Run behind = simulator.runOnline(jobs, Full(/*byProfiles=*/false, /*native=*/"brief"));
  CHECK(behind.jobs[1].endUs > behind.jobs[0].endUs);
}

/// Lets the second launch preempt the first, and keeps what it sees of it.
class Preempting final : public Policy {
public:
  const char* name() const override { return "preempting"; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    std::vector<Decision> decisions;
    seen.push_back(state.running.empty() ? RunningKernel() : state.running.front());
    if (seen.size() == preemptsAt)
      decisions.push_back(made(Action::SetBudget, state.running.front().lastSequence, 1));
    decisions.push_back(made(Action::Start, state.waiting[0].sequence, 8));
    return decisions;
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }
  mutable std::vector<RunningKernel> seen;
  size_t preemptsAt = 2; // the number of that launch; 0 = none does

private:
  static Decision made(Action action, uint64_t sequence, uint32_t blocksPerSm) {
    Decision decision;
    decision.action = action;
    decision.sequence = sequence;
    decision.blocksPerSm = blocksPerSm;
    decision.preempts = action == Action::SetBudget;
    return decision;
  }
};

/// Half of sixteen blocks take twice the time.
static void whatIsLeftAndWhoIsPreemptedIsSeen() {
  KernelProfile brief = profile("b", kIssueSlots, 0.1, 128, 4800);
  brief.dynamic->timeUs = 1000;
  Simulator simulator(device(), {kernel(profile("a", kIssueSlots, 0.1)), kernel(brief)});
  Preempting policy;
  const std::vector<Job> jobs = {{0, 0, 1}, {1, 4'000, 2}, {1, 4'100, 3}, {1, 11'000, 4}};
  (void)simulator.runOnline(jobs, policy);
  CHECK_EQUAL(policy.seen.size(), 4u);
  CHECK_NEAR(policy.seen[1].leftUs, 8'000, 400);
  CHECK(!policy.seen[1].preempted);
  CHECK(policy.seen[2].preempted);
  CHECK_EQUAL(policy.seen[2].blocksPerSm, 1u);
  CHECK(policy.seen[2].leftUs < policy.seen[1].leftUs);
  CHECK(!policy.seen[3].preempted); // the others were over, so it was raised
  CHECK_EQUAL(policy.seen[3].blocksPerSm, 8u);

  // Of a queue, what runs and all behind it.
  Preempting nobody;
  nobody.preemptsAt = 0;
  (void)simulator.runOnline({{0, 0, 1}, {0, 0, 1}, {1, 2'000, 2}}, nobody);
  CHECK_NEAR(nobody.seen[2].leftUs, 19'000, 400);
}

/// Where a step of the clock is longer than what is left of a wave, the wave ends all the same.
static void lateInALongRunWavesEnd() {
  constexpr double kLate = 1e13; // microseconds, of which a double has 500 a step
  Simulator simulator(device(), randomKernels(5, 4));
  std::vector<Job> jobs;
  for (size_t i = 0; i < 24; ++i)
    jobs.push_back({i % 4, kLate, 1 + i % 5});
  Run run = simulator.runOnline(jobs, **makePolicy("native"));
  for (Job& job : jobs)
    job.arrivalUs = 0;
  CHECK_NEAR(run.makespanUs - kLate, simulator.runOnline(jobs, **makePolicy("native")).makespanUs,
             run.makespanUs / 1e11);
}

static void sameInputSameOutput() {
  std::vector<SimKernel> kernels = randomKernels(7, 6);
  std::vector<Job> jobs;
  for (size_t i = 0; i < kernels.size(); ++i)
    jobs.push_back({i, double(i) * 500, 0});
  for (size_t i = 0; i < jobs.size(); ++i)
    jobs[i].stream = i + 1;
  Simulator one(device(), kernels), two(device(), kernels);
  Run first = one.runOnline(jobs, **makePolicy("bottleneck"));
  (void)two.runOnline(jobs, **makePolicy("native")); // what is remembered changes nothing
  Run second = two.runOnline(jobs, **makePolicy("bottleneck"));
  CHECK(first.makespanUs == second.makespanUs);
  CHECK_EQUAL(first.events, second.events);
  for (size_t i = 0; i < jobs.size(); ++i)
    CHECK(first.jobs[i].endUs == second.jobs[i].endUs);
}

static void wavesAndBudgetsThatDoNotFit() {
  KernelProfile oneWave = profile("k", kFp64Pipe, 0.2, 128, 16 * 30);
  KernelProfile more = profile("k", kFp64Pipe, 0.2, 128, 16 * 30 * 4 + 1);
  SimKernel longer = kernel(more);
  Simulator simulator(device(), {longer, kernel(oneWave)});
  // One block past four waves costs most of a wave: it runs alone, but as long.
  SimKernel exact = longer;
  exact.demand.blocks -= 1;
  Simulator four(device(), {exact});
  CHECK(simulator.aloneUs(0) > four.aloneUs(0) * 1.1);
  // Full budgets of both: the second waits for room.
  CoRunSet set = {{.kernel = 0, .blocksPerSm = 16}, {.kernel = 1, .blocksPerSm = 16, .lane = 1}};
  std::vector<Simulator::Progress> both = simulator.together(set);
  CHECK(both[0].blocksPerUs > 0);
  CHECK_EQUAL(both[1].blocksPerUs, 0.0);
}

static void dividedSmsMeetAtDramOnly() {
  Simulator simulator(
      device(), {kernel(profile("a", kFp64Pipe, 0.98)), kernel(profile("b", kFp64Pipe, 0.98))});
  Member a{.kernel = 0, .blocksPerSm = 8}, b{.kernel = 1, .blocksPerSm = 8, .lane = 1};
  std::vector<Simulator::Progress> mixed = simulator.together({a, b});
  for (uint32_t sm = 0; sm < 15; ++sm)
    a.sms.push_back(sm), b.sms.push_back(sm + 15);
  double alone = simulator.together({a}).at(0).blocksPerUs;
  std::vector<Simulator::Progress> divided = simulator.together({a, b});
  CHECK_NEAR(divided[0].blocksPerUs / alone, 1.0, 1e-6);
  CHECK(mixed[0].blocksPerUs <
        0.7 * simulator.together({{.kernel = 0, .blocksPerSm = 8}})[0].blocksPerUs);
}

/// One block an SM on 10 of 30 SMs: a partner that fits beside none of them has the other 20.
static void aSmallGridLeavesTheOtherSms() {
  KernelProfile small = profile("small", kFp64Pipe, 0.9, 128, 10);
  small.fixed.native[0].staticSharedBytes = 49152; // two fill an SM
  KernelProfile wide = profile("wide", kFp64Pipe, 0.9, 1024);
  wide.fixed.native[0].staticSharedBytes = 49152;
  wide.fixed.native[0].registersPerThread = 64; // one fills an SM
  wide.dynamic->timeUs = 100'000;
  Simulator simulator(device(), {kernel(small), kernel(wide)});
  CHECK_NEAR(simulator.aloneUs(0) / 10'000, 1, 0.01);
  CHECK_NEAR(simulator.aloneUs(0, 1) / simulator.aloneUs(0), 1, 1e-6); // it never had two on one
  std::vector<uint32_t> own = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  CoRunSet free = {{.kernel = 0}, {.kernel = 1, .lane = 1}};
  CoRunSet held = {{.kernel = 0, .sms = own}, {.kernel = 1, .lane = 1}};
  for (const CoRunSet& set : {free, held}) {
    Run run = simulator.runPlan({{0, 0, 0}, {1, 0, 0}}, {set});
    CHECK_NEAR(run.jobs[0].endUs / simulator.aloneUs(0), 1, 0.01);
    // A third of the SMs is missing for a tenth of its time.
    CHECK_NEAR(run.jobs[1].endUs / simulator.aloneUs(1), 1 + 0.1 / 3, 0.01);
  }
}

static void theLastOfASetIsRaised() {
  KernelProfile brief = profile("b", kIssueSlots, 0.3, 128, 4800);
  brief.dynamic->timeUs = 1000;
  Simulator simulator(device(), {kernel(profile("a", kIssueSlots, 0.3)), kernel(brief)});
  auto makespan = [&](uint32_t alone) {
    CoRunSet set = {{.kernel = 0, .blocksPerSm = 4, .blocksPerSmAlone = alone},
                    {.kernel = 1, .blocksPerSm = 4, .lane = 1}};
    return simulator.runPlan({{0, 0, 0}, {1, 0, 0}}, {set}).makespanUs;
  };
  CHECK(makespan(16) < 0.5 * makespan(0));
}

static void nothingBeatsTheOracleOnPairs() {
  std::vector<SimKernel> kernels = randomKernels(13, 5);
  Simulator simulator(device(), kernels);
  Oracle oracle(simulator);
  for (size_t a = 0; a < kernels.size(); ++a)
    for (size_t b = a + 1; b < kernels.size(); ++b)
      for (const char* name : {"kscheduler", "bottleneck", "even", "serial"}) {
        std::vector<CoRunSet> plan =
            (*makePolicy(name))->schedule({kernels[a].known, kernels[b].known}, simulator.limits());
        double time = simulator.runPlan({{a, 0, 0}, {b, 0, 0}}, plan).makespanUs;
        CHECK(*oracle.bestTimeUs({a, b}) <= time * 1.0001);
      }
  CHECK(!oracle.bestTimeUs({0, 1, 2, 3, 4, 0, 1, 2, 3}).ok());
}

static void metrics() {
  Simulator simulator(device(), {kernel(profile("a", kFp64Pipe, 0.9))});
  std::vector<Job> jobs = {{0, 0, 1}, {0, 0, 2}};
  Metrics serial =
      metricsOf(simulator, jobs, simulator.runPlan(jobs, {{{.kernel = 0}}, {{.kernel = 1}}}));
  CHECK_NEAR(serial.weightedSpeedup, 1, 1e-6);
  CHECK_NEAR(serial.antt, 1, 1e-6);
  CHECK_NEAR(serial.anttQueued, 1.5, 1e-6);
  CHECK_NEAR(serial.stp, 1.5, 1e-6);
  CHECK_NEAR(serial.fairness, 1, 1e-6);
  CHECK(!serial.energyJoules);
}

int main() {
  theMeasuredRunComesOutAgain();
  theMeasuredCurveComesOutAgain();
  aCurveThatEndsEarlyIsFlatBehind();
  moreBudgetIsNeverSlowerWithoutCaches();
  cachesMakeAPeak();
  aPartnerNeverSpeedsOneUp();
  everyPolicyRunsEverythingOnce();
  onlineOrderIsKept();
  lateInALongRunWavesEnd();
  aQueueCountsOnce();
  whoIsLeftIsRaisedOnline();
  theHigherPriorityHasRoom();
  theLowerOneStepsBack();
  theLowerOneStaysBack();
  workersGiveNoPlaceToAHigherOne();
  whatIsLeftAndWhoIsPreemptedIsSeen();
  sameInputSameOutput();
  wavesAndBudgetsThatDoNotFit();
  dividedSmsMeetAtDramOnly();
  aSmallGridLeavesTheOtherSms();
  theLastOfASetIsRaised();
  nothingBeatsTheOracleOnPairs();
  metrics();
  return checkResult();
}
