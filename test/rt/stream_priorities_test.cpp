// stream_priorities_test - kernels step back for those of streams of higher priority, and come
// back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device has four SMs (UrgentProgram.h).
#include "rt/schema/PairHistory.h"
#include "test/Check.h"
#include "test/rt/MeasuredPair.h"
#include "test/rt/UrgentProgram.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

/// With the thread that raises what the device could not be told to, or without it.
static Settings attended(bool attends) {
  Settings settings;
  settings.attends = attends;
  return settings;
}

static void untilOver(const ProgramKernel& kernel) {
  while (!kernel.everyBlockRan(1))
    steps(1);
  steps(60);
}

/// Nothing is launched meanwhile.
static void stepsBackAndComesBackByItself(bool attends) {
  Runtime runtime = heeding(attended(attends));
  Heavy lasting("lasting", 3000), urgent("urgent", 400);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  CHECK_EQUAL(lasting.workers(), 16u);
  launch(runtime, urgent, urgentStream());
  steps(40);
  CHECK_EQUAL(lasting.workers(), 4u);
  CHECK_EQUAL(urgent.workers(), 16u);                        // as if alone
  std::this_thread::sleep_for(std::chrono::milliseconds(2)); // a thread of ours looks
  steps(5);
  CHECK(!urgent.isOver());
  CHECK_EQUAL(lasting.workers(), 4u);
  untilOver(urgent);
  CHECK(!lasting.isOver());
  CHECK_EQUAL(lasting.workers(), 16u);
  fake().drain();
  CHECK(lasting.isOver());
}

/// A kernel without a twin has its room, too, and a small grid needs little.
static void makesTheRoomThatIsNeeded() {
  Runtime runtime = heeding();
  Heavy lasting("lasting", 3000), small("small", 4, /*hasTwin=*/false);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  launch(runtime, small, urgentStream());
  untilOver(small);
  CHECK(fake().workersLeft >= 4);
  CHECK_EQUAL(lasting.workers(), 16u);
  fake().drain();

  fake().forget();
  Heavy again("again", 3000);
  launch(runtime, again, fake().makeStream());
  steps(20);
  void* const stream = urgentStream();
  for (int i = 0; i < 200; ++i)
    launch(runtime, small, stream);
  steps(40);
  CHECK_EQUAL(again.workers(), 12u);
  fake().drain();
  CHECK(again.isOver());
}

static void aNewcomerHasTheRoomThatIsLeft() {
  Runtime runtime = heeding();
  Heavy urgent("urgent", 400), lasting("lasting", 2000);
  launch(runtime, urgent, urgentStream());
  steps(20);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  CHECK_EQUAL(urgent.workers(), 16u);
  CHECK_EQUAL(lasting.workers(), 4u);
  untilOver(urgent);
  CHECK(!lasting.isOver());
  CHECK_EQUAL(lasting.workers(), 16u);
  fake().drain();
}

/// First what equals have beside each other, then what one has alone.
static void comesBackInTwoSteps() {
  Runtime runtime = heeding();
  Heavy lasting("lasting", 6000), equal("equal", 2000), urgent("urgent", 400);
  launch(runtime, lasting, fake().makeStream());
  launch(runtime, equal, fake().makeStream());
  steps(20);
  CHECK_EQUAL(lasting.workers(), 8u);
  launch(runtime, urgent, urgentStream());
  steps(40);
  CHECK_EQUAL(lasting.workers(), 4u);
  CHECK_EQUAL(equal.workers(), 4u);
  untilOver(urgent);
  CHECK(!equal.isOver());
  CHECK_EQUAL(lasting.workers(), 8u);
  CHECK_EQUAL(equal.workers(), 8u);
  untilOver(equal);
  CHECK(!lasting.isOver());
  CHECK_EQUAL(lasting.workers(), 16u);
  fake().drain();
}

