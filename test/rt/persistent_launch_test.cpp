// persistent_launch_test - forced persistent launches: every block once, budget and mask kept.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/WorkerPlan.h"
#include "test/Check.h"
#include "test/rt/FakeProgram.h"

#include <cstdio>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static void budgetIsObeyed() {
  Runtime runtime(forcedPersistent(2));
  ProgramKernel kernel("k");
  CHECK_EQUAL(launch(runtime, kernel, nullptr), 0);
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
  CHECK_EQUAL(fake().persistentLaunches, 1u);
  CHECK_EQUAL(fake().nativeLaunches, 0u);
  for (const auto& [sm, workers] : fake().mostWorkersOnSm)
    CHECK_EQUAL(workers, 2u);
}

static void maskIsObeyed() {
  fake().forget();
  Settings settings = forcedPersistent(1);
  settings.sms.all = SmMask{0b0101};
  Runtime runtime(settings);
  ProgramKernel kernel("k", 3); // fewer blocks than SMs
  launch(runtime, kernel, nullptr);
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
  CHECK_EQUAL(fake().mostWorkersOnSm.count(1) + fake().mostWorkersOnSm.count(3), 0u);
  CHECK_EQUAL(fake().mostWorkersOnSm.count(0) + fake().mostWorkersOnSm.count(2), 2u);
}

/// Budgets and SMs of one kernel leave the others alone.
static void kernelsHaveLimitsOfTheirOwn() {
  fake().forget();
  Settings settings;
  settings.blocksPerSm.named = {{"one", 2}, {"none", 1}};
  settings.sms.named["two"] = SmMask{0b1000};
  Runtime runtime(settings);
  ProgramKernel one("one"), two("two"), other("other");
  launch(runtime, one, nullptr);
  fake().drain();
  for (const auto& [sm, workers] : fake().mostWorkersOnSm)
    CHECK_EQUAL(workers, 2u);
  CHECK_EQUAL(fake().mostWorkersOnSm.size(), size_t(fake().sms));
  fake().mostWorkersOnSm.clear();
  launch(runtime, two, nullptr);
  fake().drain();
  CHECK_EQUAL(fake().mostWorkersOnSm.size(), 1u);
  CHECK(fake().mostWorkersOnSm[3] > 2);
  launch(runtime, other, nullptr);
  fake().drain();
  CHECK_EQUAL(fake().persistentLaunches, 2u);
  CHECK_EQUAL(fake().nativeLaunches, 1u);
  CHECK(one.everyBlockRan(1) && two.everyBlockRan(1) && other.everyBlockRan(1));
}

/// In a program for several GPUs the code of old ones has twins that nobody may launch.
static void oldCodeIsLaunchedNatively() {
  fake().forget();
  Runtime runtime(forcedPersistent(2));
  ProgramKernel pascal("pascal"), volta("volta");
  pascal.native.binaryVersion = 61;
  volta.native.binaryVersion = 70;
  launch(runtime, pascal, nullptr);
  launch(runtime, volta, nullptr);
  fake().drain();
  CHECK_EQUAL(fake().nativeLaunches, 1u);
  CHECK_EQUAL(fake().persistentLaunches, 1u);
  CHECK(pascal.everyBlockRan(1) && volta.everyBlockRan(1));
}

static void emptyMaskStillFinishes() {
  Settings settings = forcedPersistent(1);
  settings.sms.all = SmMask{};
  (*settings.sms.all)[15] = 1; // an SM that the device does not have
  Runtime runtime(settings);
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
}

