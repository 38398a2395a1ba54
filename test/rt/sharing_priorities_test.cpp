// sharing_priorities_test - kernels step back for another process of higher priority.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/support/TemporaryFolder.h"
#include "test/rt/OtherProcess.h"

using namespace gpusched;

/// Whatever the policy wants, and with somebody of equal priority left.
static void stepsBackForAHigherPriority(const std::string& folder) {
  Visitor equal(folder, kLowPriority);
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    other.runs(kFake, kHighPriority);
    turns.next();
    other.mustSee("foreign 4 low;lasting 1 low yields;");
    other.asksFor(3); // by a policy that does not know why it stepped back
    turns.next();
    other.ends();
    turns.next();
  });
  Settings settings = sharedIn(folder);
  settings.priority = kLowPriority;
  Runtime runtime(settings, std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2'000'000);
  equal.comes();
  process.step();
  launch(runtime, lasting, fake().makeStream());
  CHECK(until([&] { return workersOf(lasting) == 4; }));
  process.step();
  for (int i = 0; i < 50; ++i)
    fake().step(), std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK_EQUAL(workersOf(lasting), 4u);
  process.step();
  CHECK(until([&] { return workersOf(lasting) == 12; }));
  runtime.finish();
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
}

/// What the policy wanted of a launch that had to step back at once.
static void hasThePolicysBudgetLater(const std::string& folder) {
  Visitor equal(folder);
  Visitor process(folder, kHighPriority);
  equal.comes();
  process.comes();
  Runtime runtime(sharedIn(folder), std::make_unique<Waiting>(3));
  ProgramKernel lasting("lasting", 2'000'000);
  launch(runtime, lasting, fake().makeStream());
  CHECK(until([&] { return workersOf(lasting) == 4; }));
  process.goes();
  CHECK(until([&] { return workersOf(lasting) == 12; }));
  runtime.finish();
  fake().drain();
}

static void asksLowerOnesToStepBack(const std::string& folder) {
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    other.runs(kFake, kLowPriority);
    turns.next();
    other.mustSee("urgent 4 high;"); // as if alone
    other.mustHaveBeenAsked("1 0 4;");
    turns.next();
  });
  process.step();
  Settings settings = sharedIn(folder);
  settings.priority = kHighPriority;
  Runtime runtime(settings, std::make_unique<Sharing>());
  ProgramKernel urgent("urgent");
  launch(runtime, urgent, fake().makeStream());
  process.step();
  process.step();
  CHECK_EQUAL(process.exitCode(), 0);
  fake().drain();
  CHECK(urgent.everyBlockRan(1));
}

/// So that it can step back; else the occupancy guard would keep it native.
static void lowPriorityIsNeverNativeForSpeed(const std::string& folder) {
  Settings settings = sharedIn(folder);
  for (int32_t priority : {kNormalPriority, kLowPriority}) {
    settings.priority = priority;
    Runtime runtime(settings, std::make_unique<Sharing>());
    ProgramKernel kernel("kernel");
    kernel.twin.occupancy = 3;
    fake().nativeLaunches = 0;
    launch(runtime, kernel, fake().makeStream());
    fake().drain();
    CHECK_EQUAL(fake().nativeLaunches, priority == kNormalPriority ? 1u : 0u);
  }
}

/// It ends as a process, and nobody else is there.
static void hasAllAgainAfterTheLast(const std::string& folder) {
  Visitor process(folder, kHighPriority);
  process.comes();
  Settings settings = sharedIn(folder);
  Runtime runtime(settings, std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2'000'000);
  launch(runtime, lasting, fake().makeStream());
  CHECK(until([&] { return workersOf(lasting) == 4; }));
  process.kill();
  // What the policy said was 2 blocks per SM beside the other and 4 alone.
  CHECK(until([&] { return workersOf(lasting) == 16; }));
  runtime.finish();
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
}

/// Of those that stepped back as they ran.
static void hasWhatItHadBeside(const std::string& folder) {
  Visitor equal(folder);
  Visitor process(folder, kHighPriority, 1, 3);
  equal.comes();
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2'000'000);
  launch(runtime, lasting, fake().makeStream());
  CHECK(until([&] { return workersOf(lasting) == 8; }));
  process.comes();
  CHECK(until([&] { return workersOf(lasting) == 4; }));
  process.goes();
  CHECK(until([&] { return workersOf(lasting) == 12; })); // not what it would have alone
  runtime.finish();
  fake().drain();
}

int main() {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  CHECK(folder.ok());
  stepsBackForAHigherPriority(folder->file("back"));
  hasThePolicysBudgetLater(folder->file("later"));
  asksLowerOnesToStepBack(folder->file("asks"));
  hasAllAgainAfterTheLast(folder->file("last"));
  hasWhatItHadBeside(folder->file("had"));
  lowPriorityIsNeverNativeForSpeed(folder->file("guard"));
  return checkResult();
}
