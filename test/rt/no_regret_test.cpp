// no_regret_test - pairs are measured, and kept apart when together was worse.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of the fake device takes a millisecond and every kernel runs `blocksPerStep` blocks in it,
// so any two kernels together do twice the work of one: a ratio of 2. With `contend` set, a kernel
// stands still while another one runs beside it for three steps of four: a ratio of 0.5.
#include "rt/schema/TextFile.h"
#include "test/Check.h"
#include "test/rt/MeasuredPair.h"
#include "test/rt/TestPolicies.h"

#include <cstdio>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static std::string pairsPath() {
  return "no_regret_test.pairs.json";
}

static Settings measuring() {
  Settings settings;
  settings.pairsPath = pairsPath();
  settings.tracePath = "no_regret_test.trace.json";
  return settings;
}

static bool ranTogether() {
  return fake().together.count({"a", "b"}) != 0;
}

static void aGoodPairStaysTogether() {
  Runtime runtime(measuring(), std::make_unique<Together>());
  MeasuredPair pair;
  pair.alone(runtime);
  for (uint32_t round = 0; round < PairHistory::kTrials + 2; ++round) {
    fake().forget();
    pair.together(runtime);
    CHECK(ranTogether());
  }
  runtime.finish();
  Result<PairHistoryFile> file = readPairHistory(pairsPath());
  CHECK(file.ok() && file->pairs.size() == 1);
  if (file && !file->pairs.empty()) {
    CHECK(file->pairs[0].budgeted.trials >= PairHistory::kTrials);
    CHECK(file->pairs[0].budgeted.ratio > 1.7 && file->pairs[0].budgeted.ratio < 2.1);
  }
  std::remove(pairsPath().c_str());
}

static void aBadPairIsKeptApart() {
  {
    Runtime runtime(measuring(), std::make_unique<Together>());
    MeasuredPair pair;
    pair.alone(runtime);
    fake().contend = true;
    for (uint32_t round = 0; round < PairHistory::kTrials; ++round) {
      fake().forget();
      pair.together(runtime);
      CHECK(ranTogether());
    }
    fake().forget();
    pair.together(runtime);
    CHECK(!ranTogether());
    CHECK(pair.a.everyBlockRan(MeasuredPair::kAlone + PairHistory::kTrials + 1));
    runtime.finish();
  }
  Runtime next(measuring(), std::make_unique<Together>());
  MeasuredPair pair;
  fake().forget();
  pair.together(next);
  CHECK(!ranTogether());
  next.finish();
  Result<TraceFile> trace = readTrace("no_regret_test.trace.json");
  CHECK(trace.ok() && trace->launches.at(1).reason.find("measured 0.") != std::string::npos);
  fake().contend = false;
  std::remove(pairsPath().c_str());
}

/// What was bad once, with other inputs perhaps, is not bad for ever.
static void aBadPairIsTriedAgain() {
  Runtime runtime(measuring(), std::make_unique<Together>());
  MeasuredPair pair(40, 30);
  pair.alone(runtime);
  fake().contend = true;
  for (uint32_t round = 0; round < PairHistory::kTrials; ++round)
    pair.together(runtime);
  fake().contend = false;
  const auto rounds = [&](uint32_t count) {
    fake().forget();
    for (uint32_t round = 0; round < count; ++round)
      pair.together(runtime);
    return ranTogether();
  };
  CHECK(!rounds(PairHistory::kPatience));
  CHECK(rounds(8));
  CHECK(rounds(1)); // and stays together
  runtime.finish();
  std::remove(pairsPath().c_str());
}

/// Three launches at once, the last two of one kernel in two streams: how many launches each waits
/// for.
static std::vector<size_t> waitsOfThree(Runtime& runtime, MeasuredPair& pair) {
  launch(runtime, pair.a, pair.first);
  launch(runtime, pair.b, pair.second);
  launch(runtime, pair.b, fake().makeStream());
  fake().drain();
  runtime.finish();
  Result<TraceFile> trace = readTrace("no_regret_test.trace.json");
  std::vector<size_t> waits;
  if (trace)
    for (size_t i = trace->launches.size() - 3; i < trace->launches.size(); ++i)
      waits.push_back(trace->launches[i].after.size());
  return waits;
}

