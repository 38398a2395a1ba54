// elastic_test - budgets of running kernels follow their neighbours' coming and going.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policy of the test shares four blocks per SM: all four alone, two beside one other, one
// beside more. The device has four SMs; workersNow() counts the workers of a kernel at a moment.
#include "rt/launch/PersistentLaunch.h"
#include "test/Check.h"
#include "test/rt/FakeProgram.h"
#include "test/rt/TestPolicies.h"

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static Runtime sharingRuntime(uint32_t spares = 0) {
  Settings settings;
  settings.spareLaunches = spares;
  return Runtime(settings, std::make_unique<Sharing>());
}

static uint32_t workersNow(const ProgramKernel& kernel) {
  return fake().workersOf(&kernel.twin);
}

static void fallsAndRisesByItself() {
  Runtime runtime = sharingRuntime();
  ProgramKernel lasting("lasting", 2000), guest("guest", 40);
  guest.node.flags = 1u << GPUSCHED_KERNEL_SHARED_SHIFT;
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  CHECK_EQUAL(workersNow(lasting), 16u);
  launch(runtime, guest, fake().makeStream());
  steps(40);
  CHECK_EQUAL(workersNow(lasting), 8u);
  CHECK_EQUAL(workersNow(guest), 8u);
  while (blocksRun(guest) < 40)
    steps(1);
  steps(60);
  CHECK(blocksRun(lasting) < 2000);
  CHECK_EQUAL(workersNow(lasting), 16u);              // nothing was launched meanwhile
  CHECK_EQUAL(fake().lastHelpersShared, size_t(128)); // the guest's come last
  fake().drain();
  CHECK(lasting.everyBlockRan(1) && guest.everyBlockRan(1));
  CHECK(fake().idle());
}

/// What waits in a stream of ours might stand in front of what the program gives to another one.
static void withFewConnectionsNothingWaits() {
  Settings settings;
  settings.deviceRaises = false;
  Runtime runtime(settings, std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2000), guest("guest", 40);
  fake().launched.clear();
  launch(runtime, lasting, fake().makeStream());
  launch(runtime, guest, fake().makeStream());
  CHECK_EQUAL(fake().launched.size(), 2u);
  while (blocksRun(guest) < 40)
    steps(1);
  steps(60);
  CHECK_EQUAL(workersNow(lasting), 8u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1) && guest.everyBlockRan(1));
}

/// The device raised it by itself: its control block does not have the budget that the host gave
/// it.
static void aRaiseEndsWithItsLaunch() {
  Runtime runtime = sharingRuntime();
  ProgramKernel raised("raised", 400), guest("guest", 40), lasting("lasting", 3000);
  launch(runtime, raised, fake().makeStream());
  steps(20);
  launch(runtime, guest, fake().makeStream());
  while (blocksRun(raised) < 400)
    steps(1);
  fake().drain();
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  std::vector<std::unique_ptr<ProgramKernel>> kernels; // their raises wait for `lasting`
  for (int next = 0; next < 3; ++next) {
    ProgramKernel& later = *kernels.emplace_back(std::make_unique<ProgramKernel>("later", 100));
    launch(runtime, later, fake().makeStream());
    steps(10);
    CHECK_EQUAL(workersNow(later), 8u);
    while (!later.everyBlockRan(1))
      steps(1);
    steps(60);
  }
  fake().drain();
  CHECK(raised.everyBlockRan(1) && guest.everyBlockRan(1) && lasting.everyBlockRan(1));
}

