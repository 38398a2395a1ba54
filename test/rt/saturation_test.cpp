// saturation_test - the definition on the published curves and on shapes with known answers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times in ms by blocks per SM at 30 active SMs: S. Kim 2020, as read from the text
// (data/kscheduler_kernels.json, budget_curves_ms); other budgets are interpolated.
#include "rt/saturation/BlockTimes.h"
#include "rt/saturation/SaturationSearch.h"
#include "test/Check.h"

#include <cmath>
#include <random>

using namespace gpusched;

static void publishedCurves() {
  CHECK_EQUAL(saturationPoint(performanceCurve({{1, 137}, {4, 68}, {12, 77}})), 4u); // spmv
  CHECK_EQUAL(saturationPoint(performanceCurve({{1, 348}, {4, 115}, {12, 59}, {15, 59}})), 12u);
  CHECK_EQUAL(saturationPoint(performanceCurve({{1, 64}, {2, 58}, {4, 58}})), 2u); // lavaMD
  CHECK_EQUAL(
      saturationPoint(performanceCurve({{1, 237}, {2, 123.974}, {4, 69}, {10, 46}, {12, 57}})),
      10u); // cutcp
}

static void rateAndWindow() {
  std::vector<double> step = {1, 1, 1, 2, 2, 2}; // flat, then a gain three blocks on
  CHECK_EQUAL(saturationPoint(step, {0.05, 1}), 1u);
  CHECK_EQUAL(saturationPoint(step, {0.05, 2}), 1u);
  CHECK_EQUAL(saturationPoint(step, {0.05, 3}), 4u);
  std::vector<double> slope = {1.00, 1.04, 1.08, 1.12}; // 4 % a block
  CHECK_EQUAL(saturationPoint(slope, {0.05, 4}), 1u);   // not worth 5 % a block
  CHECK_EQUAL(saturationPoint(slope, {0.02, 4}), 4u);   // worth 2 %
}

static void edges() {
  CHECK_EQUAL(saturationPoint({}), 0u);
  CHECK_EQUAL(saturationPoint({5}), 1u);
  CHECK_EQUAL(saturationPoint({1, 2, 3, 4, 5, 6, 7, 8}), 8u); // still growing at the end
  CHECK_EQUAL(saturationPoint({3, 2, 1}), 1u);
  std::vector<double> curve = performanceCurve({{2, 10}, {4, 5}});
  CHECK_EQUAL(curve.size(), 4u);
  CHECK_NEAR(curve[0], 0.25, 1e-12); // in proportion below the first budget
  CHECK_NEAR(curve[2], 0.75, 1e-12);
  CHECK_NEAR(curve[3], 1.0, 1e-12);
}

/// Block times that launches were made from come out of them again, waves or not.
static void launchesTellBlockTimes() {
  for (double grid : {0.6, 3.5, 7.75, 16.0, 33.3, 1000.0}) {
    std::map<uint32_t, double> launches;
    const BlockTimes made({{1, 90}, {4, 120}, {9, 300}}); // of blocks: 90, 480, 2700
    for (uint32_t blocks : {1, 4, 9}) {
      const double full = std::floor(grid / blocks), rest = grid - full * blocks;
      launches[blocks] = (full > 0 ? full * made.ofBlock(blocks) : 0) +
                         (rest > 1e-9 ? made.ofBlock(std::max(1.0, rest)) : 0);
    }
    const BlockTimes found(launches, grid);
    for (const auto& [blocks, time] : launches)
      CHECK_NEAR(found.ofLaunch(blocks) / time, 1, 1e-9);
    for (double resident : {1.0, 2.5, 4.0, 6.0})
      if (resident <= grid)
        CHECK_NEAR(found.ofBlock(resident) / made.ofBlock(resident), 1, 1e-9);
  }
}

/// 1024 blocks on 132 SMs that all take as long: one wave with 8 on each, two with 4 to 7.
static void fewWavesMakeSteps() {
  const BlockTimes times({{2, 4}, {8, 1}}, 1024.0 / 132);
  CHECK_NEAR(times.ofBlock(5), 1, 1e-9);
  const std::vector<double> curve = times.curve();
  CHECK_EQUAL(curve.size(), 8u);
  CHECK_NEAR(curve[0], 1.0 / 8, 1e-9);
  CHECK_NEAR(curve[2], 1.0 / 3, 1e-9);
  CHECK_NEAR(curve[3], 0.5, 1e-9);
  CHECK_NEAR(curve[6], 0.5, 1e-9);
  CHECK_EQUAL(saturationPoint(curve), 8u);
  CHECK(BlockTimes({}).curve().empty());
  // More blocks than the grid is said to have cannot help: it has others, and no waves are known.
  const std::vector<double> mixed = BlockTimes({{1, 40}, {2, 20}, {4, 10}, {8, 10}}, 1.5).curve();
  CHECK_NEAR(mixed[0], 0.25, 1e-9);
  CHECK_NEAR(mixed[1], 0.5, 1e-9);
  CHECK_NEAR(mixed[2], 0.75, 1e-9);
  CHECK_NEAR(mixed[7], 1, 1e-9);
  CHECK(BlockTimes({{1, 10}, {4, 0.1}}, 4.5).ofBlock(4) > 0);
}