/// Programs enqueue whole queues before anything is measured.
static void aNewPairIsLeftToThePolicy() {
  Runtime runtime(measuring(), std::make_unique<Together>());
  MeasuredPair pair;
  CHECK(waitsOfThree(runtime, pair) == std::vector<size_t>({0, 0, 0}));
  CHECK(pair.b.everyBlockRan(2));
  std::remove(pairsPath().c_str());
}

/// After a loss, while one launch of the pair is on trial, the next one waits.
static void stakesAreOneLaunchAfterALoss() {
  Runtime runtime(measuring(), std::make_unique<Together>());
  MeasuredPair pair;
  pair.alone(runtime);
  fake().contend = true;
  pair.together(runtime);
  CHECK(waitsOfThree(runtime, pair) == std::vector<size_t>({0, 0, 2}));
  CHECK(pair.b.everyBlockRan(MeasuredPair::kAlone + 3));
  fake().contend = false;
  std::remove(pairsPath().c_str());
}

/// `count` launches of each kernel, enqueued before the first one ends.
static void queue(Runtime& runtime, MeasuredPair& pair, int count) {
  for (int i = 0; i < count; ++i)
    launch(runtime, pair.a, pair.first);
  for (int i = 0; i < count; ++i)
    launch(runtime, pair.b, pair.second);
  fake().drain();
}

/// Launches of one kernel in one stream count as one to the policy. Each queue counts twice.
static void queuesAreMeasured(int count) {
  Runtime runtime(measuring(), std::make_unique<Together>());
  MeasuredPair pair(40, 30);
  pair.alone(runtime);
  fake().contend = true;
  for (int round = 0; round < 2; ++round) {
    fake().forget();
    queue(runtime, pair, count);
    CHECK(ranTogether());
  }
  fake().forget();
  queue(runtime, pair, count);
  CHECK(!ranTogether());
  runtime.finish();
  fake().contend = false;
  const Result<PairHistoryFile> file = readPairHistory(pairsPath());
  CHECK(file.ok() && file->pairs.size() == 1);
  if (file && !file->pairs.empty())
    CHECK(file->pairs[0].budgeted.ratio > 0.4 && file->pairs[0].budgeted.ratio < 0.6);
  std::remove(pairsPath().c_str());
}

/// Of two kernels beside a third one nobody can say what they did to each other.
static void threeAtOnceAreNotMeasured() {
  Runtime runtime(measuring(), std::make_unique<Together>());
  MeasuredPair pair;
  ProgramKernel third("c", 500);
  pair.alone(runtime);
  void* stream = fake().makeStream();
  for (int round = 0; round < 4; ++round) {
    launch(runtime, third, stream);
    pair.together(runtime);
  }
  runtime.finish();
  const Result<PairHistoryFile> file = readPairHistory(pairsPath());
  CHECK(!file.ok() || file->pairs.empty());
  std::remove(pairsPath().c_str());
}

/// Another runtime's events are refused, and no launch is lost for it.
static void withoutEventsNothingIsMeasured() {
  Runtime runtime(measuring(), std::make_unique<Together>());
  MeasuredPair pair;
  fake().fail.insert("eventElapsedTime");
  pair.alone(runtime);
  for (int round = 0; round < 4; ++round)
    pair.together(runtime);
  fake().fail.clear();
  fake().lastError = 0;
  CHECK(pair.a.everyBlockRan(MeasuredPair::kAlone + 4));
  runtime.finish();
  CHECK(!readPairHistory(pairsPath()).ok());
}

