// measured_kernels_test - kernels of PTX, of which no compiler of ours has said anything.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/profile/FoldMeasurements.h"
#include "rt/profile/MeasuredKernels.h"
#include "test/Check.h"
#include "test/rt/MeasuredDevice.h"

using namespace gpusched;

static MeasurementFile launchesOf(const char* symbol, uint32_t registers, double us,
                                  uint32_t budget = 0) {
  MeasurementFile file;
  file.source = "activity";
  KernelMeasurement& kernel = file.kernels.emplace_back();
  kernel.kernel = symbol;
  kernel.threadsPerBlock = 128;
  kernel.blocks = budget ? 100 * budget : 100'000;
  kernel.blocksPerSm = budget;
  kernel.launches = 1;
  kernel.timesUs = {us};
  if (registers)
    kernel.values = {{kRegistersPerThread, registers}, {kStaticSharedBytes, 4096}};
  return file;
}

/// 128 registers let four blocks of 128 threads on an SM, 168 three.
static void aTwinGoesToItsKernel() {
  const std::vector<MeasurementFile> measured = {launchesOf("_Z1kPf", 128, 300),
                                                 launchesOf("_Z1kPf__gs", 168, 600, 1),
                                                 launchesOf("_Z1kPf__gs", 168, 320, 3)};
  const JoinedProfiles joined = foldMeasurements({}, measured, measuredDevice(), {});
  CHECK(joined.withoutStatic.empty());
  CHECK_EQUAL(joined.file.kernels.size(), 1u);
  const KernelProfile kernel = joined.file.kernels.at(0);
  CHECK_EQUAL(kernel.fixed.kernel, "k");
  CHECK_EQUAL(kernel.fixed.symbol, "_Z1kPf");
  CHECK_EQUAL(kernel.fixed.persistentSymbol, "_Z1kPf__gs");
  CHECK_EQUAL(kernel.fixed.native.at(0).registersPerThread, 128u);
  CHECK_EQUAL(kernel.fixed.native.at(0).staticSharedBytes, 4096u);
  CHECK_EQUAL(kernel.fixed.persistent.at(0).registersPerThread, 168u);
  CHECK_EQUAL(kernel.dynamic->budgetCurve.size(), 3u);
  CHECK_EQUAL(kernel.dynamic->persistentTimeUs, 320.0);
}

/// What gpusched-cc says counts, and a name that only ends so is a kernel's own.
static void onlyWhatIsNotKnown() {
  ProfileFile statics;
  StaticProfile& compiled = statics.kernels.emplace_back().fixed;
  compiled.kernel = "k", compiled.symbol = "_Z1kPf", compiled.persistentSymbol = "_Z5k__gsPf";
  const ProfileFile all =
      withMeasuredKernels(statics,
                          {launchesOf("_Z1kPf", 20, 1), launchesOf("_Z5k__gsPf", 20, 1),
                           launchesOf("l__gs", 20, 1), launchesOf("m", 0, 1)},
                          measuredDevice());
  CHECK_EQUAL(all.kernels.size(), 2u);
  CHECK(all.kernels.at(0).fixed.native.empty());
  CHECK_EQUAL(all.kernels.at(1).fixed.symbol, "l__gs");
  CHECK_EQUAL(all.kernels.at(1).fixed.persistentSymbol, "");
}

static void unknownRegistersAreSaid() {
  const JoinedProfiles joined =
      foldMeasurements({}, {launchesOf("_Z1kPf", 0, 9)}, measuredDevice(), {});
  CHECK(joined.withoutStatic.contains("_Z1kPf"));
  CHECK_EQUAL(joined.file.kernels.at(0).fixed.kernel, "k");
}

/// One run shows which kernels have got a twin; the others ask for no more.
static void theSearchFindsOutWhoHasATwin() {
  const auto wanted = [](const std::vector<MeasurementFile>& measured, bool expected) {
    return budgetsToMeasure({}, measured, measuredDevice(), {}, expected);
  };
  const MeasurementFile native = launchesOf("k", 32, 300);
  CHECK(wanted({native}, false).empty());
  const std::set<uint32_t> first = wanted({native}, true);
  CHECK(!first.empty());
  if (first.empty())
    return;
  const uint32_t budget = *first.begin();
  CHECK(wanted({native, launchesOf("k", 32, 300, budget)}, true).empty());
  const std::set<uint32_t> next = wanted({native, launchesOf("k__gs", 40, 900, budget)}, true);
  CHECK(!next.empty() && !next.contains(budget));
}

int main() {
  aTwinGoesToItsKernel();
  onlyWhatIsNotKnown();
  unknownRegistersAreSaid();
  theSearchFindsOutWhoHasATwin();
  return checkResult();
}
