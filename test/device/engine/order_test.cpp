// order_test - launches start by priority, then in the order of submission.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One SM that holds one block at a time: the log of who ran when is the dispatch order.
#include "EngineTest.h"

using namespace gpusched::cpu::test;
using gpusched::cpu::Launch;

namespace {

std::string logging(const std::string& name, int id) {
  return kernel(name, R"(
  .shared .align 4 .b8 all[60000];
  st.shared.u32 [all], 0;
  atom.global.add.u32 r0, [%base], 1;
  mul.wide.u32 d0, r0, 4;
  add.u64 d0, %base, d0;
  mad.lo.u32 r1, %b, 10, )" +
                          std::to_string(id) + ";\nst.global.u32 [d0+4], r1;");
}

/// Keeps the SM until the host has submitted everything.
const std::string kGate = kernel("gate", R"(
  .shared .align 4 .b8 gate[60000];
  st.shared.u32 [gate], 0;
WAIT:
  ld.volatile.global.u32 r0, [%base+1024];
  setp.eq.u32 p0, r0, 0;
  @p0 bra WAIT;)");

} // namespace

int main() {
  Fixture f(kGate + logging("first", 1) + logging("second", 2) + logging("urgent", 3),
            {.workers = 1}, 1);
  CHECK(f.gpu->submit(f.launch("gate", {1}, {1})).ok());
  CHECK(f.gpu->submit(f.launch("first", {3}, {1})).ok());
  CHECK(f.gpu->submit(f.launch("second", {2}, {1})).ok());
  Launch urgent = f.launch("urgent", {2}, {1});
  urgent.priority = -1;
  CHECK(f.gpu->submit(std::move(urgent)).ok());
  __atomic_store_n(f.words + 256, 1, __ATOMIC_SEQ_CST);
  f.gpu->drain();
  const uint32_t want[] = {3, 13, 1, 11, 21, 2, 12};
  CHECK(f.words[0] == 7 && std::memcmp(f.words + 1, want, sizeof want) == 0);
  return finish();
}
