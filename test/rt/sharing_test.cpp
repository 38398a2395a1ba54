// sharing_test - kernels of another process count in every decision, and ours in theirs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other process is a fork that uses the board alone: it says what runs there, and does not run
// it. A thread of the runtime carries out what it asks, so that the test steps the device
// until it sees what it waits for.
#include "rt/sharing/Board.h"
#include "rt/support/TemporaryFolder.h"
#include "test/Check.h"
#include "test/rt/FakeProgram.h"
#include "test/rt/ForkedProcess.h"
#include "test/rt/SharingPolicy.h"

#include <chrono>
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
  void runs(const DeviceUuid& device = kFake, uint32_t blocksPerSm = 4) {
    RunningKernel running;
    running.firstSequence = running.lastSequence = board_->nextSequence();
    running.blocksPerSm = blocksPerSm;
    running.kernel = &kernel_;
    std::optional<Board::Session> session = board_->session();
    on_ = session->add();
    write(*on_, running, device, board_->seat());
  }
  void ends() { board_->session()->remove(on_); }
  /// "name budget" of what it sees.
  std::string sees() {
    std::string text;
    board_->session()->forEachOther(kFake, [&](uint32_t, const SharedKernel& kernel) {
      text += kernelOf(kernel).name + " " + std::to_string(kernel.blocksPerSm) + ";";
    });
    return text;
  }
  /// For everything that it sees.
  void asksFor(uint32_t blocksPerSm) {
    Board::Session session = std::move(*board_->session());
    session.forEachOther(kFake, [&](uint32_t seat, const SharedKernel& kernel) {
      session.ask(seat, {kernel.sequence, blocksPerSm, 4, 0});
    });
  }
  /// Budgets that others asked of it, "budget alone;".
  std::string wasAsked() {
    std::string text;
    for (const SharedRequest& request : board_->session()->takeRequests())
      text += std::to_string(request.blocksPerSm) + " " + std::to_string(request.blocksPerSmAlone) +
              ";";
    return text;
  }

private:
  std::unique_ptr<Board> board_;
  PolicyKernel kernel_;
  SharedKernel* on_ = nullptr; // the board, the latest
};

/// In a child: ends it with an error, which the parent sees.
static void must(bool holds) {
  if (!holds)
    _exit(1);
}

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
    must(other.sees() == "lasting 4;");
    other.runs();
    other.asksFor(2);
    turns.next();
    must(other.sees() == "lasting 2;");
    other.ends();
    turns.next();
    must(other.sees() == "lasting 4;");
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
    must(other.sees() == "guest 2;");
    must(other.wasAsked() == "2 4;");
    other.runs({'x'}); // also on another device
    turns.next();
    must(other.sees() == "guest 2;late 1;");
    must(other.wasAsked() == "1 4;");
    turns.next();
    must(other.sees().empty());
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
  whoCannotShareRunsAlone(folder->file("alone"));
  return checkResult();
}
