// sharing_test - kernels of another process count in every decision, and ours in theirs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other process is a fork that uses the board alone: it says what runs there, and does not run
// it. A thread of the runtime carries out what it asks, so that the test steps the device
// until it sees what it waits for.
#include "rt/policy/Priorities.h"
#include "rt/sharing/Board.h"
#include "rt/support/TemporaryFolder.h"
#include "test/Check.h"
#include "test/rt/FakeProgram.h"
#include "test/rt/ForkedProcess.h"
#include "test/rt/SharingPolicy.h"

#include <chrono>
#include <numeric>
#include <set>
#include <thread>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static const DeviceUuid kFake = [] {
  DeviceUuid uuid;
  uuid.fill('f');
  uuid[0] = 0;
  return uuid;
}();

/// What the other process says of its one kernel.
class Other {
public:
  explicit Other(const std::string& folder) : board_(std::move(*Board::join(folder))) {
    kernel_.name = "foreign";
    kernel_.occupancyBlocksPerSm = 4;
    kernel_.hasPersistent = true;
  }
  void runs(const DeviceUuid& device = kFake, int32_t priority = kNormalPriority) {
    RunningKernel running;
    running.priority = priority;
    running.firstSequence = running.lastSequence = board_->nextSequence();
    running.blocksPerSm = 4;
    running.kernel = &kernel_;
    std::optional<Board::Session> session = board_->session();
    on_ = session->add();
    write(*on_, running, device, board_->seat());
  }
  void ends() { board_->session()->remove(on_); }
  /// "name budget;" of what it sees, in order of names.
  std::string sees() {
    std::set<std::string> all;
    board_->session()->forEachOther(kFake, [&](uint32_t, const SharedKernel& kernel) {
      all.insert(kernelOf(kernel).name + " " + std::to_string(kernel.blocksPerSm) + ";");
    });
    return std::accumulate(all.begin(), all.end(), std::string());
  }
  /// Ends this process with an error, which the parent sees, if that is not what it sees soon.
  void mustSee(const std::string& expected) {
    for (int i = 0; i < 20'000 && sees() != expected; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK_EQUAL(sees(), expected);
    if (checkResult() != 0)
      _exit(1);
  }
  /// The same of the budgets that others asked of it, "budget alone after;".
  void mustHaveBeenAsked(const std::string& expected) {
    std::string text;
    for (const SharedRequest& request : board_->session()->takeRequests())
      text += std::to_string(request.blocksPerSm) + " " + std::to_string(request.blocksPerSmAlone) +
              " " + std::to_string(request.blocksPerSmAfter) + ";";
    CHECK_EQUAL(text, expected);
    if (checkResult() != 0)
      _exit(1);
  }
  /// For everything that it sees.
  void asksFor(uint32_t blocksPerSm) {
    Board::Session session = std::move(*board_->session());
    session.forEachOther(kFake, [&](uint32_t seat, const SharedKernel& kernel) {
      session.ask(seat, {kernel.sequence, blocksPerSm, 4, 0, 0});
    });
  }

private:
  std::unique_ptr<Board> board_;
  PolicyKernel kernel_;
  SharedKernel* on_ = nullptr; // the board, the latest
};

static Settings sharedIn(const std::string& folder) {
  fake().forget();
  Settings settings;
  settings.shareFolder = folder;
  return settings;
}

static uint32_t workersOf(const ProgramKernel& kernel) {
  return fake().workersOf(&kernel.twin);
}

/// Steps the device a little at a time, for the attendant to keep up.
template <class Condition> static bool until(Condition condition) {
  for (int i = 0; i < 20'000 && !condition(); ++i) {
    fake().step();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return condition();
}

static void budgetsFollowTheOther(const std::string& folder) {
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    turns.next();
    other.mustSee("lasting 4;");
    other.runs();
    other.asksFor(2);
    turns.next();
    other.mustSee("lasting 2;");
    other.ends();
    turns.next();
    other.mustSee("lasting 4;");
  });
  {
    ProgramKernel lasting("lasting", 2'000'000);
    Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
    launch(runtime, lasting, fake().makeStream());
    CHECK(until([&] { return workersOf(lasting) == 16; }));
    process.step(); // it takes its seat
    process.step(); // it comes and asks
    CHECK(until([&] { return workersOf(lasting) == 8; }));
    process.step(); // it goes
    CHECK(until([&] { return workersOf(lasting) == 16; }));
    CHECK(fake().contextSetTo != nullptr);
    process.step();
    CHECK_EQUAL(process.exitCode(), 0);
    runtime.finish();
    fake().drain();
    CHECK(lasting.everyBlockRan(1));
  }
}

