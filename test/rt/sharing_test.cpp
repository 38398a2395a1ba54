// sharing_test - kernels of another process count in every decision, and ours in theirs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/support/TemporaryFolder.h"
#include "test/rt/OtherProcess.h"

using namespace gpusched;

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
  void* const stream = fake().makeStream();
  launch(runtime, late, stream);
  launch(runtime, late, stream); // counts once, as it runs in turn
  process.step();
  fake().drain();
  CHECK(guest.everyBlockRan(1) && late.everyBlockRan(2));
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

static void waitsStayInTheProcess(const std::string& folder) {
  Visitor process(folder);
  process.comes();
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
  Visitor process(folder, kNormalPriority, 1);
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2'000'000), guest("guest", 2000);
  launch(runtime, lasting, fake().makeStream());
  launch(runtime, guest, fake().makeStream());
  CHECK(until([&] { return workersOf(lasting) == 8 && workersOf(guest) == 8; }));
  process.comes();
  CHECK(until([&] { return workersOf(lasting) == 4 && workersOf(guest) == 4; }));
  CHECK(until([&] { return guest.everyBlockRan(1); }));
  steps(200);
  CHECK_EQUAL(workersOf(lasting), 4u);
  process.goes();
  CHECK(until([&] { return workersOf(lasting) == 16; }));
  runtime.finish();
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
}

/// Mostly gone before the attendant looks for the first time.
static void companyOfAMoment(const std::string& folder) {
  Visitor process(folder);
  process.comes();
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2'000'000);
  launch(runtime, lasting, fake().makeStream());
  process.goes();
  CHECK(until([&] { return workersOf(lasting) == 16; }));
  runtime.finish();
  fake().drain();
}

/// Company that was there before: nothing is planned for a neighbour's end.
static void nothingIsPlannedInCompany(const std::string& folder) {
  Visitor process(folder);
  process.comes();
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2'000'000), guest("guest", 400);
  launch(runtime, lasting, fake().makeStream());
  CHECK(until([&] { return workersOf(lasting) == 8; }));
  for (int i = 0; i < 50; ++i) // for the attendant to have seen it, too
    fake().step(), std::this_thread::sleep_for(std::chrono::milliseconds(1));
  launch(runtime, guest, fake().makeStream());
  CHECK(until([&] { return workersOf(lasting) == 4 && workersOf(guest) == 4; }));
  CHECK(until([&] { return guest.everyBlockRan(1); }));
  steps(100);
  CHECK_EQUAL(workersOf(lasting), 4u);
  runtime.finish();
  fake().drain();
}

/// The occupancy guard is for kernels that run alone.
static void whatLosesBlocksHasItsBudgetInCompany(const std::string& folder) {
  Visitor process(folder);
  Runtime runtime(sharedIn(folder), std::make_unique<Waiting>(4));
  ProgramKernel kernel("kernel");
  kernel.twin.occupancy = 3;
  launch(runtime, kernel, fake().makeStream());
  fake().drain();
  CHECK_EQUAL(fake().nativeLaunches, 1u);
  process.comes();
  launch(runtime, kernel, fake().makeStream());
  fake().drain();
  CHECK_EQUAL(fake().nativeLaunches, 1u);
  CHECK(kernel.everyBlockRan(2));
}

/// The company goes while a neighbour in the process is still there: then the device raises.
static void deviceRaisesAfterCompany(const std::string& folder) {
  Visitor process(folder, kNormalPriority, 1);
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2'000'000), guest("guest", 3000);
  launch(runtime, lasting, fake().makeStream());
  launch(runtime, guest, fake().makeStream());
  process.comes();
  CHECK(until([&] { return workersOf(lasting) == 4 && workersOf(guest) == 4; }));
  process.goes();
  for (int i = 0; i < 100; ++i)
    fake().step(), std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(!guest.everyBlockRan(1));
  CHECK_EQUAL(workersOf(lasting), 4u);
  CHECK(until([&] { return guest.everyBlockRan(1); }));
  CHECK(until([&] { return workersOf(lasting) == 16; }));
  runtime.finish();
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
}

/// Starts everything natively, keeps the names that it is shown, and would pause what runs.
class Recording final : public Policy {
public:
  explicit Recording(std::string& seen) : seen_(seen) {}
  const char* name() const override { return "recording"; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    seen_.clear();
    std::vector<Decision> decisions;
    for (const RunningKernel& running : state.running) {
      seen_ += running.kernel->name + ";";
      Decision& pause = decisions.emplace_back();
      pause.action = Action::Pause;
      pause.sequence = running.lastSequence;
    }
    return decisions;
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }

private:
  std::string& seen_;
};

