// paired_policy_test - pairs of launches under a policy: when they become one, and what follows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/schema/Trace.h"
#include "rt/support/TemporaryFolder.h"
#include "test/rt/OtherProcess.h"
#include "test/rt/PairedProgram.h"

#include <cstdio>

using namespace gpusched;

static const char* const kProfiles = "paired_policy_test.profile.json";
static const char* const kTrace = "paired_policy_test.trace.json";

static KernelProfile profiled(const char* name, Resource limit, double timeUs = 1000) {
  KernelProfile kernel;
  kernel.fixed.kernel = name;
  DynamicProfile& dynamic = kernel.dynamic.emplace();
  dynamic.threadsPerBlock = 128;
  dynamic.blocks = 4000;
  dynamic.timeUs = timeUs;
  dynamic.budgetCurve = {0.5, 1, 1, 1};
  dynamic.utilisation[limit] = 0.95;
  return kernel;
}

static void profile(const std::vector<KernelProfile>& kernels) {
  ProfileFile file;
  file.kernels = kernels;
  CHECK(writeProfile(kProfiles, file).ok());
}

/// One launch for both is over sooner than the two.
static void profileOfOneThatGains() {
  profile({profiled("a", kDramBandwidth), profiled("b", kDramBandwidth),
           profiled("pair<a, b>", kDramBandwidth, 1500)});
}

static Settings under(const char* policy, Fusing fusing = Fusing::Auto) {
  Settings settings;
  settings.policy = policy;
  settings.profilePath = kProfiles;
  settings.tracePath = kTrace;
  settings.traceTimed = false;
  settings.fusing = fusing;
  return settings;
}

/// Native launches and those of twins look alike here.
static std::string launchedUnder(const Settings& settings) {
  fake().forget();
  Runtime runtime(settings);
  PairedProgram program;
  together(runtime, program, program.s1, program.s2);
  const std::string names = launchedNames();
  fake().drain();
  CHECK(program.ran(1));
  CHECK_EQUAL(fake().lastError, 0);
  runtime.finish();
  return names;
}

static std::string reasonOf(size_t launch) {
  const Result<TraceFile> trace = readTrace(kTrace);
  return trace.ok() && launch < trace->launches.size() ? trace->launches[launch].reason : "";
}

static void pairsThatGainBecomeOne() {
  // Both fill DRAM, so that twins beside each other gain nothing, and neither does one launch.
  profile({profiled("a", kDramBandwidth), profiled("b", kDramBandwidth)});
  CHECK_EQUAL(launchedUnder(under("bottleneck")), "a b");
  profileOfOneThatGains();
  CHECK_EQUAL(launchedUnder(under("bottleneck")), "pair");
  CHECK(reasonOf(0).find("one launch for two: measured 1500.0 us") != std::string::npos);
  profile({profiled("a", kDramBandwidth), profiled("b", kDramBandwidth),
           profiled("pair<a, b>", kDramBandwidth, 2500)});
  CHECK_EQUAL(launchedUnder(under("bottleneck")), "a b");
}

static void onlyUnderAPolicyWithProfiles() {
  profileOfOneThatGains();
  CHECK_EQUAL(launchedUnder(under("bottleneck")), "pair");
  CHECK_EQUAL(launchedUnder(under("serial")), "a b");
  CHECK_EQUAL(launchedUnder(under("serial", Fusing::Always)), "pair");
  CHECK_EQUAL(launchedUnder(under("bottleneck", Fusing::Never)), "a b");
  profile({profiled("a", kDramBandwidth)});
  CHECK_EQUAL(launchedUnder(under("bottleneck")), "a b");
  CHECK_EQUAL(launchedUnder(under("bottleneck", Fusing::Always)), "pair");
}

/// That one launch is better was decided for the two alone.
static void notBesideAThirdKernel() {
  profileOfOneThatGains();
  fake().forget();
  Runtime runtime(under("bottleneck"));
  PairedProgram program;
  Call(program, program.other, fake().makeStream())(runtime);
  together(runtime, program, program.s1, program.s2);
  CHECK_EQUAL(launchedNames(), "other a b");
  fake().drain();
  // Launches find out that others are over when they are made.
  Call(program, program.a, program.s1)(runtime);
  together(runtime, program, program.s1, program.s2);
  CHECK_EQUAL(launchedNames(), "other a b a pair");
  fake().drain();
}