/// The default stream is the program's: it would wait for kernels there, or spoil a capture.
static void withoutAStreamNothingIsRaised() {
  Runtime runtime = sharingRuntime();
  ProgramKernel lasting("lasting", 2000), guest("guest", 40);
  fake().launched.clear();
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  fake().fail = {"streamCreateWithFlags"};
  uint64_t copies = fake().copies;
  for (unsigned round = 1; round <= 3; ++round) { // with two guests, then again with one
    launch(runtime, guest, fake().makeStream());
    CHECK_EQUAL(fake().copies, ++copies); // the guest's own
    while (round > 1 && !guest.everyBlockRan(round))
      steps(1);
    steps(20);
  }
  fake().fail.clear();
  CHECK(blocksRun(lasting) < 2000);
  CHECK_EQUAL(fake().launched.size(), 4u);
  CHECK_EQUAL(fake().lastError, 0);
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
}

static int allButBudgets(void* to, const void* from, size_t bytes, int kind, void* stream) {
  const bool isBudget = bytes == sizeof(uint32_t);
  return isBudget ? 999 : fake().table()->memcpyAsync(to, from, bytes, kind, stream);
}

/// A budget that the device has not been given does not pass for one that it has.
static void aBudgetThatCannotBeWritten() {
  gpusched_cudart refusing = *fake().table();
  refusing.memcpyAsync = allButBudgets;
  Settings settings;
  settings.deviceRaises = false;
  Runtime runtime(settings, std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2000), first("first", 40), guest("guest", 400);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  launch(runtime, first, fake().makeStream(), 128, false, &refusing);
  fake().drain();
  launch(runtime, lasting, fake().makeStream());
  launch(runtime, guest, fake().makeStream());
  steps(20);
  CHECK_EQUAL(workersNow(guest), 8u);
  fake().drain();
  CHECK(lasting.everyBlockRan(2) && first.everyBlockRan(1) && guest.everyBlockRan(1));
}

/// Its code may be gone by the time that it would get more workers.
static void unloadedCodeIsNotLaunchedAgain() {
  Runtime runtime = sharingRuntime();
  ProgramKernel lasting("lasting", 2000), guest("guest", 40);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  runtime.unloading();
  launch(runtime, guest, fake().makeStream());
  while (blocksRun(guest) < 40)
    steps(1);
  steps(60);
  CHECK(blocksRun(lasting) < 2000);
  CHECK_EQUAL(workersNow(lasting), 8u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1) && guest.everyBlockRan(1));
}

/// Its neighbour ends while it still waits in its stream. In its control block is what memory had,
/// then what smaller launches have left there, with help and without.
static void noHelpBeforeTheLaunchBegins() {
  Runtime runtime = sharingRuntime();
  for (const unsigned blocks : {40u, 60u, 400u, 500u, 20u, 600u}) {
    ProgramKernel first("first", 4000), guest("guest", 40), waiting("waiting", blocks);
    void* const stream = fake().makeStream();
    void* none[1] = {};
    fake().table()->launchKernel(&first.native, {4000, 1, 1}, {128, 1, 1}, none, 0, stream);
    launch(runtime, guest, fake().makeStream());
    launch(runtime, waiting, stream);
    while (blocksRun(guest) < 40)
      steps(1);
    steps(60);
    CHECK(blocksRun(first) < 4000);
    CHECK_EQUAL(blocksRun(waiting), 0u);
    fake().drain();
    CHECK(first.everyBlockRan(1) && guest.everyBlockRan(1) && waiting.everyBlockRan(1));
    ProgramKernel small("small", blocks / 2);
    launch(runtime, small, stream);
    fake().drain();
  }
}

/// How many of `kernels`, one after the other in one stream, are helped when all get more than the
/// one block per SM they were launched with. Older ones are in other streams.
static uint64_t helpedOf(std::initializer_list<ProgramKernel*> kernels, int stepsBefore) {
  Runtime runtime(Settings{}, std::make_unique<Told>());
  ProgramKernel older("older", 4000), native("native", 4000, false), newest("newest", 4);
  void* const stream = fake().makeStream();
  Told::budget = 1;
  launch(runtime, older, fake().makeStream());
  launch(runtime, native, fake().makeStream());
  for (ProgramKernel* kernel : kernels)
    launch(runtime, *kernel, stream);
  steps(stepsBefore);
  Told::budget = 4;
  const uint64_t before = fake().helpingLaunches;
  launch(runtime, newest, fake().makeStream());
  const uint64_t helped = fake().helpingLaunches - before - 1; // the older one is
  fake().drain();
  for (ProgramKernel* kernel : kernels)
    CHECK(kernel->everyBlockRan(unsigned(std::count(kernels.begin(), kernels.end(), kernel))));
  return helped;
}