/// Both raises are due at once then.
static void comesBackAtOnceWhereTheEqualIsGone() {
  Runtime runtime = heeding();
  Heavy lasting("lasting", 6000), equal("equal", 40), urgent("urgent", 400);
  launch(runtime, lasting, fake().makeStream());
  launch(runtime, equal, fake().makeStream());
  steps(20);
  launch(runtime, urgent, urgentStream());
  untilOver(urgent);
  CHECK(equal.isOver() && !lasting.isOver());
  CHECK_EQUAL(lasting.workers(), 16u);
  fake().drain();
}

/// The end of the first of two changes nothing.
static void comesBackBehindTheLast() {
  Runtime runtime = heeding();
  Heavy lasting("lasting", 9000), equal("equal", 6000), first("first", 100), last("last", 800);
  launch(runtime, lasting, fake().makeStream());
  launch(runtime, equal, fake().makeStream());
  steps(20);
  void* const stream = urgentStream();
  launch(runtime, first, stream);
  launch(runtime, last, stream);
  untilOver(first);
  CHECK(!last.isOver());
  CHECK_EQUAL(lasting.workers(), 4u);
  untilOver(last);
  CHECK(!equal.isOver());
  CHECK_EQUAL(lasting.workers(), 8u);
  fake().drain();
}

/// A policy that names no budget for "alone".
static void comesBackToThePolicysBudget() {
  Runtime runtime(Settings(), std::make_unique<Together>());
  Heavy urgent("urgent", 400), lasting("lasting", 2000);
  urgent.twin.occupancy = lasting.twin.occupancy = 2;
  urgent.native.staticShared = urgent.twin.staticShared = 98304 / 2;
  launch(runtime, urgent, urgentStream());
  steps(20);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  CHECK_EQUAL(lasting.workers(), 4u);
  untilOver(urgent);
  CHECK(!lasting.isOver());
  CHECK_EQUAL(lasting.workers(), 8u);
  fake().drain();
}

