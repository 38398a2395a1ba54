// trials_test - what one phase of timed launches takes in, and what it leaves out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fake device runs a block a step, a step takes a millisecond, and kernels beside each other
// keep their speed: a ratio of 2, less what the events between two launches take.
#include "rt/launch/Trials.h"
#include "test/Check.h"
#include "test/rt/FakeCudart.h"

#include <memory>

using namespace gpusched;

static constexpr uint32_t kSms = 4, kOccupancy = 4;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

struct Bench {
  Trials trials{kSms};
  PairHistory history;
  std::vector<std::unique_ptr<FakeKernel>> kernels;
  std::vector<uint64_t> busy;
  bool native = false, waits = true; ///< all launches

  /// A launch of `steps` milliseconds that is said to have `blocks`.
  void launch(const PolicyKernel& kernel, void* stream, uint32_t steps, uint64_t blocks,
              const std::vector<const PolicyKernel*>& neighbours = {},
              const gpusched_cudart& runtime = *fake().table()) {
    FakeKernel& body = *kernels.emplace_back(std::make_unique<FakeKernel>());
    body.body = [](uint64_t, void**) {};
    TrialLaunch trial = {&kernel, native, blocks, uint64_t(stream), waits, {}, busy};
    for (const PolicyKernel* neighbour : neighbours)
      trial.neighbours.push_back({neighbour, native});
    trials.collect(runtime, history);
    Trials::Record* const record = trials.take(runtime, trial, history);
    const bool begun = record && Trials::begin(runtime, *record, stream);
    runtime.launchKernel(&body, {steps, 1, 1}, {32, 1, 1}, nullptr, 0, stream);
    if (record)
      Trials::settle(*record, Trials::end(runtime, *record, stream) && begun);
    busy.push_back(trial.stream);
  }
  void drain() {
    fake().drain();
    busy.clear();
    trials.collect(*fake().table(), history);
  }
  void alone(const PolicyKernel& kernel, uint32_t steps) {
    launch(kernel, fake().makeStream(), steps, 100);
    drain();
  }
  void together(const PolicyKernel& a, const PolicyKernel& b, uint64_t blocks = 100) {
    launch(a, fake().makeStream(), 100, blocks);
    launch(b, fake().makeStream(), 100, blocks, {&a});
    drain();
  }
  double ratio() const {
    const PairRecord* record = history.find("a", "b");
    return record ? outcome(*record, native ? PairForm::Native : PairForm::Budgeted).ratio : 0;
  }
};

static PolicyKernel named(const char* name) {
  PolicyKernel kernel;
  kernel.name = name;
  kernel.occupancyBlocksPerSm = kOccupancy;
  return kernel;
}

static bool isTwo(double ratio) {
  return ratio > 1.9 && ratio < 2.1;
}

/// The first launches take a second more; one more of each is disturbed.
static void oddOnesDoNotCount() {
  Bench bench;
  const PolicyKernel a = named("a"), b = named("b");
  for (const PolicyKernel* kernel : {&a, &b}) {
    bench.alone(*kernel, 1100);
    for (uint32_t steps : {100, 300, 100})
      bench.alone(*kernel, steps);
    for (uint32_t i = 0; i < Trials::kEager; ++i) // nothing new, and that is no failure
      bench.alone(*kernel, 100);
  }
  bench.together(a, b); // the first of them was not timed
  bench.together(a, b);
  CHECK(isTwo(bench.ratio()));
}

/// What two native kernels make says nothing of kernels with budgets, nor does a mix of the forms.
static void formsAreToldApart() {
  Bench bench;
  const PolicyKernel a = named("a"), b = named("b");
  for (const PolicyKernel* kernel : {&a, &b})
    for (uint32_t i = 0; i <= Trials::kEager; ++i)
      bench.alone(*kernel, 100);
  const auto trials = [&](PairForm form) {
    const PairRecord* record = bench.history.find("a", "b");
    return record ? outcome(*record, form).trials : 0;
  };
  bench.native = true;
  bench.together(a, b);
  bench.together(a, b);
  CHECK(isTwo(bench.ratio()));
  CHECK_EQUAL(trials(PairForm::Budgeted), 0u);
  const uint32_t natives = trials(PairForm::Native);
  // Behind so many others a span is for two launches: for a native one and one with a budget, which
  // b meets, it is not.
  const PolicyKernel c = named("c"), d = named("d");
  for (const PolicyKernel* kernel : {&c, &d})
    for (uint32_t i = 0; i <= Trials::kEager; ++i)
      bench.alone(*kernel, 100);
  void *first = fake().makeStream(), *second = fake().makeStream();
  for (int i = 0; i < 8; ++i)
    bench.launch(d, first, 100, 100);
  bench.launch(c, second, 920, 920);
  bench.waits = false;
  bench.launch(a, first, 100, 100, {&c});
  bench.native = false;
  bench.launch(a, first, 100, 100);
  bench.native = true;
  bench.launch(b, second, 100, 100, {&a});
  bench.drain();
  CHECK(trials(PairForm::Budgeted) > 0);
  CHECK_EQUAL(trials(PairForm::Native), natives);
}