/// What stands behind another launch of its stream has all its workers still to come.
static void onlyWhatMayRunIsHelped() {
  ProgramKernel a("a", 400), b("b", 400), c("c", 400), d("d", 400), e("e", 400), f("f", 400);
  ProgramKernel g("g", 400), native("native", 400, false), other("other native", 400, false);
  CHECK_EQUAL(helpedOf({&a, &b, &c}, 10), 1u);
  CHECK_EQUAL(helpedOf({&d, &e, &d, &e}, 450), 1u); // the first one is over, the second runs
  CHECK_EQUAL(helpedOf({&native, &f}, 10), 0u);
  CHECK_EQUAL(helpedOf({&g, &other}, 10), 1u);
}

/// It waits in its stream when its raise is planned.
static void theDeviceRaisesWhatBeginsLater() {
  Runtime runtime = sharingRuntime();
  ProgramKernel first("first", 40), lasting("lasting", 3000), guest("guest", 600);
  void* const stream = fake().makeStream();
  launch(runtime, guest, fake().makeStream());
  launch(runtime, first, stream);
  launch(runtime, lasting, stream);
  while (blocksRun(guest) < 600)
    steps(1);
  CHECK(first.everyBlockRan(1) && blocksRun(lasting) > 0);
  steps(60);
  CHECK_EQUAL(workersNow(lasting), 16u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1) && guest.everyBlockRan(1));
}

/// Help in one stream may be over long before that in another.
static void theControlBlockIsKeptForAllHelp() {
  const gpusched_cudart& cudart = *fake().table();
  LaunchDevice device(cudart, 0);
  ProgramKernel kernel("kernel");
  ControlSlot* const slot =
      device.pool.acquire(cudart, device.completions, GPUSCHED_NO_BUDGET, fullSmMask());
  slot->saved.cudart = &cudart;
  slot->saved.twin = &kernel.twin;
  slot->saved.params.control = slot->control;
  slot->saved.params.role = GPUSCHED_HELPS;
  device.pool.inFlight(slot, device.completions.record(cudart, fake().makeStream()));
  void* const blocked = fake().makeStream();
  uint32_t gate = 0;
  ProgramKernel lasting("lasting", 50);
  void* none[1] = {};
  cudart.launchKernel(&lasting.native, {50, 1, 1}, {128, 1, 1}, none, 0, blocked);
  enqueueHelpers(device, *slot, &gate, 1, blocked);
  enqueueHelpers(device, *slot, &gate, 6, fake().makeStream());
  CHECK_EQUAL(slot->behind.next, 7u); // each may claim once in vain
  slot->behind.next = UINT32_MAX - 3;
  enqueueHelpers(device, *slot, &gate, 6, fake().makeStream());
  CHECK_EQUAL(slot->behind.next, UINT32_MAX);
  auto isKept = [&] { // reaps a few at each call
    for (int i = 0; i < 4; ++i)
      (void)device.pool.acquire(cudart, device.completions, GPUSCHED_NO_BUDGET, fullSmMask());
    return !device.pool.busy().empty();
  };
  steps(20);
  CHECK(isKept());
  fake().drain();
  CHECK(!isKept());
  const uint64_t made = fake().eventsMade;
  for (int events = 0; events < 3; ++events) // of the launch and its help
    device.completions.record(cudart, blocked);
  CHECK_EQUAL(fake().eventsMade, made);
}

