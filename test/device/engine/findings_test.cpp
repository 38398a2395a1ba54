// findings_test - a finding's words are made once, however often it is met.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

#include "rt/device/cpu/engine/CheckReport.h"

using namespace gpusched::cpu;
using namespace gpusched::cpu::test;

namespace {

int linesMade = 0, detailsMade = 0;

void find(CheckReport& report, const FindingKey& key, const std::string& line) {
  report.add(
      key,
      [&] {
        ++linesMade;
        return line;
      },
      [] {
        ++detailsMade;
        return std::string("    details\n");
      });
}

void repeated() {
  CheckReport report;
  CHECK(report.empty());
  const FindingKey load{1, "shared", "read", "write", 10, 20},
      store{1, "shared", "write", "read", 20, 10};
  for (int i = 0; i < 1000; ++i) {
    find(report, load, "a");
    find(report, store, "b");
  }
  CHECK(linesMade == 2);
  CHECK(detailsMade == 2);
  CHECK(report.lines() == "a\nb\n");
  CHECK(report.summary() == "2 findings (2000 occurrences)");
}

/// Unrolled code: other instructions of the same line.
void oneLineOfManyKeys() {
  CheckReport report;
  linesMade = detailsMade = 0;
  for (uint32_t op = 0; op < 4; ++op)
    find(report, {1, "shared", "read", "write", op, 20}, "a");
  CHECK(linesMade == 4);
  CHECK(detailsMade == 1);
  CHECK(report.summary() == "1 finding (4 occurrences)");
}

/// A race in a loop: one pair of places, an occurrence for each time round.
void loop() {
  Fixture f(kernel("loop", R"(
  mov.u32 r0, 0;
AGAIN:
  add.u32 r1, r0, %t;
  st.global.u32 [%base], r1;
  add.u32 r0, r0, 1;
  setp.lt.u32 p0, r0, 100;
  @p0 bra AGAIN;)"),
            {.workers = 1, .checks = {.race = true}});
  CHECK(f.run("loop", {2}, {1}).empty());
  const CheckReport& report = *f.gpu->checkReport();
  CHECK(report.lines() == "race: global memory, write at st.global.u32 and write at st.global.u32 "
                          "in kernel 'loop'\n");
  CHECK(report.summary() == "1 finding (100 occurrences)");
}

} // namespace

int main() {
  repeated();
  oneLineOfManyKeys();
  loop();
  return finish();
}