/// A launch under a mask starts workers on every SM, but not more than its blocks are worth.
static void fewBlocksStartFewMaskedWorkers() {
  CHECK_EQUAL(planWorkers(8, 132, 32, 0, 4).workers, 2u * 132 * 2);
  CHECK_EQUAL(planWorkers(1, 132, 32, 1, 66).workers, 2u * 132);
  CHECK_EQUAL(planWorkers(1 << 20, 132, 32, 1, 66).workers, 2u * 132 * 32);
  CHECK_EQUAL(planWorkers(1, 132, 32, 1, 0).workers, 2u * 132);
  CHECK_EQUAL(planWorkers(8, 132, 32, 1, 132).workers, 8u);
  SmMask mask = fullSmMask();
  CHECK_EQUAL(countSms(mask, 40), 40u);
  mask[1] = 0b101;
  CHECK_EQUAL(countSms(mask, 40), 34u);
}

static void streamOrderHoldsAndSlotsAreReused() {
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k");
  for (unsigned round = 1; round <= 300; ++round) {
    launch(runtime, kernel, nullptr);
    if (round % 7 == 0)
      fake().drain();
  }
  fake().drain();
  CHECK(kernel.everyBlockRan(300));
  CHECK_EQUAL(fake().lastError, 0);
}

static void withoutTwinOrWhenCapturingItIsNative() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel without("w", 10, false), captured("c", 10);
  launch(runtime, without, nullptr);
  fake().capturing = true;
  launch(runtime, captured, nullptr);
  fake().capturing = false;
  fake().drain();
  CHECK(without.everyBlockRan(1) && captured.everyBlockRan(1));
  CHECK_EQUAL(fake().nativeLaunches, 2u);
  CHECK_EQUAL(fake().persistentLaunches, 0u);
}

/// The flat worker grid would be accepted; CUDA refuses the program's own.
static void whatCudaRefusesIsNative() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k", 65'535);
  gpusched_launch_request request = {};
  request.abi_version = GPUSCHED_ABI_VERSION;
  request.function = &kernel.native;
  request.kernels = &kernel.node;
  request.cudart = fake().table();
  struct {
    gpusched_dim3 grid, block;
  } refused[] = {{{1, 70'000, 1}, {64, 1, 1}},   {{1, 1, 65'536}, {64, 1, 1}},
                 {{1u << 31, 1, 1}, {64, 1, 1}}, {{1, 1, 1}, {1, 1, 65}},
                 {{0, 1, 1}, {64, 1, 1}},        {{1, 1, 1}, {64, 0, 1}}};
  for (const auto& [grid, block] : refused) {
    request.grid = grid, request.block = block;
    int error = 0;
    CHECK(!runtime.launch(request, error));
  }
  request.grid = {1, 65'535, 1}, request.block = {1, 1, 64};
  int error = 0;
  CHECK(runtime.launch(request, error));
  fake().drain();
  CHECK_EQUAL(fake().persistentLaunches, 1u);
}

static void optInSharedMemoryIsMirrored() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k", 10);
  kernel.native.maxDynamicShared = 100'000;
  gpusched_launch_request request = {};
  request.abi_version = GPUSCHED_ABI_VERSION;
  request.function = &kernel.native;
  request.grid = {10, 1, 1};
  request.block = {64, 1, 1};
  request.sharedBytes = 90'000;
  request.kernels = &kernel.node;
  request.cudart = fake().table();
  int error = 0;
  CHECK(runtime.launch(request, error));
  fake().drain();
  CHECK_EQUAL(fake().persistentLaunches, 1u);
  CHECK_EQUAL(kernel.twin.maxDynamicShared, 100'000);
}