/// What no policy decides about is no third.
static void besideAnUnmanagedKernel() {
  profileOfOneThatGains();
  fake().forget();
  Runtime runtime(under("bottleneck"));
  PairedProgram program;
  gpusched_launch_request request = {};
  request.abi_version = GPUSCHED_ABI_VERSION;
  request.function = &program.other.native;
  request.grid = {10, 1, 1};
  request.block = {128, 1, 1};
  request.stream = fake().makeStream();
  request.kernels = &program.node;
  request.cudart = fake().table();
  const auto make = [](void* data) {
    static void* none[1] = {};
    const auto& asked = *static_cast<const gpusched_launch_request*>(data);
    return asked.cudart->launchKernel(asked.function, asked.grid, asked.block, none, 0,
                                      asked.stream);
  };
  int error = 0;
  CHECK(runtime.launchUnmanaged(request, {make, &request}, error)); // for the trace
  together(runtime, program, program.s1, program.s2);
  CHECK_EQUAL(launchedNames(), "other pair");
  fake().drain();
}

/// It could not step back, whichever of the two would have to.
static void notWhereOneMayHaveToStepBack() {
  profileOfOneThatGains();
  for (int stream : {1, 2, 3}) {
    fake().forget();
    Runtime runtime(under("bottleneck"));
    PairedProgram program;
    void* const third = fake().makeStream();
    fake().streamPriorities[stream == 1 ? program.s1 : stream == 2 ? program.s2 : third] = -1;
    Call(program, program.other, third)(runtime);
    fake().drain();
    Call(program, program.a, program.s1)(runtime); // which sees that it is over
    fake().drain();
    fake().forget();
    together(runtime, program, program.s1, program.s2);
    CHECK_EQUAL(launchedNames(), "a b");
    fake().drain();
  }
}

static void notBesideAnotherProcess() {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  CHECK(folder.ok());
  profileOfOneThatGains();
  Visitor process(folder->path());
  Settings settings = under("bottleneck");
  settings.shareFolder = folder->path();
  Runtime runtime(settings);
  PairedProgram program;
  for (const char* expected : {"pair", "a b", "pair"}) {
    Call(program, program.a, program.s1)(runtime); // which sees whether there is company
    fake().drain();
    fake().forget();
    together(runtime, program, program.s1, program.s2);
    CHECK_EQUAL(launchedNames(), expected);
    fake().drain();
    process.step();
  }
}

/// A step of the fake device takes a millisecond, whatever profiles say.
static std::string afterSome(double profiledUs) {
  profile({profiled("a", kDramBandwidth, profiledUs), profiled("b", kDramBandwidth, profiledUs),
           profiled("pair<a, b>", kDramBandwidth, profiledUs)});
  fake().forget();
  Settings settings = under("bottleneck");
  settings.pairsPath = "paired_policy_test.pairs.json";
  Runtime runtime(settings);
  PairedProgram program;
  for (uint32_t round = 0; round < Trials::kAlone + 3; ++round) {
    fake().forget();
    together(runtime, program, program.s1, program.s1, GPUSCHED_PAIR_PROMISED);
    fake().drain();
  }
  CHECK(program.ran(Trials::kAlone + 3));
  return launchedNames();
}

static void whatMeasuresWorseStaysApart() {
  CHECK_EQUAL(afterSome(100), "a b");
  CHECK_EQUAL(afterSome(1e7), "pair");
}

/// Where nothing will be fused, nothing is held.
static void withoutProfilesNothingIsHeld() {
  fake().forget();
  Runtime runtime(under("serial"));
  PairedProgram program;
  mark(runtime, program, GPUSCHED_PAIR_BEGINS);
  Call(program, program.a, program.s1)(runtime);
  CHECK_EQUAL(launchedNames(), "a");
  mark(runtime, program, GPUSCHED_PAIR_ENDS);
  fake().drain();
}

/// What the user asked for himself, a fused launch could not follow.
static void notBesideForcedVariantsAndBudgets() {
  profileOfOneThatGains();
  Settings budget = under("bottleneck"), masked = budget, forced = budget, low = budget;
  budget.blocksPerSm.all = 1;
  masked.sms.all = fullSmMask();
  forced.variant = ForcedVariant::Native;
  low.priority = kLowPriority; // it could not step back either
  for (const Settings& settings : {budget, masked, forced, low})
    CHECK_EQUAL(launchedUnder(settings), "a b");
}

/// Everything waits for all other streams, and all launches are of one set.
class InTurn final : public Policy {
public:
  const char* name() const override { return "in-turn"; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    Decision decision;
    decision.sequence = state.waiting.front().sequence;
    for (const RunningKernel& running : state.running)
      if (running.stream != state.waiting.front().stream)
        decision.after.push_back(running.lastSequence);
    return {decision};
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }
};

