// knapsack_test - policy `knapsack`: the selectors against all subsets, then orders and waits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most kernels are given in percent of a device of 100 SMs that takes one block each.
#include "benchmarks/papers/knapsack/WeightedOccupancy.h"
#include "rt/policy/KnapsackSelector.h"
#include "rt/policy/Policy.h"
#include "test/Check.h"

#include <algorithm>
#include <random>
#include <string>

using namespace gpusched;

static const DeviceLimits kHundred = {100, 65536, 98304, 32, 2048};

static PolicyKernel kernel(uint64_t percent, double timeUs) {
  PolicyKernel made;
  made.profiled = made.hasPersistent = true;
  made.threadsPerBlock = 2048, made.registersPerBlock = 65536, made.sharedBytesPerBlock = 98304;
  made.occupancyBlocksPerSm = 1;
  made.blocks = percent;
  made.timeUs = timeUs;
  return made;
}

static std::unique_ptr<Policy> policy(const std::string& parameters = "") {
  std::unique_ptr<Policy> made = std::move(*makePolicy("knapsack"));
  CHECK(made->configure(parameters).ok());
  return made;
}

static std::vector<size_t> orderOf(const Policy& policy, const std::vector<PolicyKernel>& kernels) {
  std::vector<size_t> order;
  const std::vector<CoRunSet> plan = policy.schedule(kernels, kHundred);
  CHECK_EQUAL(plan.size(), 1u);
  for (const Member& member : plan.front())
    order.push_back(member.kernel);
  return order;
}

static std::string text(const std::vector<size_t>& order) {
  std::string all;
  for (size_t index : order)
    all += (all.empty() ? "" : " ") + std::to_string(index);
  return all;
}

static KnapsackNeeds needsOf(const std::vector<KnapsackItem>& items,
                             const std::vector<size_t>& taken) {
  KnapsackNeeds sum = {};
  for (size_t item : taken)
    sum = plus(sum, items[item].needs);
  return sum;
}

static double valueOf(const std::vector<KnapsackItem>& items, const std::vector<size_t>& taken) {
  double sum = 0;
  for (size_t item : taken)
    sum += items[item].value;
  return sum;
}

static double bestOfAllSubsets(const std::vector<KnapsackItem>& items, const Knapsack& knapsack) {
  double best = 0;
  for (uint32_t subset = 0; subset < 1u << items.size(); ++subset) {
    std::vector<size_t> taken;
    for (size_t i = 0; i < items.size(); ++i)
      if (subset >> i & 1)
        taken.push_back(i);
    if (fits(needsOf(items, taken), knapsack.free))
      best = std::max(best, valueOf(items, taken));
  }
  return best;
}

static std::vector<KnapsackItem> randomItems(std::mt19937& random, size_t count, uint64_t most) {
  std::vector<KnapsackItem> items(count);
  for (KnapsackItem& item : items) {
    for (uint64_t& need : item.needs)
      need = random() % (most + 1);
    item.value = 1 + double(random() % 1000);
  }
  return items;
}

/// Whole steps: the table of three resources must find what trying everything finds.
static void exactAgainstAllSubsets() {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::vector<KnapsackItem> items = randomItems(random, 1 + random() % 10, 12);
    Knapsack knapsack{{16, 16, 16}, {}, 32, 16};
    for (uint64_t& free : knapsack.free)
      free = random() % 17;
    const std::vector<size_t> taken = selectExact(items, knapsack);
    CHECK(fits(needsOf(items, taken), knapsack.free));
    CHECK_NEAR(valueOf(items, taken), bestOfAllSubsets(items, knapsack), 1e-6);
  }
}