/// A twin whose own words lie behind the kernel's dynamic memory: launches ask for both, spare ones
/// too, and for what the program may ask for later, or as much as there is.
static void twinsWordsAreBehindDynamicMemory() {
  for (const int most : {1 << 30, 50'000}) {
    fake().forget();
    Runtime runtime(forcedPersistent());
    ProgramKernel kernel("k", 10);
    kernel.node.flags = 3u << GPUSCHED_KERNEL_SHARED_SHIFT;
    kernel.twin.mostDynamicShared = most;
    launch(runtime, kernel, nullptr);
    CHECK_EQUAL(fake().lastShared, size_t(384));
    gpusched_launch_request request = {};
    request.abi_version = GPUSCHED_ABI_VERSION;
    request.function = &kernel.native;
    request.grid = {10, 1, 1};
    request.block = {64, 1, 1};
    request.kernels = &kernel.node;
    request.cudart = fake().table();
    request.sharedBytes = 49'150;
    int error = 0;
    CHECK(runtime.launch(request, error));
    CHECK_EQUAL(fake().lastShared, size_t(49'152 + 384));
    CHECK_EQUAL(kernel.twin.maxDynamicShared, 49'152 + 384);
    kernel.native.maxDynamicShared = 49'700;
    request.sharedBytes = 49'640;
    const bool fits = most > 50'000;
    CHECK_EQUAL(runtime.launch(request, error), fits);
    CHECK_EQUAL(kernel.twin.maxDynamicShared, fits ? 49'712 + 384 : 49'152 + 384);
    fake().drain();
    CHECK_EQUAL(fake().persistentLaunches, fits ? 3u : 2u);
  }
}

/// What belonged to the old context is gone with it.
static void afterAResetNothingOldIsUsed() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  fake().drain();
  uint64_t before = fake().mallocs;
  launch(runtime, kernel, nullptr);
  fake().drain();
  CHECK_EQUAL(fake().mallocs, before);
  ++fake().context;
  launch(runtime, kernel, nullptr);
  fake().drain();
  CHECK_EQUAL(fake().mallocs, before + 2); // a slab and its images
  CHECK_EQUAL(fake().persistentLaunches, 3u);
  CHECK(kernel.everyBlockRan(3));
}

/// A stub may stand for one file's kernel and that of its twin for another's.
static void twinsOfOtherModulesAreNotUsed() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel apart("apart"), unknown("unknown");
  apart.twin.module = unknown.twin.module = 1;
  launch(runtime, apart, nullptr);
  fake().fail = {"getFuncBySymbol"};
  launch(runtime, unknown, nullptr);
  fake().fail.clear();
  fake().drain();
  CHECK(apart.everyBlockRan(1) && unknown.everyBlockRan(1));
  CHECK_EQUAL(fake().nativeLaunches, 1u);
  CHECK_EQUAL(fake().persistentLaunches, 1u);
  CHECK_EQUAL(fake().lastError, 0);
}

/// A library that lies where a closed one was: its stubs and nodes have the old addresses.
static void aClosedLibraryIsForgotten() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("old"), other("other");
  launch(runtime, kernel, nullptr);
  fake().drain();
  kernel.node.persistent = nullptr; // the new library's kernel at this address is kept native
  launch(runtime, kernel, nullptr, 128, true);
  kernel.node.persistent = &kernel.twin;
  launch(runtime, other, nullptr);
  launch(runtime, kernel, nullptr);
  fake().drain();
  CHECK(kernel.everyBlockRan(3) && other.everyBlockRan(1));
  CHECK_EQUAL(fake().nativeLaunches, 2u);
  CHECK_EQUAL(fake().persistentLaunches, 2u);
}

static bool unloaded = false, calledAfterwards = false;

/// The device outlives a library that brought a CUDA runtime of its own.
static void theRuntimeOfAClosedLibraryIsNotCalled() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k");
  static gpusched_cudart plugin = *fake().table();
  plugin.eventQuery = [](void* event) {
    calledAfterwards |= unloaded;
    return fake().table()->eventQuery(event);
  };
  launch(runtime, kernel, nullptr, 128, true, &plugin);
  unloaded = true;
  for (int round = 0; round < 5; ++round)
    launch(runtime, kernel, nullptr);
  fake().drain();
  CHECK(kernel.everyBlockRan(6));
  CHECK(!calledAfterwards);
}