/// Launches of other streams wait for it and it for them; those of its own two
/// streams are in order already.
static void itIsOrderedLikeAnyLaunch() {
  fake().forget();
  Runtime runtime(under("", Fusing::Always), std::make_unique<InTurn>());
  PairedProgram program;
  ProgramKernel before("before", 200), behind("behind", 40), apart("apart", 40);
  void* const s3 = fake().makeStream();
  launch(runtime, before, program.s2);
  together(runtime, program, program.s1, program.s2);
  CHECK_EQUAL(fake().waits, 2u); // the two of the pair, and no third for `before`
  launch(runtime, behind, program.s2);
  CHECK_EQUAL(fake().waits, 2u);
  launch(runtime, apart, s3);
  CHECK_EQUAL(fake().waits, 3u); // on `behind`, and so on all
  fake().drain();
  CHECK(program.ran(1) && behind.everyBlockRan(1) && apart.everyBlockRan(1));
  CHECK(fake().together.empty());
  CHECK(fake().started == std::vector<std::string>({"before", "pair", "behind", "apart"}));
  runtime.finish();
  const Result<TraceFile> trace = readTrace(kTrace);
  CHECK(trace.ok() && trace->launches.size() == 4);
  if (trace && trace->launches.size() == 4)
    CHECK(trace->launches[2].after.empty()); // to the policy, the pair is of the stream of `behind`
}

/// A launch in a third stream does not take it for over because the second's newest is.
static void othersWaitForIt() {
  fake().forget();
  Runtime runtime(under("serial", Fusing::Always));
  PairedProgram program;
  ProgramKernel apart("apart", 40);
  together(runtime, program, program.s1, program.s2);
  launch(runtime, apart, fake().makeStream());
  fake().drain();
  CHECK(fake().together.empty());
  CHECK(fake().started == std::vector<std::string>({"pair", "apart"}));
}

/// The same pair again, with another second stream or none: the newest is not in front of the
/// launches of the first's.
static void onlyTheNewestPairsStreamIsInOrder() {
  for (const bool ofOne : {false, true}) {
    fake().forget();
    Runtime runtime(under("", Fusing::Always), std::make_unique<InTurn>());
    PairedProgram program;
    ProgramKernel behind("behind", 40);
    together(runtime, program, program.s1, program.s2);
    together(runtime, program, program.s1, ofOne ? program.s1 : fake().makeStream(),
             GPUSCHED_PAIR_PROMISED);
    const uint64_t waits = fake().waits;
    CHECK_EQUAL(waits, ofOne ? 2u : 4u);
    launch(runtime, behind, program.s2);
    CHECK_EQUAL(fake().waits, waits + 1);
    fake().drain();
    CHECK(program.ran(2));
    CHECK(fake().together.empty());
    CHECK(fake().started == std::vector<std::string>({"pair", "pair", "behind"}));
  }
}

/// Two launches that were to be one are ordered like any.
static void aFailedOneIsTwo() {
  fake().forget();
  Runtime runtime(under("serial", Fusing::Always));
  PairedProgram program;
  fake().fail = {"pair"};
  together(runtime, program, program.s1, program.s2);
  fake().fail.clear();
  CHECK_EQUAL(launchedNames(), "a b");
  CHECK_EQUAL(fake().lastError, 0);
  fake().drain();
  CHECK(program.ran(1));
  CHECK(fake().together.empty());
}

static void manyThreadsAtOnce() {
  fake().forget();
  Runtime runtime(under("serial", Fusing::Always));
  constexpr unsigned kThreads = 4, kRounds = 60;
  std::vector<std::unique_ptr<PairedProgram>> programs;
  for (unsigned i = 0; i < kThreads; ++i)
    programs.push_back(std::make_unique<PairedProgram>());
  std::vector<std::thread> threads;
  for (const std::unique_ptr<PairedProgram>& program : programs)
    threads.emplace_back([&] {
      for (unsigned round = 0; round < kRounds; ++round)
        together(runtime, *program, program->s1, round % 3 ? program->s2 : program->s1);
    });
  for (std::thread& thread : threads)
    thread.join();
  fake().drain();
  for (const std::unique_ptr<PairedProgram>& program : programs)
    CHECK(program->ran(kRounds));
  CHECK(fake().idle() && fake().together.empty());
}

int main() {
  pairsThatGainBecomeOne();
  onlyUnderAPolicyWithProfiles();
  notBesideAThirdKernel();
  besideAnUnmanagedKernel();
  notWhereOneMayHaveToStepBack();
  notBesideAnotherProcess();
  whatMeasuresWorseStaysApart();
  withoutProfilesNothingIsHeld();
  notBesideForcedVariantsAndBudgets();
  itIsOrderedLikeAnyLaunch();
  othersWaitForIt();
  onlyTheNewestPairsStreamIsInOrder();
  aFailedOneIsTwo();
  manyThreadsAtOnce();
  std::remove(kProfiles);
  std::remove(kTrace);
  return checkResult();
}