static void launchesCountTheOther(const std::string& folder) {
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    turns.next();
    other.runs();
    turns.next();
    other.mustSee("guest 2;");
    other.mustHaveBeenAsked("2 4 0;");
    other.runs({'x'}); // also on another device
    turns.next();
    other.mustSee("guest 1;late 1;");
    other.mustHaveBeenAsked("1 4 0;");
    turns.next();
    other.mustSee("");
  });
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  ProgramKernel guest("guest", 400), late("late", 40);
  process.step();
  process.step();
  launch(runtime, guest, fake().makeStream());
  CHECK(until([&] { return workersOf(guest) == 8; }));
  process.step();
  launch(runtime, late, fake().makeStream());
  process.step();
  fake().drain();
  CHECK(guest.everyBlockRan(1) && late.everyBlockRan(1));
  // Nobody launches any more: the attendant tells that they have ended.
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::unique_ptr<Board> third = std::move(*Board::join(folder));
  CHECK(until([&] {
    size_t kernels = 0;
    third->session()->forEachOther(kFake, [&](uint32_t, const SharedKernel& kernel) {
      kernels += kernelOf(kernel).name != "foreign";
    });
    return kernels == 0;
  }));
  process.step();
  CHECK_EQUAL(process.exitCode(), 0);
}

/// Waits for everything that runs.
class Waiting final : public Policy {
public:
  const char* name() const override { return "waiting"; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    Decision decision;
    decision.action = Action::Wait;
    decision.sequence = state.waiting.front().sequence;
    decision.blocksPerSm = 1;
    for (const RunningKernel& running : state.running)
      decision.after.push_back(running.lastSequence);
    return {decision};
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }
};

static void waitsStayInTheProcess(const std::string& folder) {
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    other.runs();
    turns.next();
  });
  process.step();
  Settings settings = sharedIn(folder);
  settings.tracePath = folder + "/trace.json";
  settings.traceTimed = false;
  Runtime runtime(settings, std::make_unique<Waiting>());
  ProgramKernel first("first"), second("second");
  launch(runtime, first, fake().makeStream());
  launch(runtime, second, fake().makeStream());
  CHECK_EQUAL(fake().waits, 1u);
  fake().drain();
  CHECK(first.everyBlockRan(1) && second.everyBlockRan(1));
  runtime.finish();
  const Result<TraceFile> trace = readTrace(settings.tracePath);
  CHECK(trace && trace->launches.size() == 2);
  CHECK(trace->launches[0].after.empty());
  CHECK_EQUAL(trace->launches[0].reason, std::string("does not wait for other processes"));
  CHECK(trace->launches[1].after == std::vector<uint64_t>{trace->launches[0].sequence});
}

/// A neighbour in the process ends while the other process still runs.
static void deviceRaisesNothingInCompany(const std::string& folder) {
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    turns.next();
    other.runs();
    other.asksFor(1);
    turns.next();
    other.ends();
    turns.next();
  });
  process.step();
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2'000'000), guest("guest", 2000);
  launch(runtime, lasting, fake().makeStream());
  launch(runtime, guest, fake().makeStream());
  CHECK(until([&] { return workersOf(lasting) == 8 && workersOf(guest) == 8; }));
  process.step();
  CHECK(until([&] { return workersOf(lasting) == 4 && workersOf(guest) == 4; }));
  CHECK(until([&] { return guest.everyBlockRan(1); }));
  for (int i = 0; i < 200; ++i)
    fake().step();
  CHECK_EQUAL(workersOf(lasting), 4u);
  process.step();
  CHECK(until([&] { return workersOf(lasting) == 16; }));
  runtime.finish();
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
}

/// Whatever the policy wants, and with somebody of equal priority left.
static void stepsBackForAHigherPriority(const std::string& folder) {
  ForkedProcess equal([&](Turns& turns) {
    Other other(folder);
    other.runs(kFake, kLowPriority);
    turns.next();
  });
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    other.runs(kFake, kHighPriority);
    turns.next();
    other.mustSee("foreign 4;lasting 1;");
    other.asksFor(3); // by a policy that does not know why it stepped back
    turns.next();
    other.ends();
    turns.next();
  });
  Settings settings = sharedIn(folder);
  settings.priority = kLowPriority;
  Runtime runtime(settings, std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2'000'000);
  equal.step();
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

static void asksLowerOnesToStepBack(const std::string& folder) {
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    other.runs(kFake, kLowPriority);
    turns.next();
    other.mustSee("urgent 4;"); // as if alone
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

static void whoCannotShareRunsAlone(const std::string& folder) {
  Settings settings = sharedIn("/proc/none");
  ProgramKernel kernel("kernel");
  {
    Runtime runtime(settings, std::make_unique<Sharing>());
    launch(runtime, kernel, fake().makeStream());
    fake().drain();
    CHECK(kernel.everyBlockRan(1));
  }
  fake().fail = {"cuDeviceGetUuid"};
  settings.shareFolder = folder;
  Runtime runtime(settings, std::make_unique<Sharing>());
  launch(runtime, kernel, fake().makeStream());
  fake().drain();
  CHECK(kernel.everyBlockRan(2));
  CHECK_EQUAL(fake().lastError, 0);
  fake().fail.clear();
}

int main() {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  CHECK(folder.ok());
  budgetsFollowTheOther(folder->file("follow"));
  launchesCountTheOther(folder->file("count"));
  waitsStayInTheProcess(folder->file("waits"));
  deviceRaisesNothingInCompany(folder->file("company"));
  stepsBackForAHigherPriority(folder->file("back"));
  asksLowerOnesToStepBack(folder->file("asks"));
  lowPriorityIsNeverNativeForSpeed(folder->file("guard"));
  whoCannotShareRunsAlone(folder->file("alone"));
  return checkResult();
}
