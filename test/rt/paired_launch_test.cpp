// paired_launch_test - two launches side by side become one, or stay what they are.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/KernelRegistry.h"
#include "test/Check.h"
#include "test/rt/PairedProgram.h"
#include "test/rt/TestPolicies.h"

#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static Settings always() {
  Settings settings;
  settings.fusing = Fusing::Always;
  return settings;
}

/// a and b, side by side.
static void together(Runtime& runtime, PairedProgram& program,
                     gpusched_pair_mark begins = GPUSCHED_PAIR_BEGINS) {
  together(runtime, program, program.s1, program.s2, begins);
}

static void everyBlockOfBothIsRunOnce() {
  for (uint32_t a = 1; a <= 48; ++a)
    for (uint32_t b = 1; b <= 48; ++b) {
      const gpusched_pair pair = makePair({a, 1, 1}, {b, 1, 1});
      std::vector<unsigned> ofA(a), ofB(b);
      for (uint32_t block = 0; block < a + b; ++block) {
        const PairedBlockId which(pair, block);
        ++(which.isFirst ? ofA : ofB).at(which.id);
        // Evenly: no kernel is ahead by more than a block.
        const uint64_t ran = which.isFirst ? which.id + 1 : block + 1 - (which.id + 1);
        CHECK(ran * (a + b) <= uint64_t(block + 1) * a + (a + b));
        CHECK(ran * (a + b) + (a + b) >= uint64_t(block + 1) * a);
      }
      CHECK(std::count(ofA.begin(), ofA.end(), 1u) == a);
      CHECK(std::count(ofB.begin(), ofB.end(), 1u) == b);
    }
}