/// Two waves with 14 to 27 blocks on an SM, one with 28; with one more each the step is too long.
static void looksPastTheWidestStepThatIsWorthIt() {
  CHECK_EQUAL(saturationPoint(BlockTimes({{1, 28}, {28, 1}}, 28).curve()), 28u);
  CHECK_EQUAL(saturationPoint(BlockTimes({{1, 30}, {30, 1}}, 30).curve()), 15u);
}

/// A rise that bends at `knee`, softly for small `power`, and loses `fall` per block after it.
static double shape(uint32_t blocks, double knee, double power, double fall) {
  double rise = 1 / std::pow(1 + std::pow(knee / blocks, power), 1 / power);
  return rise * std::max(0.2, 1 - fall * std::max(0.0, blocks - knee));
}

/// Five launches against every budget, over 600 shapes: rarely more than a block apart.
static void fewLaunchesFindNearlyTheSamePoint() {
  std::mt19937 random(1);
  int curves = 0, near = 0, atMostTwo = 0;
  double lost = 0;
  for (uint32_t last : {8u, 16u, 32u})
    for (int round = 0; round < 200; ++round) {
      double knee = 1 + random() % last, power = 2 + random() % 7;
      double fall = random() % 3 == 0 ? 0.02 : 0;
      int launches = 0;
      auto time = [&](uint32_t blocks) {
        ++launches;
        return 1 / shape(blocks, knee, power, fall);
      };
      SearchedCurve every = measureEveryBudget(last, time);
      CHECK_EQUAL(launches, int(last));
      launches = 0;
      SearchedCurve few = measureFewBudgets(last, time);
      CHECK(launches <= int(kFewLaunches));
      CHECK_EQUAL(few.measuredBudgets.size(), size_t(launches));
      CHECK_EQUAL(few.curve.size(), every.curve.size());
      int apart = std::abs(int(few.saturationBlocksPerSm) - int(every.saturationBlocksPerSm));
      ++curves, near += apart <= 1, atMostTwo += apart <= 2;
      lost += std::max(0.0, every.curve[every.saturationBlocksPerSm - 1] -
                                every.curve[few.saturationBlocksPerSm - 1]);
    }
  std::printf("within 1 block: %d of %d, within 2: %d; mean loss %.3f\n", near, curves, atMostTwo,
              lost / curves);
  CHECK(near >= curves * 90 / 100);
  CHECK(lost / curves < 0.02);
}

static void searchEdges() {
  auto flat = [](uint32_t) { return 5.0; };
  CHECK_EQUAL(measureFewBudgets(1, flat).saturationBlocksPerSm, 1u);
  CHECK_EQUAL(measureFewBudgets(0, flat).saturationBlocksPerSm, 0u);
  CHECK_EQUAL(measureFewBudgets(16, flat).saturationBlocksPerSm, 1u);
  auto broken = [](uint32_t blocks) { return blocks == 1 ? 0.0 : 5.0; };
  CHECK_EQUAL(measureFewBudgets(4, broken).measuredBudgets.size(), 1u);
}

static void freedSlots() {
  CHECK_NEAR(slotsFreed({0.25, 0.5, 0.75, 1, 1, 1, 1, 1}, 8, 0.02), 0.5, 1e-9);
  CHECK_NEAR(slotsFreed({0.25, 0.5, 0.75, 0.985, 1, 1, 1, 1}, 8, 0.02), 0.5, 1e-9); // 1.5 % slower
  CHECK_NEAR(slotsFreed({0.25, 0.5, 0.75, 0.97, 1, 1, 1, 1}, 8, 0.02), 0.375, 1e-9);
  CHECK_NEAR(slotsFreed({0.5, 1}, 2, 0.02), 0, 1e-9);
  CHECK_NEAR(slotsFreed({0.8, 1, 0.8, 0.7}, 4, 0.02), 0.75, 1e-9); // more blocks only hurt
  CHECK_NEAR(slotsFreed({0.5, 1, 1, 1}, 2, 0.02), 0, 1e-9);        // a curve longer than what fits
  CHECK_NEAR(slotsFreed({}, 8, 0.02), 0, 1e-9);
}

int main() {
  launchesTellBlockTimes();
  fewWavesMakeSteps();
  looksPastTheWidestStepThatIsWorthIt();
  freedSlots();
  fewLaunchesFindNearlyTheSamePoint();
  searchEdges();
  publishedCurves();
  rateAndWindow();
  edges();
  return checkResult();
}