static void poolIsBoundedAndFailsOpen() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k", 17); // one more than fit
  const unsigned rounds = ControlPool::kSlotsPerSlab * ControlPool::kMaxSlabs + 10;
  ProgramKernel first("first", 1000); // nothing completes meanwhile
  void* none[1] = {};
  fake().table()->launchKernel(&first.native, {1000, 1, 1}, {128, 1, 1}, none, 0, nullptr);
  for (unsigned i = 0; i < rounds; ++i)
    launch(runtime, kernel, nullptr);
  fake().drain();
  CHECK(first.everyBlockRan(1) && kernel.everyBlockRan(rounds));
  CHECK_EQUAL(fake().nativeLaunches, 1u + 10u);
}

/// A control block that its last launch left as the next one wants it is not copied again; one that
/// the host wrote to meanwhile is. Each spare copies its budget.
static void tidyControlBlocksAreNotCopied() {
  for (const uint32_t spares : {0u, 1u}) {
    fake().forget();
    Settings settings = forcedPersistent();
    settings.spareLaunches = spares;
    Runtime runtime(settings);
    ProgramKernel kernel("k", 40), other("other", 17);
    for (ProgramKernel* each : {&kernel, &kernel, &other, &kernel}) {
      launch(runtime, *each, nullptr);
      fake().drain();
    }
    CHECK_EQUAL(fake().copies, 2u + 4 * spares); // the first one cleared the slab
    launch(runtime, kernel, nullptr);
    fake().step();
    const uint64_t before = fake().copies;
    CHECK_EQUAL(runtime.pauseAll(), spares);
    runtime.resumeAll();
    fake().drain();
    const uint64_t written = fake().copies;
    CHECK_EQUAL(written - before, 2 * spares);
    launch(runtime, kernel, nullptr);
    fake().drain();
    CHECK_EQUAL(fake().copies - written, 2 * spares); // it has been given a budget
    CHECK(kernel.everyBlockRan(5) && other.everyBlockRan(1));
  }
}

/// As many blocks on an SM as its name is long.
class ByName final : public Policy {
public:
  const char* name() const override { return "by-name"; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    Decision decision;
    decision.sequence = state.waiting.front().sequence;
    decision.blocksPerSm = uint32_t(state.waiting.front().kernel->name.size());
    return {decision};
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }
};

/// Slots are found again by what they were used for.
static void eachBudgetHasItsControlBlocks() {
  fake().forget();
  Runtime runtime(Settings{}, std::make_unique<ByName>());
  ProgramKernel one("1"), two("22"), three("333");
  void* const streams[] = {fake().makeStream(), fake().makeStream()};
  for (unsigned round = 0; round < 30; ++round) {
    launch(runtime, one, streams[0]);
    launch(runtime, round % 2 ? two : three, streams[1]);
    fake().drain();
  }
  CHECK(one.everyBlockRan(30) && two.everyBlockRan(15) && three.everyBlockRan(15));
  CHECK_EQUAL(fake().persistentLaunches, 60u);
  CHECK(fake().copies <= 6);
}

/// Blocks that all fit at once need no control block: the launch of the twin is everything. It has
/// the kernel's own grid, so that a worker need not work out its index.
static void whatFitsNeedsNoControlBlock() {
  for (const bool limited : {false, true}) {
    fake().forget();
    Settings settings = forcedPersistent();
    settings.blocksPerSm.all = limited ? 3 : 0;
    Runtime runtime(settings);
    ProgramKernel kernel("k", 16);
    kernel.rows = 8;
    const uint64_t mallocs = fake().mallocs;
    for (int round = 0; round < 3; ++round)
      launch(runtime, kernel, nullptr);
    fake().drain();
    CHECK(kernel.everyBlockRan(3));
    CHECK_EQUAL(fake().persistentLaunches, 3u);
    CHECK_EQUAL(fake().lastParams.role, uint32_t(limited ? GPUSCHED_LEADS : GPUSCHED_FITS));
    CHECK_EQUAL(fake().launched.back().grid.x, limited ? 16u : 2u);
    CHECK_EQUAL(fake().launched.back().grid.y, limited ? 1u : 8u);
    CHECK_EQUAL(fake().mallocs == mallocs, !limited);
    CHECK_EQUAL(fake().copies == 0, !limited);
    CHECK_EQUAL(fake().records, limited ? 3u : 0u);
  }
}

