// profile_fold_test - measured times, native and by budget, become a curve and a saturation point.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/profile/FoldMeasurements.h"
#include "test/Check.h"
#include "test/rt/MeasuredDevice.h"

using namespace gpusched;

/// A kernel of 128 threads, of which 16 blocks fit on an SM, and its twin.
static ProfileFile statics() {
  ProfileFile file;
  StaticProfile& fixed = file.kernels.emplace_back().fixed;
  fixed.kernel = "k", fixed.symbol = "_Z1kv", fixed.persistentSymbol = "_Z5k__gsv";
  VariantProfile variant;
  variant.target = "sm_90";
  variant.registersPerThread = 32;
  fixed.native = fixed.persistent = {variant};
  return file;
}

static MeasurementFile times(const char* symbol, uint32_t blocksPerSm, double us, uint64_t blocks) {
  MeasurementFile file;
  file.source = "activity";
  KernelMeasurement& kernel = file.kernels.emplace_back();
  kernel.kernel = symbol;
  kernel.threadsPerBlock = 128;
  kernel.blocks = blocks;
  kernel.blocksPerSm = blocksPerSm;
  kernel.launches = 3;
  kernel.timesUs = {us, us, us};
  return file;
}

/// The profile from a native time and times of the twin by budget.
static DynamicProfile folded(double nativeUs, const std::map<uint32_t, double>& byBudget,
                             uint64_t blocks = 100'000) {
  std::vector<MeasurementFile> measured = {times("_Z1kv", 0, nativeUs, blocks)};
  for (const auto& [budget, us] : byBudget)
    measured.push_back(times("_Z5k__gsv", budget, us, 100 * budget));
  JoinedProfiles joined = foldMeasurements(statics(), measured, measuredDevice(), {});
  CHECK_EQUAL(joined.file.kernels.size(), 1u);
  return joined.file.kernels.at(0).dynamic.value_or(DynamicProfile{});
}

/// Times of a kernel alone count before those beside others, whichever file comes first.
static void timesAloneWin() {
  MeasurementFile beside = times("_Z1kv", 0, 300, 1000), alone = times("_Z1kv", 0, 200, 1000);
  beside.kernels[0].besideOthers = 3;
  alone.kernels[0].besideOthers = 1;
  const auto fold = [](const std::vector<MeasurementFile>& files) {
    return foldMeasurements(statics(), files, measuredDevice(), {});
  };
  for (const JoinedProfiles& joined : {fold({beside, alone}), fold({alone, beside})}) {
    CHECK_NEAR(joined.file.kernels.at(0).dynamic->timeUs, 200, 1e-9);
    CHECK(joined.neverAlone.empty());
  }
  const JoinedProfiles only = fold({beside});
  CHECK_NEAR(only.file.kernels.at(0).dynamic->timeUs, 300, 1e-9);
  CHECK_EQUAL(only.neverAlone.size(), 1u);
  CHECK_EQUAL(*only.neverAlone.begin(), "k");
}

/// Workers' times stand for a kernel's until any other source has one, were it beside others.
static void telemetrysTimesGiveWay() {
  MeasurementFile telling = times("_Z1kv", 8, 500, 1000), beside = times("_Z1kv", 0, 300, 1000);
  telling.source = "telemetry", beside.source = "pm";
  beside.kernels[0].besideOthers = 3;
  for (const std::vector<MeasurementFile>& files :
       {std::vector{telling, beside}, std::vector{beside, telling}})
    CHECK_NEAR(
        foldMeasurements(statics(), files, measuredDevice(), {}).file.kernels.at(0).dynamic->timeUs,
        300, 1e-9);
}

static void findsPairs() {
  ProfileFile known = statics();
  StaticProfile& second = known.kernels.emplace_back().fixed;
  second.kernel = "l<int>", second.symbol = "_Z1lIiEvv";
  StaticProfile& pair = known.kernels.emplace_back().fixed;
  pair.kernel = "l<int> + k", pair.symbol = "_Z4pairv";
  const MeasurementFile k = times("_Z1kv", 0, 1, 1), l = times("_Z1lIiEvv", 0, 1, 1);
  CHECK(hasPairs(known, {k, l}));
  CHECK(!hasPairs(known, {k}));
  CHECK(!hasPairs(statics(), {k, l}));
}