/// Any units: no selector takes too much, nothing twice, nothing for which there is still room left
/// out, and the exact one is worth most on the whole.
static void alwaysFits() {
  std::mt19937 random(2);
  const KnapsackSelector selectors[] = {selectGreedy, selectFlattened, selectExact};
  double worth[3] = {}, best = 0;
  for (int round = 0; round < 200; ++round) {
    const std::vector<KnapsackItem> items = randomItems(random, 12, 40'000);
    Knapsack knapsack{{98'304, 65'536, 49'152}, {}, 32, 16};
    for (size_t j = 0; j < kKnapsackResources; ++j)
      knapsack.free[j] = random() % (knapsack.device[j] + 1);
    best += bestOfAllSubsets(items, knapsack);
    for (size_t s = 0; s < std::size(selectors); ++s) {
      const std::vector<size_t> taken = selectors[s](items, knapsack);
      const KnapsackNeeds sum = needsOf(items, taken);
      CHECK(fits(sum, knapsack.free));
      std::vector<size_t> once = taken;
      std::sort(once.begin(), once.end());
      CHECK(std::unique(once.begin(), once.end()) == once.end());
      worth[s] += valueOf(items, taken);
      for (size_t i = 0; i < items.size() && selectors[s] != selectFlattened; ++i)
        CHECK(std::count(taken.begin(), taken.end(), i) ||
              !fits(items[i].needs, minus(knapsack.free, sum)));
    }
  }
  CHECK(worth[2] > worth[0] && worth[2] > worth[1]);
  CHECK(worth[2] > 0.97 * best);
  CHECK(worth[2] <= best);
}

static void selectionsInOrder() {
  // 0 is worth most, 1 most for its weight, 2 fits beside neither.
  const std::vector<KnapsackItem> items = {
      {{50, 50, 50}, 10}, {{10, 10, 10}, 5}, {{95, 95, 95}, 1}, {{10, 10, 10}, 5}};
  Knapsack knapsack{{100, 100, 100}, {100, 100, 100}, 32, 20};
  CHECK_EQUAL(text(selectGreedy(items, knapsack)), "1 3 0");
  CHECK_EQUAL(text(selectFlattened(items, knapsack)), "0 1 3");
  CHECK_EQUAL(text(selectExact(items, knapsack)), "0 1 3");
  knapsack.most = 2;
  CHECK_EQUAL(text(selectGreedy(items, knapsack)), "1 3");
  CHECK_EQUAL(text(selectExact(items, knapsack)), "0 1");
  knapsack.free = {0, 100, 100};
  CHECK(selectGreedy(items, knapsack).empty());
  CHECK(selectFlattened(items, knapsack).empty());
  CHECK(selectExact(items, knapsack).empty());
  CHECK(selectExact({}, knapsack).empty());
}

/// Two that fit by the first digit and not by the second: the flattened weight does not see it.
static void flattenedIsChecked() {
  const std::vector<KnapsackItem> items = {{{10, 80, 10}, 3}, {{10, 80, 10}, 2}, {{60, 10, 10}, 1}};
  const Knapsack knapsack{{100, 100, 100}, {100, 100, 100}, 32, 20};
  CHECK_EQUAL(text(selectFlattened(items, knapsack)), "0 2");
}

/// Greedy goes by value for weight, the tables by value: 60 + 40 is worth more than 50.
static void exactBeatsGreedy() {
  const std::vector<KnapsackItem> items = {{{50, 50, 50}, 6}, {{60, 60, 60}, 6}, {{40, 40, 40}, 4}};
  const Knapsack knapsack{{100, 100, 100}, {100, 100, 100}, 32, 20};
  CHECK_EQUAL(text(selectGreedy(items, knapsack)), "0 2");
  CHECK_EQUAL(text(selectFlattened(items, knapsack)), "0 2");
  const std::vector<KnapsackItem> tight = {
      {{50, 50, 50}, 6}, {{60, 60, 60}, 6.5}, {{40, 40, 40}, 4}};
  CHECK_EQUAL(text(selectExact(tight, knapsack)), "1 2");
  CHECK_EQUAL(text(selectFlattened(tight, knapsack)), "1 2");
  CHECK_EQUAL(text(selectGreedy(tight, knapsack)), "0 2");
}

/// The flattened weight keeps apart what the first resource says: two halves, not the largest.
static void flattenedIsPositional() {
  const std::vector<KnapsackItem> items = {{{80, 80, 80}, 7}, {{50, 50, 50}, 5}, {{50, 50, 50}, 5}};
  const Knapsack knapsack{{100, 100, 100}, {100, 100, 100}, 32, 20};
  CHECK_EQUAL(text(selectFlattened(items, knapsack)), "1 2");
}

/// The thesis' example: 30 30 50 60 %, 20 15 15 15 ms, two queues.
static void workedExample() {
  using namespace gpusched::knapsack_paper;
  const std::vector<ExampleKernel> example = {{30, 20}, {30, 15}, {50, 15}, {60, 15}};
  const WeightedOccupancy worse = weightedOccupancy(example, {1, 0, 2, 3}, 2);
  const WeightedOccupancy better = weightedOccupancy(example, {3, 0, 2, 1}, 2);
  CHECK_NEAR(worse.percent, 60, 0.01);
  CHECK_NEAR(worse.milliseconds, 45, 1e-9);
  CHECK_NEAR(better.percent, 77, 0.2);
  CHECK_NEAR(better.milliseconds, 35, 1e-9);
  std::vector<PolicyKernel> kernels;
  for (const ExampleKernel& of : example)
    kernels.push_back(kernel(uint64_t(of.percent), of.milliseconds * 1000));
  for (const char* selector : {"0", "1", "2"}) {
    std::unique_ptr<Policy> made = policy(std::string("queues=2,selector=") + selector);
    const WeightedOccupancy ours = weightedOccupancy(example, orderOf(*made, kernels), 2);
    CHECK(ours.percent >= better.percent - 1e-9);
    CHECK(ours.milliseconds <= better.milliseconds + 1e-9);
  }
  CHECK_EQUAL(text(orderOf(*policy("queues=2,selector=2"), kernels)), "3 1 2 0");
}

static void everyKernelOnceAndTheSameAgain() {
  std::mt19937 random(3);
  for (size_t count : {1, 2, 31, 33, 300}) {
    std::vector<PolicyKernel> kernels;
    for (size_t i = 0; i < count; ++i)
      kernels.push_back(kernel(1 + random() % 150, double(random() % 1000)));
    for (const char* parameters :
         {"selector=0", "selector=1", "selector=2", "selector=2,levels=1", "queues=1,window=1"}) {
      std::vector<size_t> order = orderOf(*policy(parameters), kernels);
      CHECK(order == orderOf(*policy(parameters), kernels));
      std::sort(order.begin(), order.end());
      CHECK_EQUAL(order.size(), count);
      for (size_t i = 0; i < order.size(); ++i)
        CHECK_EQUAL(order[i], i);
    }
  }
}

static void queuesAreLanes() {
  CHECK(policy()->schedule({}, kHundred).empty());
  // Fewer kernels than queues: one each. All native, in turn.
  const std::vector<CoRunSet> few =
      policy("queues=8")->schedule({kernel(10, 30), kernel(10, 20), kernel(10, 10)}, kHundred);
  CHECK_EQUAL(few[0].size(), 3u);
  for (uint32_t i = 0; i < 3; ++i) {
    CHECK_EQUAL(few[0][i].lane, i);
    CHECK_EQUAL(few[0][i].kernel, 2u - i);
    CHECK_EQUAL(few[0][i].blocksPerSm, 0u);
  }
  // More: each behind the one that ends first, then round robin.
  const std::vector<CoRunSet> two =
      policy("queues=2")
          ->schedule({kernel(50, 30), kernel(50, 10), kernel(50, 10), kernel(50, 10)}, kHundred);
  std::string lanes;
  for (const Member& member : two[0])
    lanes += std::to_string(member.lane) + ":" + std::to_string(member.kernel) + " ";
  CHECK_EQUAL(lanes, "0:1 1:2 0:3 1:0 ");
  // Never more queues than asked for.
  const std::vector<CoRunSet> many =
      policy("queues=3")->schedule(std::vector<PolicyKernel>(50, kernel(1, 5)), kHundred);
  for (const Member& member : many[0])
    CHECK(member.lane < 3);
}

/// 40 % are free at 5 us, 100 % at 10 us: the smaller one goes first although it is worth less.
static void whoEndsFirstGivesBackFirst() {
  const std::vector<PolicyKernel> kernels = {kernel(60, 10), kernel(40, 5), kernel(40, 20),
                                             kernel(60, 15)};
  CHECK_EQUAL(text(orderOf(*policy("selector=2,levels=20"), kernels)), "1 0 2 3");
}

/// In a queue that has been empty a kernel begins now, not when the queue became empty: 2 runs from
/// 10 to 30 us, so 1 ends before it, at 25 us, and leaves room for 3.
static void emptyQueuesBeginNow() {
  const std::vector<PolicyKernel> kernels = {kernel(40, 10), kernel(60, 25), kernel(40, 20),
                                             kernel(60, 40), kernel(40, 60)};
  CHECK_EQUAL(text(orderOf(*policy("selector=2,levels=20,queues=3"), kernels)), "0 1 2 3 4");
}

/// Needs are of resident blocks: a grid of many waves takes the device, not more.
static void largeGrids() {
  CHECK_EQUAL(text(orderOf(*policy(), {kernel(100'000, 10), kernel(10'000, 5), kernel(1, 20)})),
              "1 0 2");
  PolicyKernel unknownGrid = kernel(0, 10); // may fill the device
  PolicyState state;
  state.limits = kHundred;
  PolicyKernel one = kernel(1, 10);
  state.running.push_back({1, 1, 1, 1, 0, &one});
  state.waiting.push_back({2, 2, &unknownGrid});
  CHECK(policy()->decide(state)[0].action == Action::Wait);
  PolicyKernel quarter = kernel(100'000, 10); // one small block an SM, for what reason ever
  quarter.threadsPerBlock /= 4, quarter.registersPerBlock /= 4, quarter.sharedBytesPerBlock /= 4;
  one.blocks = 75;
  state.waiting = {{2, 2, &quarter}};
  CHECK(policy()->decide(state)[0].action == Action::Start);
  one.blocks = 76;
  CHECK(policy()->decide(state)[0].action == Action::Wait);
  // More than the device alone: it takes the device, and starts when nothing runs.
  PolicyKernel tooLarge = kernel(100, 10);
  tooLarge.registersPerBlock *= 2;
  state.waiting = {{2, 2, &tooLarge}};
  CHECK(policy()->decide(state)[0].action == Action::Wait);
  state.running.clear();
  CHECK(policy()->decide(state)[0].action == Action::Start);
  CHECK_EQUAL(text(orderOf(*policy("selector=2"), {tooLarge, kernel(1, 1)})), "0 1");
}

/// Without a time: that of the others on average. Without anything: in order.
static void unknownKernels() {
  PolicyKernel timeless = kernel(40, 0);
  timeless.profiled = false;
  CHECK_EQUAL(text(orderOf(*policy(), {kernel(40, 30), timeless, kernel(40, 10)})), "2 1 0");
  CHECK_EQUAL(text(orderOf(*policy(), std::vector<PolicyKernel>(4, timeless))), "0 1 2 3");
  for (const char* selector : {"selector=0", "selector=1", "selector=2"}) {
    std::vector<PolicyKernel> nothing(3);
    CHECK_EQUAL(text(orderOf(*policy(selector), nothing)), "0 1 2");
    CHECK_EQUAL(policy(selector)->schedule(nothing, {})[0].size(), 3u); // nor of the device
  }
}

static void decides() {
  const PolicyKernel third = kernel(30, 10), half = kernel(50, 40), most = kernel(80, 5);
  PolicyState state;
  state.limits = kHundred;
  state.running = {{1, 1, 1, 1, 0, &half}, {2, 3, 2, 2, 0, &third}};
  auto asked = [&](const PolicyKernel& kernel, uint64_t stream) {
    state.waiting = {{9, stream, &kernel}};
    return policy()->decide(state).at(0);
  };
  const PolicyKernel fifth = kernel(20, 10);
  CHECK(asked(fifth, 3).action == Action::Start); // 50 + 30 + 20: exactly full
  CHECK_EQUAL(asked(fifth, 3).blocksPerSm, 0u);
  // 50 beside 50 fits once the third is over, which ends first; its last launch is waited for.
  CHECK(asked(half, 3).action == Action::Wait);
  CHECK(asked(half, 3).after == std::vector<uint64_t>{3});
  CHECK_EQUAL(asked(half, 3).reason, "policy knapsack: fits beside 1 of 2 streams in flight");
  // 80: neither may be left.
  CHECK((asked(most, 3).after == std::vector<uint64_t>{3, 1}));
  // In the stream of the half it follows that anyway: 80 beside 30 does not fit, 50 does.
  CHECK((asked(most, 1).after == std::vector<uint64_t>{3}));
  CHECK(asked(half, 1).action == Action::Start);
}

/// Kernels of one stream never meet: the largest counts, and all their time.
static void streamsCountOnce() {
  const PolicyKernel third = kernel(30, 10), half = kernel(50, 8);
  PolicyState state;
  state.limits = kHundred;
  state.running = {{1, 1, 1, 1, 0, &third}, {2, 2, 1, 2, 0, &half}, {3, 3, 2, 3, 0, &third}};
  state.waiting = {{4, 3, &third}};
  // 50 + 30 leaves no 30; stream 2 ends first (10 against 18 us).
  std::vector<Decision> made = policy()->decide(state);
  CHECK(made[0].after == std::vector<uint64_t>{3});
  const PolicyKernel fifth = kernel(20, 10);
  state.waiting = {{4, 3, &fifth}};
  CHECK(policy()->decide(state)[0].action == Action::Start);
  // Several at once: the second sees the first placed, and waits for whom ends first.
  state.waiting = {{4, 3, &fifth}, {5, 4, &fifth}};
  made = policy()->decide(state);
  CHECK_EQUAL(made.size(), 2u);
  CHECK(made[0].action == Action::Start);
  CHECK(made[1].action == Action::Wait);
  for (const Decision& decision : made)
    for (uint64_t after : decision.after)
      CHECK(after < decision.sequence);
}

static void parameters() {
  CHECK(policy()->wantsProfiles());
  std::unique_ptr<Policy> made = policy();
  CHECK_EQUAL(made->parameters().size(), 4u);
  CHECK(!made->configure("queue=3").ok());
  // Nonsense is bounded, not obeyed.
  const std::vector<PolicyKernel> kernels(5, kernel(30, 10));
  for (const char* nonsense :
       {"queues=0", "queues=-1", "queues=nan", "queues=1e300", "window=0", "window=inf",
        "selector=2,levels=0", "selector=2,levels=1e300", "selector=-1", "selector=9"})
    CHECK_EQUAL(orderOf(*policy(nonsense), kernels).size(), 5u);
  // A window of one is the order of submission.
  CHECK_EQUAL(text(orderOf(*policy("window=1"), {kernel(10, 30), kernel(10, 20)})), "0 1");
  CHECK_EQUAL(text(orderOf(*policy("window=2"), {kernel(10, 30), kernel(10, 20)})), "1 0");
}

int main() {
  exactAgainstAllSubsets();
  alwaysFits();
  selectionsInOrder();
  flattenedIsChecked();
  exactBeatsGreedy();
  flattenedIsPositional();
  workedExample();
  everyKernelOnceAndTheSameAgain();
  queuesAreLanes();
  whoEndsFirstGivesBackFirst();
  emptyQueuesBeginNow();
  largeGrids();
  unknownKernels();
  decides();
  streamsCountOnce();
  parameters();
  return checkResult();
}