static void aThirdOnePutsTheRaiseOff() {
  Runtime runtime = sharingRuntime();
  ProgramKernel lasting("lasting", 3000), first("first", 40), second("second", 400);
  launch(runtime, lasting, fake().makeStream());
  launch(runtime, first, fake().makeStream());
  steps(20);
  launch(runtime, second, fake().makeStream());
  while (blocksRun(first) < 40)
    steps(1);
  steps(60);
  CHECK(blocksRun(second) < 400);
  CHECK_EQUAL(workersNow(lasting), 4u); // the raise behind "first" alone was put off
  while (blocksRun(second) < 400)
    steps(1);
  steps(60);
  CHECK_EQUAL(workersNow(lasting), 16u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1) && first.everyBlockRan(1) && second.everyBlockRan(1));
}

/// Also that it has to be lowered again.
static void theNextLaunchSeesTheRaise() {
  Runtime runtime = sharingRuntime();
  ProgramKernel lasting("lasting", 9000), guest("guest", 8);
  launch(runtime, lasting, fake().makeStream());
  const unsigned rounds = 80; // more than there are words
  for (unsigned round = 0; round < rounds; ++round) {
    launch(runtime, guest, fake().makeStream());
    steps(10);
    CHECK_EQUAL(workersNow(lasting), 8u);
    steps(50);
    CHECK_EQUAL(workersNow(lasting), 16u);
  }
  CHECK(blocksRun(lasting) < 9000);
  fake().drain();
  CHECK(lasting.everyBlockRan(1) && guest.everyBlockRan(rounds));
}

/// All of it is enqueued before the first one ends, and nobody knows then which will be the last.
static void aQueueEndsWithARaise(unsigned launches) {
  Runtime runtime = sharingRuntime();
  ProgramKernel lasting("lasting", 20000), guest("guest", 8);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  void* stream = fake().makeStream();
  for (unsigned i = 0; i < launches; ++i)
    launch(runtime, guest, stream);
  const auto ended = [&] { return *std::min_element(guest.runs.begin(), guest.runs.end()); };
  steps(10);
  while (ended() < launches - launches / 8 - 1) {
    CHECK(workersNow(lasting) <= 8);
    steps(1);
  }
  while (ended() < launches)
    steps(1);
  steps(60);
  CHECK(blocksRun(lasting) < 20000);
  CHECK_EQUAL(workersNow(lasting), 16u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1) && guest.everyBlockRan(launches));
}

/// The raise waited for the last but one; then one more launch comes.
static void aQueueThatGoesOnIsRaisedAgain() {
  Runtime runtime = sharingRuntime();
  ProgramKernel lasting("lasting", 20000), guest("guest", 300);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  void* stream = fake().makeStream();
  const unsigned launches = 38;
  for (unsigned i = 0; i < launches; ++i)
    launch(runtime, guest, stream);
  steps(10);
  while (workersNow(lasting) < 16)
    steps(1);
  CHECK(guest.runs.back() < launches);
  launch(runtime, guest, stream);
  steps(40);
  CHECK(workersNow(lasting) <= 8);
  while (guest.runs.back() <= launches)
    steps(1);
  steps(60);
  CHECK(blocksRun(lasting) < 20000);
  CHECK_EQUAL(workersNow(lasting), 16u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1) && guest.everyBlockRan(launches + 1));
}

static void lateHelpFindsNothing() {
  Runtime runtime = sharingRuntime();
  ProgramKernel brief("brief", 30), lasting("lasting", 500);
  launch(runtime, brief, fake().makeStream());
  launch(runtime, lasting, fake().makeStream());
  fake().drain();
  CHECK(brief.everyBlockRan(1) && lasting.everyBlockRan(1));
  CHECK(fake().idle());
}

static void helpersAreNoMoreThanBlocks() {
  Runtime runtime = sharingRuntime();
  ProgramKernel few("few", 5), guest("guest", 5);
  launch(runtime, few, fake().makeStream());
  steps(2);
  launch(runtime, guest, fake().makeStream());
  CHECK_EQUAL(fake().lastWorkers, 5u); // of the last raise; eight would fit
  fake().drain();
  CHECK(few.everyBlockRan(1) && guest.everyBlockRan(1));
}