/// Without a budget, launches say themselves when their slot is free, and count on where the last
/// one stopped.
static void launchesWithoutABudgetCostNoEvents() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k", 50), other("other", 90);
  void* const streams[] = {fake().makeStream(), fake().makeStream()};
  fake().blocksPerStep = 10;
  for (unsigned round = 0; round < 200; ++round) {
    launch(runtime, round % 3 ? kernel : other, streams[round % 2]);
    for (unsigned step = 0; step < round % 40; ++step)
      fake().step();
  }
  fake().drain();
  CHECK(kernel.everyBlockRan(133) && other.everyBlockRan(67));
  CHECK_EQUAL(fake().lastParams.role, uint32_t(GPUSCHED_ALONE));
  CHECK(fake().lastParams.base > 0);
  CHECK_EQUAL(fake().records, 0u);
  CHECK(fake().copies < 64);
  fake().blocksPerStep = 1;
}

/// Counting on ends before a claim would pass the last number.
static void countingOnEndsInTime() {
  const uint32_t last = 0xf0000000;
  for (const gpusched_role role : {GPUSCHED_LEADS, GPUSCHED_ALONE})
    for (const uint32_t room : {1000u, 66u, 65u, 50u, 49u}) {
      fake().forget();
      ProgramKernel kernel("k", 50);
      gpusched_launch_request request = {};
      request.grid = {50, 1, 1}, request.block = {128, 1, 1};
      request.function = &kernel.native;
      request.cudart = fake().table();
      LaunchDevice device(*fake().table(), 0);
      LaunchPlan plan;
      makePlan(plan, request, &kernel.node, nullptr);
      const SmMask mask = fullSmMask();
      ControlSlot& slot = *device.pool.acquire(*fake().table(), device.completions, 4, mask);
      CHECK_EQUAL(slot.control->next, 0u); // nobody has to wait for that
      PersistentOptions options;
      options.workers = planWorkers(50, 4, 4, 0, 4);
      options.budget = 4;
      options.mask = &mask;
      options.role = role;
      CHECK(enqueuePersistent(device, request, plan, slot, options));
      fake().drain();
      const uint32_t moves = role == GPUSCHED_ALONE ? 66 : 50; // 16 workers find nothing
      CHECK_EQUAL(slot.behind.next, moves);
      slot.behind.next = last - room;
      slot.control->next = slot.behind.next;
      CHECK(enqueuePersistent(device, request, plan, slot, options));
      fake().drain();
      const bool anew = room < moves;
      saveLaunch(slot, request, plan, options);
      CHECK_EQUAL(slot.saved.cudart != nullptr, !anew); // help could not tell whether it has begun
      CHECK_EQUAL(fake().lastParams.finished_before,
                  anew || role == GPUSCHED_ALONE ? 0u : 50u); // the first launch's blocks
      CHECK_EQUAL(fake().copies, anew ? 3u : 2u);             // the slab, and these
      CHECK_EQUAL(slot.behind.next, anew ? moves : last - room + moves);
      CHECK_EQUAL(slot.control->next, slot.behind.next);
      CHECK_EQUAL(slot.control->finished, slot.behind.finished);
      CHECK_EQUAL(*slot.ended, role == GPUSCHED_ALONE);
      CHECK(kernel.everyBlockRan(2));
      options.budget = 3; // another image, which counts on or begins anew
      CHECK(enqueuePersistent(device, request, plan, slot, options));
      CHECK_EQUAL(slot.image->next, slot.before.next);
      CHECK_EQUAL(slot.before.next > 0, slot.countsOn);
      fake().drain();
      CHECK(kernel.everyBlockRan(3));
    }
}