/// In order of submission, whoever submitted it.
static void policiesSeeWhatRunsNow(const std::string& folder) {
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    turns.next();
    other.runs(kFake, kNormalPriority, "between");
    turns.next();
    other.mustHaveBeenAsked(""); // others pause nothing here
    other.ends();
    turns.next();
  });
  ForkedProcess third([&](Turns& turns) {
    Other other(folder);
    turns.next();
    other.runs(kFake, kNormalPriority, "newer");
    turns.next();
  });
  third.step(); // so that its seat is the first
  process.step();
  std::string seen;
  Runtime runtime(sharedIn(folder), std::make_unique<Recording>(seen));
  ProgramKernel first("first"), second("second"), last("last");
  launch(runtime, first, fake().makeStream());
  CHECK_EQUAL(seen, std::string());
  process.step();
  launch(runtime, second, fake().makeStream());
  CHECK_EQUAL(seen, std::string("first;between;"));
  third.step();
  launch(runtime, last, fake().makeStream());
  CHECK_EQUAL(seen, std::string("first;between;second;newer;"));
  process.step();
  launch(runtime, last, fake().makeStream());
  CHECK_EQUAL(seen, std::string("first;second;newer;last;"));
  fake().drain();
}

static ForkedProcess* watcher = nullptr;
static int watchedLaunch(const void* function, gpusched_dim3 grid, gpusched_dim3 block,
                         void** arguments, size_t sharedBytes, void* stream) {
  watcher->step();
  return fake().table()->launchKernel(function, grid, block, arguments, sharedBytes, stream);
}

/// The attendant cannot have written it: a launch has the device's lock.
static void arrivalsAreSeenBeforeTheyAreEnqueued(const std::string& folder) {
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    turns.next();
    for (int launched = 0; launched < 2; ++launched) {
      CHECK_EQUAL(other.sees(), std::string("kernel 3;")); // the second runs in turn
      turns.next();
    }
  });
  process.step();
  watcher = &process;
  gpusched_cudart watched = *fake().table();
  watched.launchKernel = watchedLaunch;
  Runtime runtime(sharedIn(folder), std::make_unique<Waiting>(3));
  ProgramKernel kernel("kernel");
  void* const stream = fake().makeStream();
  for (int launched = 0; launched < 2; ++launched)
    launch(runtime, kernel, stream, 128, false, &watched);
  fake().drain();
  CHECK(kernel.everyBlockRan(2));
}

/// More kernels than there is room for.
static void theBoardIsFull(const std::string& folder) {
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    turns.next();
    std::string all;
    for (uint32_t i = 0; i < Board::kKernels; ++i)
      all += "kernel 0;";
    other.mustSee(all);
    turns.next();
    other.mustSee("");
    turns.next();
  });
  process.step();
  std::string seen;
  Runtime runtime(sharedIn(folder), std::make_unique<Recording>(seen));
  ProgramKernel kernel("kernel");
  for (uint32_t i = 0; i < Board::kKernels + 8; ++i)
    launch(runtime, kernel, fake().makeStream());
  process.step();
  fake().drain();
  process.step();
  process.step();
  CHECK_EQUAL(process.exitCode(), 0);
}

/// The policy here says nothing of a budget alone; that of the other does.
static void ownersSayWhatIsForAlone(const std::string& folder) {
  Visitor process(folder, kNormalPriority, 2);
  Runtime runtime(sharedIn(folder), std::make_unique<Waiting>());
  ProgramKernel lasting("lasting", 2'000'000);
  launch(runtime, lasting, fake().makeStream());
  CHECK(until([&] { return workersOf(lasting) == 4; }));
  process.comes();
  CHECK(until([&] { return workersOf(lasting) == 8; }));
  process.goes();
  CHECK(until([&] { return workersOf(lasting) == 16; }));
  runtime.finish();
  fake().drain();
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
  companyOfAMoment(folder->file("moment"));
  nothingIsPlannedInCompany(folder->file("planned"));
  whatLosesBlocksHasItsBudgetInCompany(folder->file("guard"));
  deviceRaisesAfterCompany(folder->file("after"));
  policiesSeeWhatRunsNow(folder->file("now"));
  arrivalsAreSeenBeforeTheyAreEnqueued(folder->file("arrivals"));
  theBoardIsFull(folder->file("full"));
  ownersSayWhatIsForAlone(folder->file("alone"));
  whoCannotShareRunsAlone(folder->file("cannot"));
  return checkResult();
}
