// unmanaged_test - launches that only their caller can make: who sees them, who steps back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device has four SMs (UrgentProgram.h).
#include "rt/schema/Trace.h"
#include "rt/support/TemporaryFolder.h"
#include "test/rt/OtherProcess.h"
#include "test/rt/UrgentProgram.h"

using namespace gpusched;

struct Offered {
  bool made;
  int error;
};

/// As a library's launch comes; natively where the runtime does not want it.
static Offered offer(Runtime& runtime, ProgramKernel& kernel, void* stream, int error = 0,
                     bool isGraph = false) {
  static void* none[1] = {};
  gpusched_launch_request request = {};
  request.abi_version = GPUSCHED_ABI_VERSION;
  request.function = &kernel.native;
  request.grid = {uint32_t(kernel.runs.size()), 1, 1};
  request.block = {128, 1, 1};
  request.arguments = none;
  request.stream = stream;
  request.kernels = &kernel.node;
  request.cudart = fake().table();
  struct Call {
    const gpusched_launch_request request;
    int error;
    int calls = 0;
  } call{request, error};
  const auto make = [](void* data) {
    Call& made = *static_cast<Call*>(data);
    ++made.calls;
    const gpusched_launch_request& asked = made.request;
    return made.error
               ? made.error
               : asked.cudart->launchKernel(asked.function, asked.grid, asked.block,
                                            asked.arguments, asked.sharedBytes, asked.stream);
  };
  if (isGraph)
    request.function = nullptr, request.grid = request.block = {1, 1, 1};
  Offered offered{false, 0};
  offered.made = runtime.launchUnmanaged(request, {make, &call}, offered.error);
  CHECK_EQUAL(call.calls, offered.made ? 1 : 0);
  if (!offered.made)
    (void)make(&call);
  return offered;
}

/// It costs nothing where nobody steps back for it and nobody wants to know.
static void isTheCallersWhereNobodyCares() {
  Runtime runtime = heeding();
  Heavy library("library");
  const uint64_t records = fake().records;
  CHECK(!offer(runtime, library, fake().makeStream()).made);
  CHECK_EQUAL(fake().records, records);
  Runtime plain(Settings(), std::make_unique<Sharing>());
  CHECK(!offer(plain, library, urgentStream()).made);
  fake().drain();
}

static void othersStepBackForIt() {
  Runtime runtime = heeding();
  Heavy lasting("lasting", 3000), small("small", 4, /*hasTwin=*/false);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  void* const stream = urgentStream();
  for (int i = 0; i < 100; ++i)
    CHECK(offer(runtime, small, stream).made);
  steps(30);
  CHECK_EQUAL(workersOf(lasting), 12u);
  while (!small.everyBlockRan(100))
    steps(1);
  steps(60);
  CHECK(!lasting.everyBlockRan(1));
  CHECK_EQUAL(workersOf(lasting), 16u); // by itself
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
}

/// Nobody knows what is in it.
static void aGraphFillsTheDevice() {
  Settings settings;
  settings.tracePath = "unmanaged_test.trace.json";
  settings.traceTimed = false;
  Runtime runtime = heeding(settings);
  Heavy lasting("lasting", 3000), inside("inside", 4, /*hasTwin=*/false);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  void* const stream = urgentStream();
  for (int i = 0; i < 40; ++i)
    CHECK(offer(runtime, inside, stream, 0, /*isGraph=*/true).made);
  steps(60);
  CHECK_EQUAL(workersOf(lasting), 4u);
  while (!inside.everyBlockRan(40))
    steps(1);
  steps(60);
  CHECK_EQUAL(workersOf(lasting), 16u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
  runtime.finish();
  const Result<TraceFile> trace = readTrace(settings.tracePath);
  CHECK(trace.ok() && trace->launches.size() == 41);
  if (trace && trace->launches.size() == 41) {
    CHECK_EQUAL(trace->launches[1].kernel, std::string("(graph)"));
    CHECK_EQUAL(trace->launches[1].reason, std::string("launched as it comes; a graph"));
    CHECK_EQUAL(trace->launches[1].set, trace->launches[40].set); // one entry of what runs
  }
  std::remove(settings.tracePath.c_str());
}

static void noPolicySeesIt() {
  Runtime runtime = heeding();
  Heavy library("library", 40, /*hasTwin=*/false), lasting("lasting", 3000), equal("equal", 2000);
  void* const stream = urgentStream();
  for (int i = 0; i < 3; ++i)
    offer(runtime, library, stream);
  launch(runtime, lasting, fake().makeStream());
  steps(40);
  CHECK_EQUAL(workersOf(lasting), 4u);
  while (!library.everyBlockRan(3))
    steps(1);
  steps(60);
  CHECK(!lasting.everyBlockRan(1));
  CHECK_EQUAL(workersOf(lasting), 16u); // as if it had been alone all the time
  launch(runtime, equal, fake().makeStream());
  steps(40);
  CHECK_EQUAL(workersOf(lasting), 8u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1) && equal.everyBlockRan(1));
}