/// The largest grids: a handful of workers, or native where ids do not fit. Not run to their end.
static void theLargestGrids() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k", 1);
  kernel.native.body = [](uint64_t, void**) {};
  gpusched_launch_request request = {};
  request.abi_version = GPUSCHED_ABI_VERSION;
  request.function = &kernel.native;
  request.block = {64, 1, 1};
  request.kernels = &kernel.node;
  request.cudart = fake().table();
  int error = 0;
  request.grid = {2'147'483'647, 1, 1};
  CHECK(runtime.launch(request, error));
  CHECK_EQUAL(fake().lastWorkers, 16u); // four blocks on each of four SMs
  request.grid = {1, 65'535, 65'535};
  CHECK(!runtime.launch(request, error));
  request.grid = {65'535, 65'535, 1};
  CHECK(!runtime.launch(request, error));
  request.grid = {65'535, 65'000, 1};
  CHECK(runtime.launch(request, error));
  steps(100);
}

/// Claims cover the grid, none of them is empty, and they get smaller towards the end.
static void batchesGetSmallerTowardsTheEnd() {
  for (const uint64_t residents : {1u, 3u, 16u, 2112u})
    for (const uint64_t total : {1u, 15u, 31u, 64u, 1000u, 4223u, 33791u, 250'000u})
      for (const uint32_t asked : {0u, 1u, 5u, 8u}) {
        const Batches batches = planBatches(total, residents, asked);
        const uint64_t claims = claimsFor(total, batches);
        CHECK(claimedBlocks(claims, batches) >= total);
        CHECK(claimedBlocks(claims - 1, batches) < total);
        uint64_t last = claimedBlocks(1, batches);
        for (uint64_t claim = 1; claim < claims; ++claim) {
          const uint64_t ids = claimedBlocks(claim + 1, batches) - claimedBlocks(claim, batches);
          CHECK(ids > 0 && ids <= last);
          last = ids;
        }
        // Ids that are claimed ahead, or in the largest batches, leave each worker one as large.
        const uint64_t late = total - std::min(total, claimedBlocks(batches.claims, batches));
        CHECK(asked || late >= std::min(total, residents << batches.shift));
        CHECK(asked || batches.shift > 0 || late >= std::min(total, 2 * residents));
      }
}

/// Where no block waits for another one, worker i begins with claim i: answers count from there.
static void workersHaveClaimsByTheirNumbers() {
  for (const uint32_t flags : {0u, uint32_t(GPUSCHED_KERNEL_BATCHES)}) {
    fake().forget();
    Runtime runtime(forcedPersistent());
    ProgramKernel kernel("k", 1000);
    kernel.node.flags = flags;
    for (unsigned times = 1; times <= 2; ++times) {
      CHECK_EQUAL(launch(runtime, kernel, nullptr), 0);
      const gpusched_params& params = fake().lastParams;
      CHECK_EQUAL(params.role, uint32_t(GPUSCHED_ALONE));
      // The first launch's control block is on its way still.
      const uint32_t next = times == 1 ? 0 : uint32_t(params.control->next);
      CHECK_EQUAL(next - params.base, flags ? uint32_t(fake().lastWorkers) : 0u);
      fake().drain();
      CHECK(kernel.everyBlockRan(times));
    }
  }
}

/// 16 workers with 64 blocks each, or what the user asks for. Where a budget may change, kernels
/// without loops only.
static void batchesNeedManyBlocksAndATwinThatTakesThem() {
  struct {
    uint64_t blocks;
    uint32_t flags, asked, batch, budget = 0;
  } cases[] = {{60'000, GPUSCHED_KERNEL_BATCHES, 0, 1, 3},
               {60'000, GPUSCHED_KERNEL_BATCHES | GPUSCHED_KERNEL_NO_LOOPS, 0, 8, 3},
               {60'000, GPUSCHED_KERNEL_BATCHES, 4, 4, 3},
               {1023, GPUSCHED_KERNEL_BATCHES, 0, 1},
               {1024, GPUSCHED_KERNEL_BATCHES, 0, 8},
               {60'000, GPUSCHED_KERNEL_BATCHES, 0, 8},
               {60'000, GPUSCHED_KERNEL_BATCHES, 3, 2},
               {17, GPUSCHED_KERNEL_BATCHES, 99, 8},
               {13, GPUSCHED_KERNEL_BATCHES, 99, 1},
               {60'000, 0, 8, 1}};
  for (const auto& [blocks, flags, asked, batch, budget] : cases) {
    fake().forget();
    Settings settings = forcedPersistent();
    settings.claimBatch = asked;
    settings.blocksPerSm.all = budget;
    settings.tracePath = "persistent_launch_test.trace.json";
    Runtime runtime(settings);
    ProgramKernel kernel("k", blocks);
    kernel.node.flags = flags;
    CHECK_EQUAL(launch(runtime, kernel, nullptr), 0);
    fake().drain();
    CHECK(kernel.everyBlockRan(1));
    runtime.finish();
    const Result<TraceFile> trace = readTrace(settings.tracePath);
    CHECK(trace.ok() && trace->launches.size() == 1);
    CHECK_EQUAL(trace->launches.at(0).claimBatch, batch);
    std::remove(settings.tracePath.c_str());
  }
}

/// SM sets and budgets in one plan: two kernels divide the SMs, a third mixes with both.
class Planned final : public Policy {
public:
  const char* name() const override { return "planned"; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    Decision decision;
    decision.sequence = state.waiting.front().sequence;
    decision.set = 1;
    decision.blocksPerSm = decision.sequence == 3 ? 1 : 3;
    if (decision.sequence < 3)
      decision.sms =
          decision.sequence == 1 ? std::vector<uint32_t>{0, 1} : std::vector<uint32_t>{2, 3};
    return {decision};
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }
};

static void partitionedAndMixed() {
  Runtime runtime(Settings{}, std::make_unique<Planned>());
  std::vector<std::map<uint32_t, uint32_t>> seen;
  ProgramKernel left("left"), right("right"), both("both");
  for (ProgramKernel* kernel : {&left, &right, &both}) {
    fake().forget();
    launch(runtime, *kernel, fake().makeStream());
    steps(4);
    seen.push_back(fake().mostWorkersOnSm);
  }
  using Workers = std::map<uint32_t, uint32_t>;
  CHECK(seen[0] == Workers({{0, 3}, {1, 3}}));
  CHECK(seen[1] == Workers({{2, 3}, {3, 3}}));
  CHECK(seen[2] == Workers({{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
  fake().drain();
  CHECK(left.everyBlockRan(1) && right.everyBlockRan(1) && both.everyBlockRan(1));
}

int main() {
  budgetIsObeyed();
  maskIsObeyed();
  kernelsHaveLimitsOfTheirOwn();
  oldCodeIsLaunchedNatively();
  fewBlocksStartFewMaskedWorkers();
  emptyMaskStillFinishes();
  streamOrderHoldsAndSlotsAreReused();
  withoutTwinOrWhenCapturingItIsNative();
  whatCudaRefusesIsNative();
  optInSharedMemoryIsMirrored();
  twinsWordsAreBehindDynamicMemory();
  afterAResetNothingOldIsUsed();
  twinsOfOtherModulesAreNotUsed();
  aClosedLibraryIsForgotten();
  theRuntimeOfAClosedLibraryIsNotCalled();
  poolIsBoundedAndFailsOpen();
  partitionedAndMixed();
  workersHaveClaimsByTheirNumbers();
  batchesGetSmallerTowardsTheEnd();
  batchesNeedManyBlocksAndATwinThatTakesThem();
  tidyControlBlocksAreNotCopied();
  eachBudgetHasItsControlBlocks();
  whatFitsNeedsNoControlBlock();
  launchesWithoutABudgetCostNoEvents();
  countingOnEndsInTime();
  theLargestGrids();
  return checkResult();
}