/// A raise that the device makes by itself would end the pause, and so would a new budget of a
/// launch that has not begun: it comes with the resume.
static void aPausedKernelStaysPaused(int begun) {
  Runtime runtime = sharingRuntime(1);
  ProgramKernel lasting("lasting", 2000), guest("guest", 8);
  launch(runtime, lasting, fake().makeStream());
  steps(begun);
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  launch(runtime, guest, fake().makeStream());
  fake().drain();
  CHECK(guest.everyBlockRan(1));
  CHECK(begun == 0 ? blocksRun(lasting) == 0 : blocksRun(lasting) < 2000);
  runtime.resumeAll();
  steps(10);
  CHECK_EQUAL(workersNow(lasting), 8u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
}

/// Every launch waits for the one `together` before it, as in Partition.h.
class Lanes final : public Policy {
public:
  explicit Lanes(uint64_t together) : together_(together) {}
  const char* name() const override { return "lanes"; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    Decision decision;
    decision.sequence = decision.set = state.waiting.front().sequence;
    decision.blocksPerSm = 2, decision.blocksPerSmAlone = 4;
    if (decision.sequence > together_)
      decision.after = {decision.sequence - together_};
    return {decision};
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }

private:
  uint64_t together_;
};

/// A launch in `streams` of them, none of which has begun: how many waits the last one enqueued.
static uint64_t waitsOfTheLast(std::unique_ptr<Policy> policy, int streams) {
  fake().forget();
  Runtime runtime(Settings{}, std::move(policy));
  std::vector<std::unique_ptr<ProgramKernel>> kernels;
  uint64_t before = 0;
  for (int i = 0; i < streams; ++i) {
    before = fake().waits;
    kernels.push_back(std::make_unique<ProgramKernel>("one"));
    launch(runtime, *kernels.back(), fake().makeStream());
  }
  const uint64_t ofTheLast = fake().waits - before;
  fake().drain();
  for (const std::unique_ptr<ProgramKernel>& kernel : kernels)
    CHECK(kernel->everyBlockRan(1));
  return ofTheLast;
}

/// What a launch waits for only through others is no neighbour either.
static void onlyNeighboursAreWaitedFor() {
  CHECK_EQUAL(waitsOfTheLast(std::make_unique<Lanes>(1), 8), 1u);
  CHECK_EQUAL(waitsOfTheLast(std::move(*makePolicy("serial")), 8), 1u); // it names all seven
  // Its order; its raise behind the other lane; that one's, behind what ran before it and this.
  CHECK_EQUAL(waitsOfTheLast(std::make_unique<Lanes>(2), 8), 4u);
}

int main() {
  onlyNeighboursAreWaitedFor();
  fallsAndRisesByItself();
  withFewConnectionsNothingWaits();
  aRaiseEndsWithItsLaunch();
  withoutAStreamNothingIsRaised();
  aBudgetThatCannotBeWritten();
  unloadedCodeIsNotLaunchedAgain();
  noHelpBeforeTheLaunchBegins();
  onlyWhatMayRunIsHelped();
  theDeviceRaisesWhatBeginsLater();
  theControlBlockIsKeptForAllHelp();
  aThirdOnePutsTheRaiseOff();
  theNextLaunchSeesTheRaise();
  for (unsigned launches : {2u, 7u, 40u, 200u})
    aQueueEndsWithARaise(launches);
  aQueueThatGoesOnIsRaisedAgain();
  lateHelpFindsNothing();
  helpersAreNoMoreThanBlocks();
  aPausedKernelStaysPaused(0);
  aPausedKernelStaysPaused(20);
  CHECK_EQUAL(fake().lastError, 0);
  return checkResult();
}
