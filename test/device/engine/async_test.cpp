// async_test - cp.async, bulk copies and mbarrier.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

using namespace gpusched::cpu::test;

namespace {

/// Copies 16 bytes a thread; the last thread copies only 4 and the rest is zero.
const std::string kCopy = kernel("copy", R"(
  .shared .align 16 .b8 tile[512];
  mov.u32 r0, tile;
  mad.lo.u32 r0, %t, 16, r0;
  mul.wide.u32 d0, %t, 16;
  add.u64 d0, %base, d0;
  setp.eq.u32 p0, %t, 31;
  selp.u32 r1, 4, 16, p0;
  cp.async.cg.shared.global [r0], [d0+4096], 16, r1;
  cp.async.commit_group;
  cp.async.wait_group 0;
  cp.async.wait_all;
  bar.sync 0;
  ld.shared.v4.u32 {r2, r3, r4, r5}, [r0];
  st.global.v4.u32 [d0], {r2, r3, r4, r5};)");

/// Three phases: thread 0 writes, everyone arrives, waits by state, then by parity.
const std::string kPhases = kernel("phases", R"(
  .shared .align 8 .b8 gate[8];
  .shared .align 4 .b8 cell[4];
  mov.u32 r0, gate;
  setp.eq.u32 p0, %t, 0;
  @p0 mbarrier.init.shared.b64 [r0], %n;
  bar.sync 0;
  @p0 st.shared.u32 [cell], 6;
  mbarrier.arrive.shared.b64 d0, [r0];
WAIT:
  mbarrier.test_wait.shared.b64 p1, [r0], d0;
  @!p1 bra WAIT;
  ld.shared.u32 r1, [cell];
  mbarrier.test_wait.parity.shared.b64 p2, [r0], 0;
  mbarrier.test_wait.parity.shared.b64 p3, [r0], 1;
  selp.u32 r2, 10, 0, p2;
  selp.u32 r3, 100, 0, p3;
  add.u32 r1, r1, r2;
  add.u32 r1, r1, r3;
  st.global.u32 [%p], r1;)");

/// A bulk copy into shared memory, doubled there, and one back; then a sum into global memory.
/// The phase ends when the bytes are there, so waiting before them must not succeed.
const std::string kBulk = kernel("bulk", R"(
  .shared .align 16 .b8 tile[1024];
  .shared .align 8 .b8 gate[8];
  mov.u32 r0, tile;
  mov.u32 r1, gate;
  setp.eq.u32 p0, %t, 0;
  mov.u32 r9, 0;
  @p0 mbarrier.init.shared::cta.b64 [r1], 1;
  bar.sync 0;
  @!p0 bra WAIT;
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 d1, [r1], 1024;
  mbarrier.pending_count.b64 r8, d1;
  mbarrier.test_wait.parity.shared.b64 p1, [r1], 0;
  selp.u32 r9, 1, 0, p1;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r0+512], [%base+1536], 512, [r1];
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r0], [%base+1024], 512, [r1];
WAIT:
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p1, [r1], 0, 1000;
  @!p1 bra WAIT;
  mad.lo.u32 r2, %t, 4, r0;
  ld.shared.u32 r3, [r2];
  add.u32 r3, r3, r3;
  st.shared.u32 [r2], r3;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @!p0 bra END;
  cp.async.bulk.global.shared::cta.bulk_group [%base+4096], [r0], 1024;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%base+8192], [r0], 1024;
  st.global.u32 [%base], r9;
  st.global.u32 [%base+4], r8;
END:)");

/// Transactions that arrive before they are expected, one by one, with and without an arrival.
const std::string kTransactions = kernel("transactions", R"(
  .shared .align 8 .b8 gate[8];
  mov.u32 r0, gate;
  mbarrier.init.shared.b64 [r0], 2;
  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [r0], 8;
  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [r0], 8;
  mbarrier.arrive.shared.b64 d0, [r0];
  mbarrier.test_wait.shared.b64 p0, [r0], d0;
  selp.u32 r1, 1, 0, p0;
  mbarrier.arrive_drop.expect_tx.shared.b64 d1, [r0], 4;
  mbarrier.test_wait.shared.b64 p0, [r0], d0;
  selp.u32 r2, 1, 0, p0;
  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [r0], 4;
  mbarrier.test_wait.shared.b64 p0, [r0], d0;
  selp.u32 r3, 1, 0, p0;
  mbarrier.arrive.shared.b64 d2, [r0];
  mbarrier.test_wait.parity.shared.b64 p0, [r0], 1;
  selp.u32 r4, 1, 0, p0;
  st.global.v4.u32 [%base], {r1, r2, r3, r4};)");

/// One bulk reduction of 16 bytes at base + 16 into those at base + 32.
void checkReduction(const std::string& form, uint64_t target, uint64_t source, uint64_t want,
                    unsigned bytes) {
  Fixture f(kernel("k", R"(
  .shared .align 16 .b8 from[16];
  .reg .b64 a, b;
  ld.global.v2.u64 {a, b}, [%base+16];
  st.shared.v2.u64 [from], {a, b};
  mov.u32 r0, from;
  fence.proxy.async.shared::cta;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.)" +
                            form + R"( [%base+32], [r0], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;)"),
            {.workers = 1}, 1);
  uint8_t* const memory = reinterpret_cast<uint8_t*>(f.words);
  for (unsigned at = 0; at < 16; at += bytes) {
    std::memcpy(memory + 16 + at, &source, bytes);
    std::memcpy(memory + 32 + at, &target, bytes);
  }
  bool good = f.run("k", {1}, {1}).empty();
  for (unsigned at = 0; at < 16; at += bytes)
    good &= std::memcmp(memory + 32 + at, &want, bytes) == 0;
  CHECK(good);
  if (!good)
    std::printf("%s\n", form.c_str());
}

