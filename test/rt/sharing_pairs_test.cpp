// sharing_pairs_test - what pairs have measured is a process's own, and not measured in company.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/schema/PairHistory.h"
#include "rt/support/TemporaryFolder.h"
#include "test/rt/MeasuredPair.h"
#include "test/rt/OtherProcess.h"

#include <filesystem>

using namespace gpusched;

static Settings measuring(const std::string& folder) {
  Settings settings = sharedIn(folder);
  settings.pairsPath = folder + "/pairs.json";
  settings.profilePath = folder + "/profile.json";
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  ProfileFile file;
  for (const char* name : {"a", "b", "foreign", "kernel"}) {
    KernelProfile& kernel = file.kernels.emplace_back();
    kernel.fixed.kernel = name;
    kernel.dynamic.emplace();
  }
  CHECK(writeProfile(settings.profilePath, file).ok());
  return settings;
}

/// Is the pair of two kernels, whose launches are beside each other, in the history behind it?
static bool measures(const Settings& settings) {
  Runtime runtime(settings, std::make_unique<Together>());
  MeasuredPair pair;
  pair.alone(runtime);
  for (uint32_t round = 0; round < PairHistory::kTrials + 2; ++round)
    pair.together(runtime);
  runtime.finish();
  return std::filesystem::exists(settings.pairsPath);
}

static void nothingIsMeasuredInCompany(const std::string& folder) {
  Visitor process(folder);
  process.comes();
  CHECK(!measures(measuring(folder)));
  process.goes();
  CHECK(measures(measuring(folder)));
}

static void knowing(const std::string& path, PairOutcome budgeted, PairOutcome native) {
  PairHistoryFile file;
  file.pairs = {{"foreign", "kernel", budgeted, native}};
  CHECK(writePairHistory(path, file).ok());
}

/// A kernel of that name in another process is another kernel.
static void aHistoryIsOfOneProcess(const std::string& folder) {
  Visitor process(folder);
  process.comes();
  Settings settings = measuring(folder);
  settings.tracePath = folder + "/trace.json";
  settings.traceTimed = false;
  knowing(settings.pairsPath, {0.5, PairHistory::kTrials}, {0.5, PairHistory::kTrials});
  Runtime runtime(settings, std::make_unique<Together>());
  ProgramKernel kernel("kernel");
  launch(runtime, kernel, fake().makeStream());
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
  runtime.finish();
  const Result<TraceFile> trace = readTrace(settings.tracePath);
  CHECK(trace && trace->launches.size() == 1 && trace->launches[0].set == 1);
}

/// Two kernels of one process, which are known to be faster natively.
static uint64_t nativeOfTwo(const Settings& settings) {
  knowing(settings.pairsPath, {1.0, PairHistory::kTrials}, {1.5, PairHistory::kTrials});
  Runtime runtime(settings, std::make_unique<Together>());
  ProgramKernel foreign("foreign"), kernel("kernel");
  launch(runtime, foreign, fake().makeStream());
  launch(runtime, kernel, fake().makeStream());
  const uint64_t natives = fake().nativeLaunches;
  fake().drain();
  return natives;
}

static void lowPriorityHasNoNativePairs(const std::string& folder) {
  Settings settings = measuring(folder);
  CHECK(nativeOfTwo(settings) > 0);
  settings = measuring(folder);
  settings.priority = kLowPriority;
  CHECK_EQUAL(nativeOfTwo(settings), 0u);
}

int main() {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  CHECK(folder.ok());
  nothingIsMeasuredInCompany(folder->file("company"));
  aHistoryIsOfOneProcess(folder->file("history"));
  lowPriorityHasNoNativePairs(folder->file("natively"));
  return checkResult();
}