/// Nor the occupancy guard, which keeps a kernel native while it is alone.
static void isNoCompany() {
  Settings settings;
  settings.tracePath = "unmanaged_test.trace.json";
  settings.traceTimed = false;
  Runtime runtime = heeding(settings);
  Heavy library("library"), lasting("lasting");
  lasting.twin.occupancy = 3;
  offer(runtime, library, fake().makeStream());
  fake().forget();
  launch(runtime, lasting, fake().makeStream());
  CHECK_EQUAL(fake().nativeLaunches, 1u);
  fake().drain();
  Heavy other("other", 2000);
  launch(runtime, other, fake().makeStream());
  steps(20);
  offer(runtime, library, fake().makeStream());
  steps(40);
  CHECK_EQUAL(workersOf(other), 16u);
  fake().drain();

  Heavy raised("lasting", 3000), equal("equal", 40), longLibrary("library", 1000, false);
  launch(runtime, raised, fake().makeStream());
  launch(runtime, equal, fake().makeStream());
  offer(runtime, longLibrary, fake().makeStream());
  while (!equal.everyBlockRan(1))
    steps(1);
  steps(60);
  CHECK(!longLibrary.everyBlockRan(1));
  CHECK_EQUAL(workersOf(raised), 16u);
  fake().drain();
}

static size_t measuredPairs(bool isUnmanaged) {
  const char* const path = "unmanaged_test.pairs.json";
  Settings settings;
  settings.pairsPath = path;
  settings.nativePairs = false;
  settings.tracePath = "unmanaged_test.trace.json";
  settings.traceTimed = false;
  Runtime runtime = heeding(settings);
  ProgramKernel a("a", 400), b("b", 200);
  void *const first = fake().makeStream(), *const second = fake().makeStream();
  const auto launchB = [&] {
    if (isUnmanaged)
      offer(runtime, b, second);
    else
      launch(runtime, b, second);
  };
  for (uint32_t round = 0; round <= Trials::kAlone; ++round) {
    launch(runtime, a, first);
    fake().drain();
    launchB();
    fake().drain();
  }
  for (uint32_t round = 0; round < 2 * PairHistory::kTrials + 2; ++round) {
    if (round % 2 == 1)
      launchB();
    steps(20);
    launch(runtime, a, first);
    steps(20);
    if (round % 2 == 0)
      launchB();
    fake().drain();
  }
  runtime.finish();
  const Result<PairHistoryFile> file = readPairHistory(path);
  std::remove(path);
  std::remove(settings.tracePath.c_str());
  if (!file)
    return 0;
  return size_t(std::count_if(file->pairs.begin(), file->pairs.end(), [](const PairRecord& pair) {
    return pair.first == "b" || pair.second == "b";
  }));
}

static void isNotMeasured() {
  CHECK_EQUAL(measuredPairs(/*isUnmanaged=*/false), size_t(1));
  CHECK_EQUAL(measuredPairs(/*isUnmanaged=*/true), size_t(0));
}

/// The device has raised a launch, but another one of its queue runs by the time that the host sees
/// it: that is raised, too.
static void itsLaunchTakesNoteOfRaises() {
  Settings settings;
  settings.tracePath = "unmanaged_test.trace.json";
  settings.traceTimed = false;
  Runtime runtime = heeding(settings);
  Heavy lasting("lasting", 2000), guest("guest", 40), library("library", 1);
  void* const stream = fake().makeStream();
  launch(runtime, lasting, stream);
  launch(runtime, lasting, stream);
  steps(20);
  launch(runtime, guest, fake().makeStream());
  while (!isInSecondLaunch(lasting))
    steps(1);
  steps(20);
  CHECK(guest.everyBlockRan(1));
  CHECK_EQUAL(workersOf(lasting), 8u);
  offer(runtime, library, fake().makeStream());
  steps(40);
  CHECK_EQUAL(workersOf(lasting), 16u);
  CHECK(!lasting.everyBlockRan(2));
  fake().drain();
  CHECK(lasting.everyBlockRan(2));
}