/// A run that was stopped: only a small budget is known, and it is five times slower.
static void nativeTimeEndsTheCurve() {
  DynamicProfile profile = folded(200, {{2, 1000}});
  CHECK_EQUAL(profile.budgetCurve.size(), 16u);
  CHECK_NEAR(profile.budgetCurve[1], 0.2, 1e-9);
  CHECK_NEAR(profile.budgetCurve[15], 1, 1e-9);
  CHECK(profile.saturationBlocksPerSm > 8);
  CHECK_EQUAL(profile.measuredBudgets.size(), 1u);
}

static void saturatedKernelNeedsNoMore() {
  CHECK_EQUAL(folded(200, {{2, 201}}).saturationBlocksPerSm, 2u);
  CHECK_EQUAL(folded(230, {{2, 200}}).saturationBlocksPerSm, 2u); // more blocks only hurt
}

/// 775 blocks on 100 SMs: one wave with eight on each, two with four to seven.
static void fewWavesMakeSteps() {
  DynamicProfile profile = folded(200, {{2, 800}}, 775);
  CHECK_EQUAL(profile.budgetCurve.size(), 8u);
  for (size_t blocks : {4, 5, 6, 7})
    CHECK_NEAR(profile.budgetCurve[blocks - 1], 0.5, 1e-9);
  CHECK_EQUAL(profile.saturationBlocksPerSm, 8u);
}

/// Between far budgets the knee is where time in 1 / blocks puts it, not half-way up a line.
static void wideGapBends() {
  DynamicProfile profile = folded(100, {{1, 200}});
  CHECK_NEAR(profile.budgetCurve[3], 1 / 1.2, 1e-3); // 93.33 + 106.67 / blocks, at 4
  CHECK_EQUAL(profile.saturationBlocksPerSm, 4u);    // a fifth brings 4.7 %
}

static void twinsOwnFullTimeCounts() {
  DynamicProfile profile = folded(200, {{2, 1000}, {16, 250}});
  CHECK_NEAR(profile.budgetCurve[1], 0.25, 1e-9);
  CHECK_EQUAL(profile.budgetCurve.size(), 16u);
  CHECK_EQUAL(profile.persistentTimeUs, 250.0);
  CHECK_EQUAL(folded(200, {{2, 1000}, {8, 300}}).persistentTimeUs, 0.0);        // 16 fit
  CHECK_EQUAL(folded(200, {{2, 1000}, {8, 300}}, 775).persistentTimeUs, 300.0); // the grid ends
}

/// 600 blocks on 100 SMs: nobody ever has more than 6 on one.
static void smallGridEndsEarlier() {
  CHECK_EQUAL(folded(200, {{2, 600}}, 600).budgetCurve.size(), 6u);
  CHECK_EQUAL(folded(200, {{2, 600}, {6, 220}}, 600).saturationBlocksPerSm, 6u);
}

/// By the device that measured, which need not be the one that is described.
static void theMeasuredDevicesSmsCount() {
  std::vector<MeasurementFile> measured = {times("_Z1kv", 0, 200, 600),
                                           times("_Z5k__gsv", 2, 400, 100)};
  for (MeasurementFile& file : measured)
    file.sms = 150;
  const JoinedProfiles joined = foldMeasurements(statics(), measured, measuredDevice(), {});
  CHECK_EQUAL(joined.file.kernels.at(0).dynamic->budgetCurve.size(), 4u);
}

static void withoutBudgetsNothingIsClaimed() {
  DynamicProfile profile = folded(200, {});
  CHECK_EQUAL(profile.timeUs, 200.0);
  CHECK(profile.budgetCurve.empty());
  CHECK_EQUAL(profile.saturationBlocksPerSm, 0u);
}

int main() {
  timesAloneWin();
  telemetrysTimesGiveWay();
  findsPairs();
  nativeTimeEndsTheCurve();
  saturatedKernelNeedsNoMore();
  fewWavesMakeSteps();
  wideGapBends();
  twinsOwnFullTimeCounts();
  smallGridEndsEarlier();
  theMeasuredDevicesSmsCount();
  withoutBudgetsNothingIsClaimed();
  return checkResult();
}