/// Also not where all that was seen of a kernel is its first launch.
static void firstLaunchesAreNoMeasurements() {
  Bench bench;
  const PolicyKernel a = named("a"), b = named("b");
  bench.alone(a, 1100);
  bench.alone(b, 1100);
  for (int round = 0; round < 3; ++round)
    bench.together(a, b);
  CHECK_EQUAL(bench.ratio(), 0.0);
}

/// Who is never alone takes as long as the profile says; few blocks take as long as a full device.
static void profilesStandIn() {
  Bench bench;
  PolicyKernel a = named("a"), b = named("b");
  for (PolicyKernel* kernel : {&a, &b}) {
    kernel->timeUs = 100'000;
    kernel->blocks = kSms * kOccupancy / 4;
  }
  for (int round = 0; round < 3; ++round)
    bench.together(a, b, kSms * kOccupancy / 2);
  CHECK(isTwo(bench.ratio()));
}

static void pairOfQueues(Bench& bench, const PolicyKernel& a, const PolicyKernel& b, size_t spans,
                         const PolicyKernel* third) {
  void *first = fake().makeStream(), *second = fake().makeStream();
  for (size_t i = 0; i < spans / 2; ++i) {
    bench.launch(a, first, 10, 10);
    bench.launch(b, second, 10, 10, {&a});
  }
  if (third)
    bench.launch(*third, fake().makeStream(), 2000, 100, {&a, &b});
  bench.drain();
}

/// When no spans are left, what comes runs beside some of the timed launches all the same.
static void whatIsNotTimedSpoils() {
  for (bool spoilt : {false, true}) {
    Bench bench;
    const PolicyKernel a = named("a"), b = named("b"), c = named("c");
    for (const PolicyKernel* kernel : {&a, &b})
      for (uint32_t i = 0; i <= Trials::kEager; ++i)
        bench.alone(*kernel, 100);
    bench.together(a, b);
    pairOfQueues(bench, a, b, Trials::kSpans, spoilt ? &c : nullptr);
    CHECK_EQUAL(bench.ratio() > 0, !spoilt);
  }
}

/// A pause would count as time that the launches took.
static void pausesAreNoMeasurements() {
  Bench bench;
  const PolicyKernel a = named("a"), b = named("b");
  for (const PolicyKernel* kernel : {&a, &b})
    for (uint32_t i = 0; i <= Trials::kAlone; ++i)
      bench.alone(*kernel, 100);
  void *first = fake().makeStream(), *second = fake().makeStream();
  for (int round = 0; round < 4; ++round) {
    bench.launch(a, first, 100, 100);
    bench.launch(b, second, 100, 100, {&a});
    bench.trials.spoil();
    bench.drain();
  }
  CHECK_EQUAL(bench.ratio(), 0.0);
  bench.together(a, b);
  bench.together(a, b);
  CHECK(isTwo(bench.ratio()));
}

/// Their events say when others that had them before ran.
static void whatCannotBeRecordedIsNoMeasurement(int failing) {
  Bench bench;
  const PolicyKernel a = named("a"), b = named("b");
  for (const PolicyKernel* kernel : {&a, &b})
    for (uint32_t i = 0; i <= Trials::kEager; ++i)
      bench.alone(*kernel, 100);
  const double before = bench.trials.measuredUs(a, 100);
  bench.together(a, b);
  fake().contend = true;
  for (uint32_t i = 0; i < Trials::kAlone; ++i) {
    static int records;
    records = failing;
    gpusched_cudart deaf = *fake().table();
    deaf.eventRecord = [](void* event, void* stream) {
      return records-- == 0 ? 999 : fake().table()->eventRecord(event, stream);
    };
    bench.launch(a, fake().makeStream(), 100, 100);
    bench.launch(b, fake().makeStream(), 100, 100, {&a}, deaf);
    bench.drain();
  }
  fake().contend = false;
  CHECK_EQUAL(bench.trials.measuredUs(a, 100), before);
}

/// A pair that cannot be measured is tried less and less often.
static void fruitlessPhasesGetRare() {
  Bench bench;
  const PolicyKernel a = named("a"), b = named("b"), c = named("c");
  void* streams[] = {fake().makeStream(), fake().makeStream(), fake().makeStream()};
  const uint64_t before = fake().records;
  const int rounds = 400;
  for (int round = 0; round < rounds; ++round) {
    bench.launch(a, streams[0], 10, 10);
    bench.launch(b, streams[1], 10, 10, {&a});
    bench.launch(c, streams[2], 10, 10, {&a, &b});
    bench.drain();
  }
  CHECK(fake().records - before < rounds / 2); // all: six a round
  CHECK(fake().records - before > 0);
}

int main() {
  oddOnesDoNotCount();
  formsAreToldApart();
  firstLaunchesAreNoMeasurements();
  profilesStandIn();
  whatIsNotTimedSpoils();
  pausesAreNoMeasurements();
  for (int failing : {0, 1})
    whatCannotBeRecordedIsNoMeasurement(failing);
  fruitlessPhasesGetRare();
  CHECK_EQUAL(fake().lastError, 0);
  return checkResult();
}