static void isNeverATwin() {
  Settings settings = forcedPersistent();
  settings.tracePath = "unmanaged_test.trace.json";
  Runtime runtime = heeding(settings);
  Heavy kernel("kernel");
  fake().forget();
  CHECK(offer(runtime, kernel, urgentStream()).made);
  CHECK_EQUAL(fake().nativeLaunches, 1u);
  fake().drain();
  Runtime noPolicy(settings);
  CHECK(offer(noPolicy, kernel, urgentStream()).made); // between two events
  CHECK_EQUAL(fake().nativeLaunches, 2u);
  fake().drain();
  CHECK(kernel.everyBlockRan(2));
}

static void standsInTheTrace() {
  Settings settings;
  settings.tracePath = "unmanaged_test.trace.json";
  settings.traceTimed = false;
  Runtime runtime = heeding(settings);
  Heavy library("library", 100, /*hasTwin=*/false);
  library.node.file = "";
  CHECK(offer(runtime, library, fake().makeStream()).made);
  fake().drain();
  runtime.finish();
  const Result<TraceFile> trace = readTrace(settings.tracePath);
  CHECK(trace.ok() && trace->launches.size() == 1);
  if (trace && trace->launches.size() == 1) {
    CHECK_EQUAL(trace->launches[0].kernel, std::string("library"));
    CHECK_EQUAL(trace->launches[0].variant, std::string("native"));
    CHECK_EQUAL(trace->launches[0].reason,
                std::string("launched as it comes; of no compiler of ours"));
  }
  std::remove(settings.tracePath.c_str());
}

/// What CUDA says against it the program hears; nothing runs that others would step back for.
static void failsAsItFails() {
  Runtime runtime = heeding();
  Heavy lasting("lasting", 2000), library("library");
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  const Offered offered = offer(runtime, library, urgentStream(), 719);
  CHECK(offered.made);
  CHECK_EQUAL(offered.error, 719);
  launch(runtime, lasting, fake().makeStream());
  steps(60);
  CHECK_EQUAL(workersOf(lasting), 16u);
  fake().drain();
}

/// Of several the others see one.
static void otherProcessesStepBackForIt(const std::string& folder) {
  ForkedProcess process([&](Turns& turns) {
    Other other(folder);
    other.runs(kFake, kLowPriority);
    turns.next();
    other.mustSee("library 0 high;");
    other.mustHaveBeenAsked("1 0 4;");
    turns.next();
    other.mustSee("later 0 high;");
    turns.next();
    other.mustSee("");
    turns.next();
  });
  process.step();
  Settings settings = sharedIn(folder);
  settings.priority = kHighPriority;
  Runtime runtime(settings, std::make_unique<Sharing>());
  Heavy library("library", 50, false), later("later", 3000, false);
  CHECK(offer(runtime, library, fake().makeStream()).made);
  CHECK(offer(runtime, later, fake().makeStream()).made);
  process.step();
  until([&] { return library.everyBlockRan(1); });
  steps(10);
  process.step();
  fake().drain();
  process.step();
  process.step();
  CHECK_EQUAL(process.exitCode(), 0);
  runtime.finish();
}

/// Of equal priority nobody changes anything for it.
static void equalsDoNotSeeIt(const std::string& folder) {
  ForkedProcess process([&](Turns& turns) {
    Settings settings;
    settings.shareFolder = folder;
    Runtime runtime(settings, std::make_unique<Sharing>());
    Heavy library("library", 50, false);
    offer(runtime, library, fake().makeStream());
    turns.next();
  });
  process.step();
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  Heavy lasting("lasting", 2000);
  launch(runtime, lasting, fake().makeStream());
  steps(20);
  CHECK_EQUAL(workersOf(lasting), 16u);
  fake().drain();
  runtime.finish();
}

int main() {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  CHECK(folder.ok());
  isTheCallersWhereNobodyCares();
  othersStepBackForIt();
  aGraphFillsTheDevice();
  noPolicySeesIt();
  isNoCompany();
  isNotMeasured();
  itsLaunchTakesNoteOfRaises();
  isNeverATwin();
  standsInTheTrace();
  failsAsItFails();
  otherProcessesStepBackForIt(folder->file("higher"));
  equalsDoNotSeeIt(folder->file("equal"));
  return checkResult();
}
