// saturation_test - the definition on the published curves and on shapes with known answers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times in ms by blocks per SM at 30 active SMs: S. Kim 2020, as read from the text
// (data/kscheduler_kernels.json, budget_curves_ms); other budgets are interpolated.
#include "rt/saturation/SaturationPoint.h"
#include "test/rt/Check.h"

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

int main() {
  publishedCurves();
  rateAndWindow();
  edges();
  return checkResult();
}