/// The last block of each is the last of its kind where the sums are as large as they may be.
static void largeGridsEndWhereTheyShould() {
  const uint32_t most = 0x7fffffff;
  for (const uint32_t a : {1u, 2u, 3u, 65'535u, 1u << 20, most / 3, most / 2, most - 2, most - 1}) {
    const gpusched_pair pair = makePair({a, 1, 1}, {most - a, 1, 1});
    uint32_t lastOfA = 0, lastOfB = 0;
    // Within so many of the last blocks is one of each, when there are more than a few.
    for (uint32_t block = most - 1; block > most - 70'000; --block) {
      const PairedBlockId which(pair, block);
      (which.isFirst ? lastOfA : lastOfB) =
          std::max(which.isFirst ? lastOfA : lastOfB, which.id + 1);
    }
    CHECK(lastOfA == 0 ? a < 100'000 : lastOfA == a);
    CHECK(lastOfB == 0 ? most - a < 100'000 : lastOfB == most - a);
    CHECK_EQUAL(uint32_t(uint64_t(most) * pair.share >> 32), a); // of all, so many are a's
  }
}

static void indicesAreThoseOfTheGrids() {
  const gpusched_pair pair = makePair({5, 3, 2}, {1, 7, 4});
  std::vector<unsigned> ofA(5 * 3 * 2), ofB(7 * 4);
  for (uint32_t block = 0; block < ofA.size() + ofB.size(); ++block) {
    const PairedBlockId which(pair, block);
    if (which.isFirst)
      ++ofA.at(which.x + 5 * (which.y + 3 * which.z));
    else
      ++ofB.at(which.x + which.y + 7 * which.z);
    CHECK(which.isFirst ? which.x < 5 && which.y < 3 : which.x < 1 && which.y < 7);
  }
  CHECK(std::count(ofA.begin(), ofA.end(), 1u) == 30 &&
        std::count(ofB.begin(), ofB.end(), 1u) == 28);
}

static bool misaligned = false;

static void twoStreamsBecomeOneLaunch() {
  fake().forget();
  Runtime runtime(always());
  PairedProgram program;
  static gpusched_cudart watching = *fake().table();
  watching.launchKernel = [](const void* function, gpusched_dim3 grid, gpusched_dim3 block,
                             void** arguments, size_t shared, void* stream) {
    for (uint32_t i = 1; i < 3; ++i) // a's
      misaligned |= reinterpret_cast<uintptr_t>(arguments[i]) % 16 != 0;
    return fake().table()->launchKernel(function, grid, block, arguments, shared, stream);
  };
  Call a(program, program.a, program.s1), b(program, program.b, program.s2);
  a.grid = {5, 6, 2}, b.grid = {1, 12, 3};
  a.block = b.block = {16, 4, 2};
  a.sharedBytes = 640, b.sharedBytes = 4096;
  a.cudart = b.cudart = &watching;
  program.pair.maxDynamicShared = 1024; // raised
  together(runtime, program, a, b);
  CHECK_EQUAL(launchedNames(), "pair");
  const FakeCudart::Launched& launched = fake().launched.at(0);
  CHECK(launched.stream == program.s1);
  CHECK_EQUAL(launched.sharedBytes, size_t(4096));
  CHECK(launched.grid.x == 96 && launched.grid.y == 1 && launched.grid.z == 1);
  CHECK(launched.block.x == 16 && launched.block.y == 4 && launched.block.z == 2);
  CHECK_EQUAL(fake().waits, 2u);
  fake().drain();
  CHECK(program.ran(1));
  CHECK(!misaligned);
  together(runtime, program, a, b);
  fake().drain();
  CHECK(program.ran(2));
  CHECK_EQUAL(fake().lastError, 0);
}

/// What precedes either launch is over before the fused one begins, and what follows either begins
/// when it is over.
static void bothStreamsKeepTheirOrder() {
  for (const bool inFirst : {true, false}) {
    fake().forget();
    Runtime runtime(always());
    PairedProgram program;
    ProgramKernel before("before", 200), behind("behind", 5);
    void* const stream = inFirst ? program.s1 : program.s2;
    launch(runtime, before, stream);
    together(runtime, program);
    launch(runtime, behind, stream);
    CHECK_EQUAL(launchedNames(), "before pair behind");
    fake().drain();
    CHECK(program.ran(1) && behind.everyBlockRan(1));
    CHECK(fake().together.empty());
    CHECK(fake().started == std::vector<std::string>({"before", "pair", "behind"}));
  }
}

static void promisedLaunchesOfOneStreamBecomeOne() {
  PairedProgram program;
  for (void* stream : {program.s1, static_cast<void*>(nullptr), reinterpret_cast<void*>(1),
                       reinterpret_cast<void*>(2)}) {
    fake().forget();
    Runtime runtime(always());
    PairedProgram fresh;
    together(runtime, fresh, {fresh, fresh.a, stream}, {fresh, fresh.b, stream},
             GPUSCHED_PAIR_PROMISED);
    CHECK_EQUAL(launchedNames(), "pair");
    CHECK(fake().launched.at(0).stream == stream);
    CHECK_EQUAL(fake().waits + fake().records, 0u);
    fake().drain();
    CHECK(fresh.ran(1));
  }
}

/// A pair that differs in one thing from one that is fused.
struct Difference {
  const char* what;
  std::function<void(PairedProgram&, Call& a, Call& b)> make;
  std::function<void()> between = [] {};
  gpusched_pair_mark begins = GPUSCHED_PAIR_BEGINS;
  bool held = true; ///< the first launch
};

static const Difference kNoDifference = {"nothing", [](PairedProgram&, Call&, Call&) {}};

static std::vector<Difference> ofKernels() {
  return {
      {"a may wait", [](PairedProgram& program, Call&, Call&) { program.a.node.flags = 0; }, [] {},
       GPUSCHED_PAIR_BEGINS, false},
      {"b may wait", [](PairedProgram& program, Call&, Call&) { program.b.node.flags = 0; }},
      {"a's sizes",
       [](PairedProgram& program, Call&, Call&) { program.a.node.parameterBytes = nullptr; }, [] {},
       GPUSCHED_PAIR_BEGINS, false},
      {"no pair begins with a",
       [](PairedProgram& program, Call&, Call&) { program.node.first = &program.other.native; },
       [] {}, GPUSCHED_PAIR_BEGINS, false},
      {"a's pair is another",
       [](PairedProgram& program, Call&, Call&) { program.node.second = &program.other.native; }},
      {"parameters of the pair",
       [](PairedProgram& program, Call&, Call&) { program.node.parameters = 5; }},
      {"the pair could not be made",
       [](PairedProgram& program, Call& a, Call& b) {
         program.pair.maxThreads = 1;
         a.block = b.block = {1, 1, 1};
       }},
      {"threads of the pair",
       [](PairedProgram& program, Call&, Call&) { program.pair.maxThreads = 96; }},
      {"shared memory of the pair",
       [](PairedProgram& program, Call& a, Call&) {
         program.pair.maxDynamicShared = program.pair.mostDynamicShared = 1024;
         a.sharedBytes = 2048;
       }},
      {"the pair's occupancy",
       [](PairedProgram& program, Call&, Call&) { program.pair.occupancy = 0; }},
      {"a's binary", [](PairedProgram& program, Call&, Call&) { program.a.native.module = 1; }},
      {"b's binary", [](PairedProgram& program, Call&, Call&) { program.b.native.module = 1; }},
  };
}

static std::vector<Difference> ofLaunches() {
  static const gpusched_cudart kAnother = *fake().table();
  return {
      {"shape of the block", [](PairedProgram&, Call&, Call& b) { b.block = {64, 2, 1}; }},
      {"runtimes", [](PairedProgram&, Call&, Call& b) { b.cudart = &kAnother; }},
      {"a's shared memory", [](PairedProgram&, Call& a, Call&) { a.sharedBytes = 50'000; }, [] {},
       GPUSCHED_PAIR_BEGINS, false},
      {"b's shared memory", [](PairedProgram&, Call&, Call& b) { b.sharedBytes = 50'000; }},
      {"a's threads",
       [](PairedProgram& program, Call&, Call&) { program.a.native.maxThreads = 64; }, [] {},
       GPUSCHED_PAIR_BEGINS, false},
      {"b's threads",
       [](PairedProgram& program, Call&, Call&) { program.b.native.maxThreads = 64; }},
      {"a's grid", [](PairedProgram&, Call& a, Call&) { a.grid = {0, 1, 1}; }, [] {},
       GPUSCHED_PAIR_BEGINS, false},
      {"b's grid", [](PairedProgram&, Call&, Call& b) { b.grid = {1, 70'000, 1}; }},
      {"a's error", [](PairedProgram&, Call&, Call&) { fake().lastError = 2; }, [] {},
       GPUSCHED_PAIR_BEGINS, false},
      {"an error between", kNoDifference.make, [] { fake().lastError = 2; }},
      {"the device", kNoDifference.make, [] { ++fake().context; }},
  };
}

static std::vector<Difference> ofStreams() {
  static void* theFirst = nullptr;
  const auto zero = [](PairedProgram&, Call& a, Call&) { a.stream = nullptr; };
  return {
      {"one stream", [](PairedProgram& program, Call&, Call& b) { b.stream = program.s1; }},
      {"a's stream", zero, [] {}, GPUSCHED_PAIR_BEGINS, false},
      {"a's legacy stream",
       [](PairedProgram&, Call& a, Call&) { a.stream = reinterpret_cast<void*>(1); }, [] {},
       GPUSCHED_PAIR_BEGINS, false},
      {"b's stream", [](PairedProgram&, Call&, Call& b) { b.stream = nullptr; }},
      {"b's legacy stream",
       [](PairedProgram&, Call&, Call& b) { b.stream = reinterpret_cast<void*>(1); }},
      {"a's stream, promised", zero, [] {}, GPUSCHED_PAIR_PROMISED},
      {"b's stream, promised", [](PairedProgram&, Call&, Call& b) { b.stream = nullptr; }, [] {},
       GPUSCHED_PAIR_PROMISED},
      {"two names of the default stream",
       [](PairedProgram&, Call& a, Call& b) {
         a.stream = nullptr;
         b.stream = reinterpret_cast<void*>(1);
       },
       [] {}, GPUSCHED_PAIR_PROMISED},
      {"a is captured",
       [](PairedProgram& program, Call&, Call&) { fake().capturingStreams = {program.s1}; }, [] {},
       GPUSCHED_PAIR_BEGINS, false},
      {"b is captured",
       [](PairedProgram& program, Call&, Call&) { fake().capturingStreams = {program.s2}; }},
      {"a is captured meanwhile",
       [](PairedProgram& program, Call&, Call&) { theFirst = program.s1; },
       [] { fake().capturingStreams = {theFirst}; }},
      {"no event", kNoDifference.make, [] { fake().fail = {"eventCreate"}; }},
      {"no record", kNoDifference.make, [] { fake().fail = {"eventRecord"}; }},
      {"no wait", kNoDifference.make, [] { fake().fail = {"streamWaitEvent"}; }},
  };
}

/// Is what is launched then two launches, or one?
static void launchWith(const Difference& difference, const char* expected) {
  fake().forget();
  Runtime runtime(always());
  PairedProgram program;
  Call a(program, program.a, program.s1), b(program, program.b, program.s2);
  difference.make(program, a, b);
  const size_t before = failedChecks();
  mark(runtime, program, difference.begins);
  CHECK_EQUAL(a(runtime), 0);
  CHECK_EQUAL(fake().launched.empty(), difference.held);
  difference.between();
  CHECK_EQUAL(b(runtime), 0);
  mark(runtime, program, GPUSCHED_PAIR_ENDS);
  CHECK_EQUAL(launchedNames(), expected);
  CHECK(fake().lastError == 0 || fake().lastError == 2);
  fake().fail.clear();
  fake().capturingStreams.clear();
  fake().lastError = 0;
  // Grids that a fake kernel has no blocks for are not run.
  if (cudart::count(a.grid) == program.a.runs.size() &&
      cudart::count(b.grid) == program.b.runs.size()) {
    fake().drain();
    CHECK(program.ran(1));
  } else {
    program.b.native.body = [](uint64_t, void**) {};
    fake().drain();
  }
  if (size_t(failedChecks()) != before)
    std::cerr << "... with this difference: " << difference.what << "\n";
}

static void everyDifferenceKeepsThemApart() {
  launchWith(kNoDifference, "pair");
  for (const std::vector<Difference>& differences : {ofKernels(), ofLaunches(), ofStreams()})
    for (const Difference& difference : differences)
      launchWith(difference, "a b");
}

/// CUDA takes each of them, but no grid of one dimension has so many blocks.
static void tooManyBlocksStayTwo() {
  static std::string names;
  static gpusched_cudart noting = *fake().table();
  noting.launchKernel = [](const void* function, gpusched_dim3, gpusched_dim3, void**, size_t,
                           void*) {
    names += static_cast<const FakeKernel*>(function)->name;
    return 0;
  };
  for (const uint32_t more : {0u, 1u}) {
    names.clear();
    Runtime runtime(always());
    PairedProgram program;
    Call a(program, program.a, program.s1), b(program, program.b, program.s2);
    a.grid = {1u << 30, 1, 1}, b.grid = {(1u << 30) - 1 + more, 1, 1};
    a.cudart = b.cudart = &noting;
    together(runtime, program, a, b);
    CHECK_EQUAL(names, more ? "ab" : "pair");
  }
}

static void settingsSayWhen() {
  for (const char* value : {"never", "always", "auto", ""}) {
    setenv("GPUSCHED_FUSE", value, 1);
    const Fusing fusing = loadSettings().fusing;
    CHECK(fusing == (value[0] == 'n'                ? Fusing::Never
                     : std::strcmp(value, "always") ? Fusing::Auto
                                                    : Fusing::Always));
  }
  unsetenv("GPUSCHED_FUSE");
  for (const Fusing fusing : {Fusing::Never, Fusing::Auto}) {
    fake().forget();
    Settings settings;
    settings.fusing = fusing;
    Runtime runtime(settings);
    PairedProgram program;
    together(runtime, program);
    CHECK_EQUAL(launchedNames(), "a b");
    fake().drain();
  }
}

/// Only between the marks, and only the first launch behind the beginning.
static void onlyTheMarkedLaunchesAreHeld() {
  fake().forget();
  Runtime runtime(always());
  PairedProgram program;
  const Call a(program, program.a, program.s1), b(program, program.b, program.s2),
      other(program, program.other, program.s1);
  a(runtime), b(runtime);
  CHECK_EQUAL(launchedNames(), "a b");
  together(runtime, program);
  a(runtime), b(runtime);
  CHECK_EQUAL(launchedNames(), "a b pair a b");
  fake().forget();
  together(runtime, program, other, a);
  CHECK_EQUAL(launchedNames(), "other a");
  fake().forget();
  mark(runtime, program, GPUSCHED_PAIR_BEGINS);
  other(runtime), a(runtime), b(runtime);
  CHECK_EQUAL(launchedNames(), "other a b");
  mark(runtime, program, GPUSCHED_PAIR_ENDS);
  fake().drain();
}

static void whatIsHeldIsLaunchedInOrder() {
  fake().forget();
  Runtime runtime(always());
  PairedProgram program;
  const Call a(program, program.a, program.s1), b(program, program.b, program.s2),
      other(program, program.other, program.s1);
  mark(runtime, program, GPUSCHED_PAIR_BEGINS);
  CHECK_EQUAL(a(runtime), 0);
  CHECK_EQUAL(launchedNames(), "");
  mark(runtime, program, GPUSCHED_PAIR_ENDS);
  CHECK_EQUAL(launchedNames(), "a");
  mark(runtime, program, GPUSCHED_PAIR_ENDS);
  together(runtime, program, a, other);
  CHECK_EQUAL(launchedNames(), "a a other");
  together(runtime, program, b, a); // a pair in this order only
  CHECK_EQUAL(launchedNames(), "a a other b a");
  fake().drain();
  CHECK(program.a.everyBlockRan(3) && program.b.everyBlockRan(1) && program.saysValues);
}

/// A pair in a pair, or one whose end was never said.
static void beginningAgainLaunchesWhatIsHeld() {
  fake().forget();
  Runtime runtime(always());
  PairedProgram program;
  const Call a(program, program.a, program.s1), b(program, program.b, program.s2),
      next(program, program.b, program.s1);
  mark(runtime, program, GPUSCHED_PAIR_PROMISED);
  a(runtime);
  together(runtime, program, a, next); // of one stream: the outer promise is not for these
  CHECK_EQUAL(launchedNames(), "a a b");
  b(runtime);
  mark(runtime, program, GPUSCHED_PAIR_ENDS);
  CHECK_EQUAL(launchedNames(), "a a b b");
  mark(runtime, program, GPUSCHED_PAIR_BEGINS);
  mark(runtime, program, GPUSCHED_PAIR_BEGINS);
  a(runtime), b(runtime);
  mark(runtime, program, GPUSCHED_PAIR_ENDS);
  CHECK_EQUAL(launchedNames(), "a a b b pair");
  fake().drain();
  CHECK(program.ran(3));
}

static void threadsHoldLaunchesOfTheirOwn() {
  fake().forget();
  Runtime runtime(always());
  PairedProgram program;
  const Call a(program, program.a, program.s1), b(program, program.b, program.s2);
  mark(runtime, program, GPUSCHED_PAIR_BEGINS);
  a(runtime);
  std::thread([&] { b(runtime); }).join();
  CHECK_EQUAL(launchedNames(), "b");
  std::thread([&] { together(runtime, program, a, b); }).join();
  CHECK_EQUAL(launchedNames(), "b pair");
  b(runtime);
  mark(runtime, program, GPUSCHED_PAIR_ENDS);
  CHECK_EQUAL(launchedNames(), "b pair pair");
  fake().drain();
  CHECK(program.a.everyBlockRan(2) && program.b.everyBlockRan(3) && program.saysValues);
}

static void aFusedLaunchThatFailsIsMadeAsTwo() {
  fake().forget();
  Runtime runtime(always());
  PairedProgram program;
  fake().fail = {"pair"};
  together(runtime, program);
  CHECK_EQUAL(launchedNames(), "a b");
  CHECK_EQUAL(fake().lastError, 0);
  fake().fail.clear();
  together(runtime, program); // and is not tried again
  CHECK_EQUAL(launchedNames(), "a b a b");
  fake().drain();
  CHECK(program.ran(2));
}

/// The program was told of success; CUDA has the error for it.
static void aHeldLaunchThatFailsLeavesItsError() {
  fake().forget();
  Runtime runtime(always());
  PairedProgram program;
  const Call a(program, program.a, program.s1), other(program, program.other, program.s2);
  mark(runtime, program, GPUSCHED_PAIR_BEGINS);
  CHECK_EQUAL(a(runtime), 0);
  fake().fail = {"a"};
  CHECK_EQUAL(other(runtime), 0);
  mark(runtime, program, GPUSCHED_PAIR_ENDS);
  CHECK_EQUAL(launchedNames(), "other");
  CHECK_EQUAL(fake().lastError, 999);
  fake().fail.clear();
  fake().lastError = 0;
  fake().drain();
}

/// Where the other stream cannot be made to wait for the launch, the program waits.
static void whatCannotBeOrderedIsWaitedFor(const char* call, std::unique_ptr<Policy> policy) {
  fake().forget();
  static int callsLeft;
  callsLeft = 1;
  gpusched_cudart failing = *fake().table();
  const bool isWait = std::string(call) == "streamWaitEvent";
  if (isWait)
    failing.streamWaitEvent = [](void* stream, void* event, unsigned flags) {
      if (callsLeft-- > 0)
        return fake().table()->streamWaitEvent(stream, event, flags);
      return fake().lastError = 999;
    };
  else
    failing.eventRecord = [](void* event, void* stream) {
      if (callsLeft-- > 0)
        return fake().table()->eventRecord(event, stream);
      return fake().lastError = 999;
    };
  Runtime runtime(always(), std::move(policy));
  PairedProgram program;
  Call a(program, program.a, program.s1), b(program, program.b, program.s2);
  a.cudart = b.cudart = &failing;
  together(runtime, program, a, b);
  CHECK_EQUAL(launchedNames(), "pair");
  CHECK(program.ran(1));
  CHECK_EQUAL(fake().lastError, 0);
}

static void theRegistryKnowsPairs() {
  PairedProgram program;
  KernelRegistry registry;
  const gpusched_kernel* const kernels = &program.node;
  const void *a = &program.a.native, *b = &program.b.native;
  CHECK(registry.findPair(a, b, kernels) == &program.node);
  CHECK(!registry.findPair(b, a, kernels) && !registry.findPair(a, a, kernels));
  CHECK(registry.beginsPair(a, kernels));
  CHECK(!registry.beginsPair(b, kernels) && !registry.beginsPair(&program.pair, kernels));
  CHECK(registry.find(&program.pair, kernels) == &program.node);
  gpusched_kernel newer = program.node;
  newer.next = &program.node;
  CHECK(registry.findPair(a, b, &newer) == &newer);
  registry.forget();
  CHECK(!registry.findPair(a, b, nullptr) && !registry.beginsPair(a, nullptr));
  CHECK(registry.findPair(a, b, &newer) == &newer); // the newest of a walk
}

/// A library that lies where a closed one was has pairs of its own.
static void pairsOfAClosedLibraryAreForgotten() {
  fake().forget();
  Runtime runtime(always());
  PairedProgram program;
  together(runtime, program);
  program.node.second = &program.other.native;
  ProgramKernel first("first", 10);
  launch(runtime, first, nullptr, 128, true);
  together(runtime, program);
  CHECK_EQUAL(launchedNames(), "pair first a b");
  fake().drain();
}

int main() {
  everyBlockOfBothIsRunOnce();
  largeGridsEndWhereTheyShould();
  indicesAreThoseOfTheGrids();
  twoStreamsBecomeOneLaunch();
  bothStreamsKeepTheirOrder();
  promisedLaunchesOfOneStreamBecomeOne();
  everyDifferenceKeepsThemApart();
  tooManyBlocksStayTwo();
  settingsSayWhen();
  onlyTheMarkedLaunchesAreHeld();
  whatIsHeldIsLaunchedInOrder();
  beginningAgainLaunchesWhatIsHeld();
  threadsHoldLaunchesOfTheirOwn();
  aFusedLaunchThatFailsIsMadeAsTwo();
  aHeldLaunchThatFailsLeavesItsError();
  for (const char* call : {"streamWaitEvent", "eventRecord"}) {
    whatCannotBeOrderedIsWaitedFor(call, nullptr);
    whatCannotBeOrderedIsWaitedFor(call, std::make_unique<Waiting>());
  }
  theRegistryKnowsPairs();
  pairsOfAClosedLibraryAreForgotten();
  return checkResult();
}