/// Help for the first raise is at work until the kernel is over, and the second one comes beside
/// it.
static void aRaiseDoesNotWaitBehindHelp() {
  Runtime runtime = heeding();
  Heavy lasting("lasting", 20'000), urgent("urgent", 400), small("small", 4, /*hasTwin=*/false);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  void* const stream = urgentStream();
  launch(runtime, urgent, stream);
  untilOver(urgent);
  CHECK_EQUAL(lasting.workers(), 16u);
  for (int i = 0; i < 20; ++i)
    launch(runtime, small, stream);
  steps(40);
  CHECK_EQUAL(lasting.workers(), 12u);
  while (!small.everyBlockRan(20))
    steps(1);
  steps(60);
  CHECK(!lasting.isOver());
  CHECK_EQUAL(lasting.workers(), 16u);
  fake().drain();
}

static void eventsAreUsedAgain() {
  Runtime runtime = heeding();
  Heavy lasting("lasting", 40'000);
  launch(runtime, lasting, fake().makeStream());
  void* const stream = urgentStream();
  Heavy urgent("urgent", 40);
  uint64_t made = 0;
  for (unsigned round = 1; round <= 30; ++round) {
    launch(runtime, urgent, stream);
    while (!urgent.everyBlockRan(round))
      steps(1);
    steps(60);
    CHECK_EQUAL(lasting.workers(), 16u);
    if (round == 10)
      made = fake().eventsMade;
  }
  CHECK_EQUAL(fake().eventsMade, made);
  fake().drain();
}

/// A stream may be made where another one was.
static void aHandleMayHaveAnotherPriority() {
  Runtime runtime = heeding();
  Heavy kernel("kernel", 2000), later("later", 2000);
  void* const stream = fake().makeStream();
  launch(runtime, kernel, stream);
  fake().streamPriorities[stream] = -5;
  launch(runtime, kernel, stream);
  steps(20);
  launch(runtime, later, fake().makeStream());
  steps(20);
  CHECK_EQUAL(later.workers(), 4u);
  fake().drain();
}

/// Of a queue of one kernel the largest grid counts.
static void theLargestGridCounts() {
  Runtime runtime = heeding();
  Heavy kernel("kernel", 4, /*hasTwin=*/false), later("later", 2000);
  void* const stream = urgentStream();
  launch(runtime, kernel, stream);
  kernel.runs.resize(400);
  launch(runtime, kernel, stream);
  kernel.runs.resize(4);
  launch(runtime, kernel, stream);
  kernel.runs.resize(400);
  launch(runtime, later, fake().makeStream());
  steps(20);
  CHECK_EQUAL(later.workers(), 4u);
  fake().drain();
}

/// Two that step back twice have what they had at first.
static void comesBackToWhatItHadFirst() {
  class Three final : public Together {
  public:
    std::vector<Decision> decide(const PolicyState& state) const override {
      std::vector<Decision> decisions = Together::decide(state);
      decisions.front().blocksPerSm = 3;
      decisions.front().blocksPerSmAlone = 8;
      return decisions;
    }
  };
  Runtime runtime(Settings(), std::make_unique<Three>());
  Heavy lasting("lasting", 9000), equal("equal", 9000);
  Heavy small("small", 12, /*hasTwin=*/false), large("large", 24, /*hasTwin=*/false);
  for (Heavy* kernel : {&lasting, &equal, &small, &large}) {
    kernel->native.staticShared = kernel->twin.staticShared = 98304 / 8;
    kernel->native.occupancy = kernel->twin.occupancy = 8;
  }
  launch(runtime, lasting, fake().makeStream());
  launch(runtime, equal, fake().makeStream());
  steps(20);
  CHECK_EQUAL(lasting.workers(), 12u);
  void* const stream = urgentStream();
  for (int i = 0; i < 10; ++i)
    launch(runtime, small, stream);
  steps(40);
  CHECK_EQUAL(lasting.workers() + equal.workers(), 20u); // five of eight places are theirs
  for (int i = 0; i < 10; ++i)
    launch(runtime, large, stream);
  steps(40);
  CHECK_EQUAL(lasting.workers() + equal.workers(), 8u);
  while (!large.everyBlockRan(10))
    steps(1);
  steps(60);
  CHECK(!lasting.isOver() && !equal.isOver());
  CHECK_EQUAL(lasting.workers(), 12u);
  CHECK_EQUAL(equal.workers(), 12u);
  fake().drain();
}

/// Our own, by their name.
static int threadsOfOurs() {
  int found = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    found += name == "gpusched";
  }
  return found;
}

/// The device raises the launch that runs, a thread those behind it, though the program comes by no
/// more.
static void queuesComeBack() {
  Runtime runtime = heeding(attended(true));
  Heavy lasting("lasting", 20'000), urgent("urgent", 400);
  void* const stream = fake().makeStream();
  launch(runtime, lasting, stream);
  CHECK_EQUAL(threadsOfOurs(), 0);
  launch(runtime, lasting, stream);
  steps(20);
  launch(runtime, urgent, urgentStream());
  CHECK_EQUAL(threadsOfOurs(), 1);
  steps(40);
  CHECK_EQUAL(lasting.workers(), 4u);
  while (!isInSecondLaunch(lasting))
    steps(10);
  for (int i = 0; i < 20'000 && lasting.workers() != 16; ++i) {
    steps(1);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  CHECK_EQUAL(lasting.workers(), 16u);
  CHECK(!lasting.everyBlockRan(2));
  runtime.finish();
  CHECK_EQUAL(threadsOfOurs(), 0);
  fake().drain();
  CHECK(lasting.everyBlockRan(2));
}

/// What the device cannot be told to raise, a launch that can be paused, a thread raises; once more
/// when it has rested.
static void aThreadRaisesTheRest() {
  Settings settings = attended(true);
  settings.spareLaunches = 1;
  Runtime runtime = heeding(settings);
  Heavy lasting("lasting", 400'000);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  for (int round = 0; round < 2; ++round) {
    Heavy guest("guest", 2000);
    launch(runtime, guest, fake().makeStream());
    steps(60);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    steps(5);
    CHECK(!guest.isOver());
    CHECK_EQUAL(lasting.workers(), 8u); // beside an equal
    untilOver(guest);
    for (int i = 0; i < 10'000 && lasting.workers() != 16; ++i) {
      steps(1);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    CHECK_EQUAL(lasting.workers(), 16u);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK(!lasting.isOver());
  runtime.finish();
  fake().drain();
}

/// As at the end of a fork of the program, wherever the thread was when it was made.
static void aForkEndsAndWritesNothing() {
  const char* const path = "stream_priorities_test.trace.json";
  std::remove(path);
  Settings settings = attended(true);
  settings.tracePath = path;
  settings.traceTimed = false;
  Runtime runtime = heeding(settings);
  Heavy lasting("lasting", 20'000), urgent("urgent", 4000);
  launch(runtime, lasting, fake().makeStream());
  launch(runtime, urgent, urgentStream());
  for (int i = 0; i < 50; ++i) {
    const int child = fork();
    if (child == 0) {
      runtime.finish();
      _exit(std::filesystem::exists(path) ? 1 : 0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    steps(1);
    std::this_thread::sleep_for(std::chrono::microseconds(37 * i % 211));
  }
  fake().drain();
  runtime.finish();
  CHECK(std::filesystem::exists(path));
  std::remove(path);
}

/// Some of them come while it has stepped back, some when it is on its way back.
static void stepsBackForOneAfterTheOther() {
  Runtime runtime = heeding();
  Heavy lasting("lasting", 9000);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  std::vector<std::unique_ptr<Heavy>> all;
  void* const stream = urgentStream();
  for (int i = 0; i < 6; ++i) {
    Heavy& urgent = *all.emplace_back(std::make_unique<Heavy>("urgent", 200));
    launch(runtime, urgent, stream);
    steps(30);
    CHECK_EQUAL(lasting.workers(), 4u);
    if (i % 2 == 0)
      continue;
    untilOver(urgent);
    CHECK_EQUAL(lasting.workers(), 16u);
  }
  fake().drain();
  CHECK(lasting.isOver());
}

/// Down to what the second one leaves; what it had before is what it has again.
static void stepsBackFurther() {
  Runtime runtime = heeding();
  Heavy lasting("lasting", 6000), small("small", 4, /*hasTwin=*/false), urgent("urgent", 400);
  small.native.body = [&](uint64_t, void**) {};
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  void* const stream = urgentStream();
  for (int i = 0; i < 100; ++i)
    launch(runtime, small, stream);
  steps(40);
  CHECK_EQUAL(lasting.workers(), 12u);
  launch(runtime, urgent, urgentStream(-3)); // less than those, more than none
  steps(40);
  CHECK_EQUAL(lasting.workers(), 4u);
  untilOver(urgent);
  steps(200);
  CHECK(!lasting.isOver());
  CHECK_EQUAL(lasting.workers(), 16u);
  fake().drain();
}

/// The rule holds whatever the policy makes wait.
static void doesNotWaitForALowerOne() {
  class WaitingByProfile final : public Policy {
  public:
    const char* name() const override { return "waiting"; }
    bool wantsProfiles() const override { return true; }
    std::vector<Decision> decide(const PolicyState& state) const override {
      return Waiting(4).decide(state);
    }
    std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                   const DeviceLimits&) const override {
      return {};
    }
  };
  Runtime runtime(Settings(), std::make_unique<WaitingByProfile>());
  Heavy lasting("lasting", 2000), urgent("urgent", 100), later("later", 100);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  void* const stream = urgentStream();
  launch(runtime, urgent, stream);
  launch(runtime, later, fake().makeStream());
  untilOver(urgent);
  CHECK(!lasting.isOver());
  CHECK_EQUAL(later.workers(), 0u);
  fake().drain();
  CHECK(lasting.isOver() && later.isOver());
}

/// So that it can step back; else the occupancy guard would keep it native.
static void keepsItsBudgetOnceThereAreSuchStreams() {
  Runtime runtime = heeding();
  Heavy kernel("kernel"), urgent("urgent");
  kernel.twin.occupancy = urgent.twin.occupancy = 3;
  fake().forget();
  void* const stream = fake().makeStream();
  launch(runtime, kernel, stream);
  fake().drain();
  CHECK_EQUAL(fake().nativeLaunches, 1u);
  launch(runtime, urgent, urgentStream());
  fake().drain();
  CHECK_EQUAL(fake().nativeLaunches, 2u); // nobody goes before it
  launch(runtime, kernel, stream);
  fake().drain();
  CHECK_EQUAL(fake().nativeLaunches, 2u);
}

/// What a policy without profiles shows is the order in which launches come.
static void onlyUnderPoliciesThatGoByProfiles() {
  Runtime runtime(Settings(), std::make_unique<Sharing>());
  Heavy lasting("lasting", 2000), urgent("urgent", 400);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  launch(runtime, urgent, urgentStream());
  steps(40);
  CHECK_EQUAL(lasting.workers(), 8u);
  CHECK_EQUAL(urgent.workers(), 8u);
  fake().drain();
}

static void whatCudaDoesNotSayIsTheDefault() {
  fake().fail.insert("streamGetPriority");
  Runtime runtime = heeding();
  Heavy lasting("lasting", 2000), urgent("urgent", 400);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  launch(runtime, urgent, urgentStream());
  steps(40);
  CHECK_EQUAL(lasting.workers(), 8u);
  CHECK_EQUAL(fake().lastError, 0);
  fake().drain();
  fake().fail.clear();
}

static size_t measuredPairs(bool areAlike) {
  const char* const path = "stream_priorities_test.pairs.json";
  Settings settings;
  settings.pairsPath = path;
  settings.nativePairs = false;
  Runtime runtime(settings, std::make_unique<SharingByProfile>());
  MeasuredPair pair;
  if (!areAlike)
    pair.second = urgentStream();
  pair.alone(runtime);
  for (uint32_t round = 0; round < PairHistory::kTrials + 2; ++round)
    pair.together(runtime);
  runtime.finish();
  const Result<PairHistoryFile> file = readPairHistory(path);
  std::remove(path);
  return file ? file->pairs.size() : 0;
}

/// It is no pair of two that the policy has put together.
static void isNotMeasured() {
  CHECK_EQUAL(measuredPairs(/*areAlike=*/true), size_t(1));
  CHECK_EQUAL(measuredPairs(/*areAlike=*/false), size_t(0));
}

int main() {
  stepsBackAndComesBackByItself(false);
  stepsBackAndComesBackByItself(true);
  makesTheRoomThatIsNeeded();
  aNewcomerHasTheRoomThatIsLeft();
  comesBackInTwoSteps();
  comesBackAtOnceWhereTheEqualIsGone();
  comesBackBehindTheLast();
  comesBackToThePolicysBudget();
  aRaiseDoesNotWaitBehindHelp();
  eventsAreUsedAgain();
  aHandleMayHaveAnotherPriority();
  theLargestGridCounts();
  comesBackToWhatItHadFirst();
  queuesComeBack();
  aThreadRaisesTheRest();
  aForkEndsAndWritesNothing();
  stepsBackForOneAfterTheOther();
  stepsBackFurther();
  doesNotWaitForALowerOne();
  keepsItsBudgetOnceThereAreSuchStreams();
  onlyUnderPoliciesThatGoByProfiles();
  whatCudaDoesNotSayIsTheDefault();
  isNotMeasured();
  return checkResult();
}