void checkReductions() {
  const uint64_t five = 5, seven = 7, minus = ~uint64_t(2); // -3
  for (const std::string size : {"32", "64"}) {
    const unsigned bytes = size == "32" ? 4 : 8;
    for (const std::string sign : {".u", ".s"}) {
      const bool isSigned = sign == ".s";
      if (!isSigned || bytes == 4)
        checkReduction("add" + sign + size, seven, minus, 4, bytes);
      checkReduction("min" + sign + size, seven, minus, isSigned ? minus : seven, bytes);
      checkReduction("max" + sign + size, seven, minus, isSigned ? seven : minus, bytes);
    }
    checkReduction("and.b" + size, five, minus, five & minus, bytes);
    checkReduction("or.b" + size, five, minus, five | minus, bytes);
    checkReduction("xor.b" + size, five, minus, five ^ minus, bytes);
  }
  checkReduction("inc.u32", five, seven, 6, 4);
  checkReduction("inc.u32", seven, seven, 0, 4);
  checkReduction("dec.u32", five, seven, 4, 4);
  checkReduction("dec.u32", 0, seven, 7, 4);
  checkReduction("add.f32", 0x3f800000, 0x40000000, 0x40400000, 4);
  checkReduction("add.f64", 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000, 8);
  checkReduction("add.noftz.f16", 0x3c00, 0x4000, 0x4200, 2);
  checkReduction("add.noftz.bf16", 0x3f80, 0x4000, 0x4040, 2);
}

/// Stores and reductions that count their bytes on an mbarrier: 4 + 8 + 16 + 5 * 4.
const std::string kSignals = kernel("signals", R"(
  .shared .align 16 .b8 cell[64];
  .shared .align 8 .b8 gate[8];
  .reg .f32 f<4>;
  mov.u32 r0, cell; mov.u32 r1, gate;
  mov.u32 r2, 11; mov.u32 r3, 12;
  mov.f32 f0, 0f3F800000;
  st.shared.v4.u32 [cell+32], {r2, r2, r2, r2};
  st.shared.u32 [cell+48], r2;
  mbarrier.init.shared.b64 [r1], 1;
  mbarrier.arrive.expect_tx.shared.b64 d0, [r1], 48;
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [r0], r2, [r1];
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [r0+8], {r2, r3}, [r1];
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [r0+16], {f0, f0, f0, f0}, [r1];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [r0+32], r3, [r1];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.dec.u32 [r0+36], r3, [r1];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u32 [r0+40], r3, [r1];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [r0+44], r3, [r1];
  mbarrier.test_wait.shared.b64 p0, [r1], d0;
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [r0+48], r3, [r1];
  mbarrier.test_wait.shared.b64 p1, [r1], d0;
  selp.u32 r4, 1, 0, p0;
  selp.u32 r5, 1, 0, p1;
  mbarrier.arrive_drop.shared.b64 d1, [r1];
  mbarrier.inval.shared.b64 [r1];
  ld.shared.v4.u32 {r6, r7, r8, r9}, [cell];
  st.global.v4.u32 [%base], {r6, r4, r8, r9};
  ld.shared.v4.u32 {r6, r7, r8, r9}, [cell+32];
  st.global.v4.u32 [%base+16], {r6, r7, r8, r9};
  ld.shared.u32 r6, [cell+48];
  ld.shared.u32 r7, [cell+28];
  st.global.v4.u32 [%base+32], {r6, r5, r7, r7};)");

void checkSignals() {
  Fixture f(kSignals, {.workers = 1}, 1);
  const std::string message = f.run("signals", {1}, {1});
  CHECK(message.empty());
  const uint32_t want[12] = {11, 0, 11, 12, 12, 10, 11, 12, 23, 1, 0x3f800000, 0x3f800000};
  CHECK(std::memcmp(f.words, want, sizeof want) == 0);
}

void checkBulk(Fixture& f) {
  f.clear();
  for (uint32_t i = 0; i < 256; ++i)
    f.words[256 + i] = i, f.words[2048 + i] = 1000;
  const std::string message = f.run("bulk", {1}, {256});
  CHECK(message.empty());
  bool good = f.words[0] == 0 && f.words[1] == 1;
  for (uint32_t i = 0; i < 256; ++i)
    good &= f.words[1024 + i] == 2 * i && f.words[2048 + i] == 1000 + 2 * i;
  CHECK(good);
  f.clear();
  CHECK(f.run("transactions", {1}, {1}).empty());
  CHECK(f.words[0] == 0 && f.words[1] == 0 && f.words[2] == 1 && f.words[3] == 1);
}

} // namespace

int main() {
  Fixture f(kCopy + kPhases + kBulk + kTransactions);
  if (!f.loaded)
    return finish();
  for (uint32_t i = 0; i < 128; ++i)
    f.words[1024 + i] = i + 1;
  CHECK(f.run("copy", {1}, {32}).empty());
  bool good = true;
  for (uint32_t i = 0; i < 128; ++i)
    good &= f.words[i] == (i < 125 ? i + 1 : 0);
  CHECK(good);
  CHECK(f.run("phases", {1}, {96}).empty());
  CHECK(f.words[0] == 16 && f.words[95] == 16);
  checkBulk(f);
  checkReductions();
  checkSignals();
  return finish();
}
