// environment_test - ranges and numbers from the environment; the table is sorted and complete.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With an argument: prints the names of the table, one a line (environment-doc.test).
#include "rt/launch/Settings.h"
#include "rt/support/Environment.h"
#include "test/Check.h"

#include <cstdlib>
#include <cstring>

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
  Settings settings = loadSettings();
  CHECK_EQUAL(settings.blocksPerSm, 0u);
  CHECK(!settings.masked);
  CHECK(settings.variant == ForcedVariant::None);
  CHECK(settings.nativePairs);
  CHECK(settings.idle());
}

static void goodValuesArrive() {
  setenv("GPUSCHED", "serial", 1);
  setenv("GPUSCHED_BLOCKS_PER_SM", "3", 1);
  setenv("GPUSCHED_SMS", "0,33", 1);
  setenv("GPUSCHED_VARIANT", "persistent", 1);
  setenv("GPUSCHED_NATIVE_PAIRS", "never", 1);
  Settings settings = loadSettings();
  CHECK_EQUAL(settings.policy, "serial");
  CHECK_EQUAL(settings.blocksPerSm, 3u);
  CHECK_EQUAL(countSms(settings.smMask, 512), 2u);
  CHECK_EQUAL(settings.smMask[0], 1u);
  CHECK_EQUAL(settings.smMask[1], 2u);
  CHECK(settings.variant == ForcedVariant::Persistent);
  CHECK(!settings.nativePairs);
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
  return checkResult();
}