/// The time that a launch is paused is not the pair's.
static void pausesDoNotCount() {
  Settings settings = measuring();
  settings.spareLaunches = 2;
  Runtime runtime(settings, std::make_unique<Together>());
  MeasuredPair pair;
  pair.alone(runtime);
  for (int round = 0; round < 4; ++round) {
    launch(runtime, pair.a, pair.first);
    steps(20);
    runtime.pauseAll();
    launch(runtime, pair.b, pair.second);
    fake().drain();
    runtime.resumeAll();
    fake().drain();
  }
  CHECK(pair.a.everyBlockRan(MeasuredPair::kAlone + 4) &&
        pair.b.everyBlockRan(MeasuredPair::kAlone + 4));
  launch(runtime, pair.b, pair.second); // results are looked at when the next one comes
  fake().drain();
  runtime.finish();
  const Result<PairHistoryFile> file = readPairHistory(pairsPath());
  CHECK(!file.ok() || file->pairs.empty());
  std::remove(pairsPath().c_str());
}

/// Beside others it would have given up some of its speed; alone there is nobody to do it for.
static void whoRunsApartHasItsBestBudget() {
  PolicyKernel stays, comes;
  stays.name = "stays", comes.name = "comes";
  comes.hasPersistent = comes.profiled = true;
  comes.occupancyBlocksPerSm = 4;
  comes.timeUs = 100;
  comes.budgetCurve = {0.5, 0.9, 1, 0.95};
  PolicyState state;
  state.running = {{1, 1, 1, 1, 2, &stays}};
  state.waiting = {{2, 2, &comes}};
  Decision together;
  together.sequence = 2, together.set = 1, together.blocksPerSm = 2, together.blocksPerSmAlone = 4;
  PairHistory history;
  std::vector<Decision> decisions = {together};
  history.add("stays", "comes", PairForm::Budgeted, 1.2, PairHistory::kTrials);
  keepWithoutRegret(state, history, decisions);
  CHECK(decisions[0].set == 1 && decisions[0].blocksPerSm == 2);
  history.add("stays", "comes", PairForm::Budgeted, 0.1, PairHistory::kTrials);
  keepWithoutRegret(state, history, decisions);
  CHECK(decisions[0].after == std::vector<uint64_t>{1});
  CHECK_EQUAL(decisions[0].blocksPerSm, 3u);
  CHECK_EQUAL(decisions[0].blocksPerSmAlone, 0u);

  // Each form by what was measured of it; a pair that was not is the policy's business.
  const auto waits = [&](uint32_t budget, uint32_t other) {
    state.running[0].blocksPerSm = other;
    together.blocksPerSm = budget;
    decisions = {together};
    keepWithoutRegret(state, history, decisions);
    return !decisions[0].after.empty();
  };
  CHECK(waits(2, 2) && waits(2, 0) && waits(0, 2) && !waits(0, 0));
  history.add("stays", "comes", PairForm::Native, 0.5, PairHistory::kTrials);
  CHECK(waits(0, 0));
  history = PairHistory();
  history.held("stays", "comes");
  state.running.push_back({1, 1, 2, 1, 2, &comes});
  CHECK(!waits(2, 2));
}

static void withoutHistoryNothingIsMeasured() {
  Settings settings = measuring();
  settings.pairsPath.clear();
  Runtime runtime(settings, std::make_unique<Together>());
  MeasuredPair pair;
  pair.alone(runtime);
  fake().contend = true;
  for (int round = 0; round < 6; ++round) {
    fake().forget();
    pair.together(runtime);
    CHECK(ranTogether());
  }
  fake().contend = false;
}

int main() {
  aGoodPairStaysTogether();
  aBadPairIsKeptApart();
  aBadPairIsTriedAgain();
  aNewPairIsLeftToThePolicy();
  stakesAreOneLaunchAfterALoss();
  queuesAreMeasured(4);
  queuesAreMeasured(10);
  queuesAreMeasured(150);
  threeAtOnceAreNotMeasured();
  pausesDoNotCount();
  whoRunsApartHasItsBestBudget();
  withoutEventsNothingIsMeasured();
  withoutHistoryNothingIsMeasured();
  CHECK_EQUAL(fake().lastError, 0);
  std::remove("no_regret_test.trace.json");
  return checkResult();
}
