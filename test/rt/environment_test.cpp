// environment_test - ranges and numbers from the environment; the table is sorted and complete.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With an argument: prints the names of the table, one a line (environment-doc.test).
#include "rt/launch/Settings.h"
#include "rt/policy/Priorities.h"
#include "rt/sharing/Board.h"
#include "rt/support/Environment.h"
#include "test/Check.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

using namespace gpusched;

static bool ranges(const char* text, const std::vector<uint32_t>& expected) {
  std::optional<std::vector<uint32_t>> parsed = parseRanges(text, 511);
  return parsed && *parsed == expected;
}

static void rangesAreReadStrictly() {
  CHECK(ranges("0-3,7", {0, 1, 2, 3, 7}));
  CHECK(ranges("7,7,2-2", {2, 7}));
  for (const char* bad : {"", ",", "3-1", "a", "1,", "0-512", "-1", "1--2", "99999999999999999999"})
    CHECK(!parseRanges(bad, 511));
}

static void badValuesFallBack() {
  setenv("GPUSCHED_LOG", "off", 1);
  setenv("GPUSCHED_BLOCKS_PER_SM", "many", 1);
  setenv("GPUSCHED_SMS", "1-", 1);
  setenv("GPUSCHED_VARIANT", "fast", 1);
  setenv("GPUSCHED_NATIVE_PAIRS", "no", 1);
  setenv("GPUSCHED_PRIORITY", "urgent", 1);
  Settings settings = loadSettings();
  CHECK(!settings.limitsKernels());
  CHECK(settings.variant == ForcedVariant::None);
  CHECK(settings.nativePairs);
  CHECK_EQUAL(settings.priority, kNormalPriority);
}

static void goodValuesArrive() {
  setenv("GPUSCHED", "serial", 1);
  setenv("GPUSCHED_BLOCKS_PER_SM", "3", 1);
  setenv("GPUSCHED_SMS", "0,33", 1);
  setenv("GPUSCHED_VARIANT", "persistent", 1);
  setenv("GPUSCHED_NATIVE_PAIRS", "never", 1);
  setenv("GPUSCHED_PRIORITY", "low", 1);
  Settings settings = loadSettings();
  CHECK_EQUAL(settings.policy, "serial");
  CHECK(settings.limitsKernels());
  CHECK_EQUAL(settings.blocksPerSm.of("any"), 3u);
  const SmMask& mask = *settings.sms.of("any");
  CHECK_EQUAL(countSms(mask, 512), 2u);
  CHECK_EQUAL(mask[0], 1u);
  CHECK_EQUAL(mask[1], 2u);
  CHECK(settings.variant == ForcedVariant::Persistent);
  CHECK(!settings.nativePairs);
  CHECK_EQUAL(settings.priority, kLowPriority);
}

/// A name without template arguments stands for all instantiations but those that are named.
static void kernelsHaveValuesOfTheirOwn() {
  setenv("GPUSCHED_BLOCKS_PER_SM", "2;stencil=8;sum<double, 256>=3;sum=0", 1);
  setenv("GPUSCHED_SMS", "stencil=0-3,7;k<(a == b)>=5", 1);
  const Settings settings = loadSettings();
  CHECK_EQUAL(settings.blocksPerSm.of("stencil"), 8u);
  CHECK_EQUAL(settings.blocksPerSm.of("stencil2"), 2u);
  CHECK_EQUAL(settings.blocksPerSm.of("sum<double, 256>"), 3u);
  CHECK_EQUAL(settings.blocksPerSm.of("sum<float, 256>"), 0u);
  CHECK_EQUAL(countSms(*settings.sms.of("stencil"), 512), 5u);
  CHECK_EQUAL((*settings.sms.of("k<(a == b)>"))[0], 1u << 5);
  CHECK(!settings.sms.of("sum<double, 256>"));
  for (const char* bad :
       {"2;", ";2", "2;3", "a=1;a=2", "=2", "a=", "a=b", "-1", "4294967296", "1 "}) {
    setenv("GPUSCHED_BLOCKS_PER_SM", bad, 1);
    CHECK(loadSettings().blocksPerSm.named.empty() && loadSettings().blocksPerSm.all == 0);
  }
}

/// With CUDA's 8, a stream of ours that waits may hold back one of the program's.
static void fewConnectionsLeaveRaisesToTheThread() {
  unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
  CHECK(!loadSettings().deviceRaises);
  for (const auto& [connections, raises] :
       {std::pair{"32", true}, {"16", true}, {"8", false}, {"1", false}, {"x", false}}) {
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", connections, 1);
    CHECK_EQUAL(loadSettings().deviceRaises, raises);
  }
}

/// Without MPS the GPU runs one process at a time, unless the user knows better.
static void sharingAsksForMps() {
  mkdir("mps", 0700);
  setenv("CUDA_MPS_PIPE_DIRECTORY", "mps", 1);
  CHECK_EQUAL(loadSettings().shareFolder, "");
  setenv("GPUSCHED_SHARE", "0", 1);
  CHECK_EQUAL(loadSettings().shareFolder, "");
  setenv("GPUSCHED_SHARE", "1", 1);
  CHECK_EQUAL(loadSettings().shareFolder, "");
  setenv("GPUSCHED_SHARE", "/tmp/board", 1);
  CHECK_EQUAL(loadSettings().shareFolder, "/tmp/board");
  std::ofstream("mps/control") << "";
  setenv("GPUSCHED_SHARE", "1", 1);
  CHECK_EQUAL(loadSettings().shareFolder, Board::defaultFolder());
}

static void tableIsSorted() {
  const std::vector<EnvironmentVariable>& table = environmentTable();
  for (size_t i = 1; i < table.size(); ++i)
    CHECK(std::strcmp(table[i - 1].name, table[i].name) < 0);
}

int main(int count, char**) {
  if (count > 1) {
    for (const EnvironmentVariable& variable : environmentTable())
      std::cout << variable.name << "\n";
    return 0;
  }
  tableIsSorted();
  rangesAreReadStrictly();
  badValuesFallBack();
  goodValuesArrive();
  kernelsHaveValuesOfTheirOwn();
  fewConnectionsLeaveRaisesToTheThread();
  sharingAsksForMps();
  return checkResult();
}
