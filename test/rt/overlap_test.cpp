// overlap_test - rates of pairs from times alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/Overlap.h"
#include "test/Check.h"

#include <cmath>

using namespace gpusched;

static PolicyKernel named(const char* name) {
  PolicyKernel kernel;
  kernel.name = name;
  return kernel;
}

static const PolicyKernel kA = named("a"), kB = named("b"), kC = named("c");

static bool is(double value, double wanted) {
  return std::abs(value - wanted) < 1e-9;
}

/// The only pair's ratio; -1: there is not just one.
static double ratioOf(const std::vector<TimedLaunches>& launches) {
  const std::vector<PairRate> pairs = pairRates(launches);
  return pairs.size() == 1 ? pairs[0].ratio : -1;
}

static void halvesOfEachOther() {
  // Both at full speed; both at half of it.
  CHECK(is(ratioOf({{&kA, 0, 10, 10}, {&kB, 0, 10, 10}}), 2));
  CHECK(is(ratioOf({{&kA, 0, 20, 10}, {&kB, 0, 20, 10}}), 1));
  // One stands still while the other runs: as good as one after the other.
  CHECK(is(ratioOf({{&kA, 0, 20, 10}, {&kB, 0, 10, 10}}), 1));
}

/// What was done alone is not the pair's.
static void timeAloneIsTakenOff() {
  CHECK(is(ratioOf({{&kA, 0, 30, 20}, {&kB, 10, 30, 10}}), 1));
  CHECK(is(ratioOf({{&kA, 0, 30, 25}, {&kB, 10, 30, 10}}), 1.25));
}

/// Rows of launches that do not begin or end at the same moments.
static void queuesAreExact() {
  std::vector<TimedLaunches> launches;
  for (int i = 0; i < 6; ++i)
    launches.push_back({&kA, 10.0 * i, 10.0 * (i + 1), 6});
  for (int i = 0; i < 4; ++i)
    launches.push_back({&kB, 15.0 * i, 15.0 * (i + 1), 9, 3});
  CHECK(is(ratioOf(launches), 1.2));
  const std::vector<PairRate> pairs = pairRates(launches);
  CHECK(pairs[0].first == &kA && pairs[0].second == &kB);
  CHECK(is(pairs[0].launches, 12));
}

/// b leaves a its speed, c takes all of it; over both, a's work is spread evenly.
static void severalNeighbours() {
  const std::vector<PairRate> pairs =
      pairRates({{&kA, 0, 20, 10}, {&kB, 0, 10, 10}, {&kC, 10, 20, 5}});
  CHECK_EQUAL(pairs.size(), size_t(2));
  CHECK(is(pairs[0].ratio, 1.5) && is(pairs[1].ratio, 1));
}

/// Native are both or they count as a pair with budgets.
static void formsAreToldApart() {
  const auto pairOf = [](double begin, bool first, bool second) {
    return std::vector<TimedLaunches>{{&kA, begin, begin + 20, 10, 1, first},
                                      {&kB, begin, begin + 20, second ? 10.0 : 20.0, 1, second}};
  };
  std::vector<TimedLaunches> launches;
  for (const std::vector<TimedLaunches>& pair :
       {pairOf(0, true, true), pairOf(100, false, false), pairOf(200, true, false)})
    launches.insert(launches.end(), pair.begin(), pair.end());
  const std::vector<PairRate> pairs = pairRates(launches);
  CHECK_EQUAL(pairs.size(), size_t(2));
  CHECK(pairs[0].form == PairForm::Budgeted && is(pairs[0].ratio, 1.5));
  CHECK(is(pairs[0].launches, 2));
  CHECK(pairs[1].form == PairForm::Native && is(pairs[1].ratio, 1));
}

static void whatIsNotKnownIsLeftOut() {
  const std::vector<TimedLaunches> pair = {{&kA, 0, 20, 10}, {&kB, 0, 20, 10}};
  auto with = [&](const TimedLaunches& more) {
    std::vector<TimedLaunches> launches = pair;
    launches.push_back(more);
    return launches;
  };
  CHECK(pairRates(with({nullptr, 15, 30})).empty());
  CHECK(is(ratioOf(with({nullptr, 20, 30})), 1));
  CHECK(pairRates(with({&kC, 5, 10, 5})).empty());
  CHECK(pairRates(with({nullptr, -INFINITY, INFINITY})).empty());
  CHECK(is(ratioOf(with({nullptr, -INFINITY, 0})), 1));
  CHECK(pairRates({{&kA, 0, 20, 10}, {&kB, 0, 20, 0}}).empty());   // time alone
  CHECK(pairRates({{&kA, 0, 100, 98}, {&kB, 0, 10, 8}}).empty());  // most of a is alone
  CHECK(pairRates({{&kA, 0, 10, 10}, {&kB, 10, 20, 10}}).empty()); // after each other
  CHECK(pairRates({}).empty());
}

static void whoWasAlone() {
  const std::vector<size_t> alone =
      ranAlone({{&kA, 0, 10}, {&kB, 10, 20}, {&kA, 15, 25}, {&kA, 30, 40}, {nullptr, 40, 50}});
  CHECK(alone == std::vector<size_t>({0, 3}));
}

int main() {
  halvesOfEachOther();
  timeAloneIsTakenOff();
  queuesAreExact();
  severalNeighbours();
  formsAreToldApart();
  whatIsNotKnownIsLeftOut();
  whoWasAlone();
  return checkResult();
}
