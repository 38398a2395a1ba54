// Kernels - runs kernels that a compiler of blocks could get wrong, and prints what they wrote.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: jit-kernels [least number of blocks that must have been compiled | little]
// little: runs what is hot, for some milliseconds only, and nothing must have been compiled.
// Equal output with any GPUSCHED_JIT means equal bits and equal messages. Each kernel runs
// several times, so that all but the first blocks of the first run are compiled.
#include "../../engine/EngineTest.h"

#include "rt/device/cpu/engine/CompiledBlock.h"

#include <cstdlib>

using namespace gpusched::cpu;
using namespace gpusched::cpu::test;

namespace {

/// Stores each of the registers r3..r9 as a word of the thread.
std::string stores(int last) {
  std::string text = "mul.lo.u32 r0, %g, 32; cvt.u64.u32 d9, r0; add.u64 d9, %base, d9;\n";
  for (int i = 3; i <= last; ++i)
    text += "st.global.u32 [d9+" + std::to_string((i - 3) * 4) + "], r" + std::to_string(i) + ";\n";
  return text;
}

/// r1, r2: bits of every kind of number, among them infinities, subnormals, -0, and NaNs in one and
/// in both.
const std::string kNumbers =
    ".reg .f32 f<8>; .reg .f64 g<4>; .reg .b16 h<4>;\n"
    "mul.lo.u32 r1, %g, 2654435761; mul.lo.u32 r2, %g, 40503; xor.b32 r2, r2, r1; and.b32 r2, r2, "
    "0xff7fffff;\n"
    "and.b32 r3, %g, 7; setp.eq.u32 p0, r3, 3; selp.b32 r1, 0x7f800000, r1, p0;\n"
    "setp.eq.u32 p0, r3, 4; selp.b32 r1, 0x80000000, r1, p0; selp.b32 r2, 0, r2, p0;\n"
    "setp.eq.u32 p0, r3, 5; selp.b32 r2, 0x00012345, r2, p0;\n"
    "setp.eq.u32 p0, r3, 6; selp.b32 r2, 0x7fc00000, r2, p0; and.b32 r4, r1, 0x807fffff; "
    "selp.b32 r1, r4, r1, p0;\n"
    "setp.eq.u32 p0, r3, 2; selp.b32 r1, 0xffa12345, r1, p0; selp.b32 r2, 0x7fc54321, r2, p0;\n"
    "setp.eq.u32 p0, r3, 1; selp.b32 r2, 0x7fa54321, r2, p0;\n"
    "mov.b32 f1, r1; mov.b32 f2, r2;\n";

std::string floats(const std::string& name, const std::string& a, const std::string& b,
                   const std::string& c) {
  return kernel(name, kNumbers + a + " " + b + " " + c +
                          "mov.b32 r3, f3; mov.b32 r4, f4; mov.b32 r5, f5;\n" + stores(5));
}

const std::string kArithmetic =
    floats("sums", "add.f32 f3, f1, f2;", "sub.ftz.f32 f4, f1, f2;", "mul.sat.f32 f5, f1, f2;") +
    floats("fused", "fma.rn.f32 f3, f1, f2, f1;", "mul.f32 f4, f1, f2; add.f32 f4, f4, f1;",
           "fma.rn.ftz.sat.f32 f5, f1, f2, f2;") +
    floats("quotients", "div.rn.f32 f3, f1, f2;", "sqrt.rn.f32 f4, f2;", "rcp.rn.f32 f5, f1;") +
    floats("extremes", "min.f32 f3, f1, f2;", "max.f32 f4, f1, f2;", "min.NaN.f32 f5, f1, f2;") +
    floats("signs", "neg.f32 f3, f1;", "abs.f32 f4, f2;", "max.NaN.f32 f5, f1, f2;") +
    floats("chained", "fma.rn.f32 f3, f1, f2, f1; neg.f32 f4, f3; fma.rn.f32 f3, f3, f2, f3;",
           "max.f32 f5, f3, f4; mul.f32 f4, f4, 0f3F800000;",
           "add.f32 f5, f5, 0f80000000; add.f32 f5, f5, f3;") +
    floats("rounded", "add.rz.f32 f3, f1, f2;", "mul.rp.f32 f4, f1, f2;", "sin.approx.f32 f5, f2;") +
    kernel("integers",
           kNumbers + "add.s32 r3, r1, r2; mul.hi.s32 r4, r1, r2; mad.lo.s32 r5, r1, r2, r3;\n"
                      "min.s32 r6, r1, r2; max.u32 r7, r1, r2; abs.s32 r8, r1; not.b32 r9, r2;\n" +
                      stores(9)) +
    kernel("shifts", kNumbers + "and.b32 r9, %t, 63;\nshl.b32 r3, r1, r9; shr.u32 r4, r1, r9; "
                                "shr.s32 r5, r1, r9; mul.wide.s32 d0, r1, r2; shr.s64 d0, d0, r9; "
                                "cvt.u32.u64 r6, d0; mov.b64 {r7, r8}, d0;\n" +
                                stores(8)) +
    kernel("narrow", kNumbers + "cvt.u16.u32 h1, r1; cvt.u16.u32 h2, r2; add.u16 h3, h1, h2; "
                                "cvt.s32.s16 r3, h3; mul.wide.s16 r4, h1, h2; shr.s16 h3, h1, 3; "
                                "cvt.u32.u16 r5, h3; min.s16 h3, h1, h2; cvt.s32.s16 r6, h3;\n" +
                                stores(6)) +
    // Of what large arguments of sin become; LLVM's combiner does not end in one round.
    kernel("rounds", kNumbers + ".reg .b32 q<4>;\nbar.sync 0;\nshr.u32 q0, r1, 23; "
                                "and.b32 q0, q0, 255; add.s32 q1, q0, -128; shr.u32 q2, q1, 5; "
                                "and.b32 r3, q1, 31; sub.s32 q3, 5, q2; mul.wide.s32 d0, q3, 4; "
                                "sub.s32 r4, 4, q2;\nbar.sync 0;\nmov.b64 {r5, r6}, d0;\n" +
                                stores(6)) +
    kernel("comparisons",
           kNumbers + "setp.lt.f32 p1, f1, f2; setp.geu.f32 p2, f1, f2; setp.ne.and.s32 p3|p4, r1, "
                      "r2, p1; setp.gt.or.u32 p5, r1, r2, !p2;\n"
                      "selp.u32 r3, 1, 0, p1; selp.u32 r4, 1, 0, p2; selp.u32 r5, 1, 0, p3; "
                      "selp.u32 r6, 1, 0, p4; selp.u32 r7, 1, 0, p5;\n"
                      "and.pred p1, p1, p5; not.pred p2, p2; xor.pred p3, p1, p2; "
                      "selp.u32 r8, r1, r2, p3; setp.num.f32 p1, f1, f2; selp.u32 r9, 1, 0, p1;\n" +
                      stores(9)) +
    kernel("doubles", kNumbers + "cvt.f64.f32 g1, f1; cvt.f64.f32 g2, f2; fma.rn.f64 g3, g1, g2, "
                                 "g1; div.rn.f64 g1, g2, g3; mul.f64 g3, g1, 0d3FF0000000000000; "
                                 "min.f64 g2, g1, g3;\n"
                                 "mov.b64 {r3, r4}, g1; mov.b64 {r5, r6}, g2; mov.b64 {r7, r8}, "
                                 "g3;\n" +
                                 stores(8));

/// The lanes' addresses in shared memory lie in rows, halves, quarters, equal, or otherwise.
std::string tile(const std::string& name, const std::string& offset, const std::string& body) {
  return kernel(name, ".shared .align 16 .b8 tile_" + name + "[8192];\nmov.u32 r9, tile_" + name +
                          ";\nmad.lo.u32 r8, %t, 16, r9;\nmul.lo.u32 r7, %t, 77;\n"
                          "st.shared.v4.u32 [r8], {r7, %t, %g, %b};\nbar.sync 0;\n" +
                          offset + "add.u32 r8, r8, r9;\n" + body + "bar.sync 0;\n" + stores(6));
}
const std::string kLoads = "ld.shared.u32 r3, [r8]; ld.shared.u32 r4, [r8+4];\n"
                           "ld.shared.s8 r5, [r8+12]; ld.shared.u16 r6, [r8+64];\n";
const std::string kShapes =
    tile("row", "shl.b32 r8, %t, 2;", kLoads) +
    tile("halves", "and.b32 r8, %t, 15; shl.b32 r8, r8, 2;", kLoads) +
    tile("quarters", "shr.u32 r8, %t, 3; mul.lo.u32 r8, r8, 68;", kLoads) +
    tile("equal", "shr.u32 r8, %t, 5; shl.b32 r8, r8, 4;", kLoads) +
    tile("columns", "mul.lo.u32 r8, %t, 36; rem.u32 r8, r8, 512;", kLoads) +
    tile("pairs", "shl.b32 r8, %t, 3;",
         "ld.shared.v2.u32 {r3, r4}, [r8]; ld.shared.v2.u32 {r5, r6}, [r8+8];\n") +
    tile("quads", "shl.b32 r8, %t, 4;", "ld.shared.v4.u32 {r3, r4, r5, r6}, [r8];\n") +
    tile("written", "and.b32 r8, %t, 24; shl.b32 r8, r8, 2;",
         "bar.sync 0; st.shared.u32 [r8+4], %t; st.shared.v2.u32 [r8+8], {%g, %t};\nbar.sync 0; "
         "ld.shared.v4.u32 {r3, r4, r5, r6}, [r8];\n");

/// The address of an arrival is made wider by an op of its own, at which the block ends.
const std::string kArrivals =
    kernel("arrivals", ".shared .align 8 .b8 pad[64];\n.shared .align 8 .b8 arrived[8];\n"
                       "setp.ne.u32 p0, %t, 0; mov.u32 r1, arrived; @p0 bra READY; "
                       "mbarrier.init.shared.b64 [r1], %n; READY: bar.sync 0;\n"
                       "mul.lo.u32 r2, %t, 0; add.u32 r1, r1, r2; add.u32 r3, r1, %t; "
                       "mbarrier.arrive.shared.b64 d1, [r1];\n"
                       "WAIT: mbarrier.test_wait.shared.b64 p1, [r1], d1; @!p1 bra WAIT;\n"
                       "sub.u32 r3, r3, r1; st.global.u32 [%p], r3;");

/// The last word of the buffer says what differs between launches: the stride, and who takes a branch.
const std::string kChanging =
    kernel("strides", "ld.global.u32 r1, [%base+262140]; mul.lo.u32 r2, %t, r1; shl.b32 r2, r2, 2; "
                      "cvt.u64.u32 d1, r2; add.u64 d1, d1, %base; ld.global.u32 r3, [d1]; "
                      "ld.global.u32 r4, [d1+128]; add.u32 r5, r3, r4;\nbar.sync 0;\n" +
                          stores(5)) +
    kernel("branches", "ld.global.u32 r1, [%base+262140]; mov.u32 r3, %t; mov.u32 r4, 0;\n"
                       "LOOP: add.u32 r4, r4, 1; mad.lo.u32 r3, r3, 3, r4; and.b32 r5, %t, r1;\n"
                       "setp.eq.u32 p0, r5, 0; @p0 bra EVEN; xor.b32 r3, r3, 0x55; add.u32 r3, r3, "
                       "r4; EVEN: shl.b32 r6, r3, 1; @p0 add.u32 r6, r6, r4; xor.b32 r3, r3, r6;\n"
                       "and.b32 r7, %t, 3; add.u32 r7, r7, 9; setp.lt.u32 p1, r4, r7; @p1 bra LOOP;\n"
                       "shfl.sync.bfly.b32 r6, r3, 1, 31, -1; add.u32 r5, r6, r3;\n" +
                           stores(6)) +
    kernel("hot", "mov.u32 r3, %t; mov.u32 r4, 0;\n"
                  "LOOP: add.u32 r4, r4, 1; mad.lo.u32 r3, r3, 5, r4; shr.u32 r5, r3, 7; xor.b32 "
                  "r3, r3, r5; mad.lo.u32 r5, r3, r4, 9; shl.b32 r6, r5, 3; sub.u32 r3, r6, r3; "
                  "and.b32 r5, r3, 0xffff; add.u32 r3, r3, r5;\n"
                  "setp.lt.u32 p1, r4, 40000; @p1 bra LOOP;\n" +
                      stores(3)) +
    kernel("sums_in_place", "ld.global.u32 r1, [%p]; mov.u32 r2, %ntid.x; shr.u32 r2, r2, 5; and.b32 "
                            "r3, %t, 31; cvt.u64.u32 d1, r3; shl.b64 d1, d1, 2; add.u64 d1, d1, "
                            "%base; ld.global.u32 r4, [d1]; add.u32 r4, r4, 3; add.u32 r4, r4, r2; "
                            "st.global.u32 [d1], r4;");

/// Bad accesses in the middle of a block.
const std::string kFaults =
    kernel("wild", "ld.global.u32 r1, [%base+262140]; cvt.u64.u32 d1, r1; shl.b64 d1, d1, 36; "
                   "sub.u64 d1, %p, d1; add.u32 r2, r1, 1; ld.global.u32 r3, [%p]; ld.global.u32 "
                   "r4, [d1]; add.u32 r4, r4, r2; st.global.u32 [%p], r4;") +
    kernel("misaligned", "ld.global.u32 r1, [%base+262140]; cvt.u64.u32 d1, r1; add.u64 d1, d1, "
                         "%p; ld.global.u32 r4, [d1]; add.u32 r4, r4, 1; st.global.u32 [%p], r4;") +
    kernel("outside", ".shared .align 4 .b8 small[128];\nld.global.u32 r1, [%base+262140]; mov.u32 "
                      "r2, small; mad.lo.u32 r2, r1, 4, r2; and.b32 r3, %t, 31; mad.lo.u32 r2, r3, "
                      "4, r2; st.shared.u32 [r2], %t; ld.shared.u32 r4, [r2]; st.global.u32 [%p], "
                      "r4;");

uint64_t hash(const uint32_t* words) {
  uint64_t value = 0xcbf29ce484222325;
  for (size_t i = 0; i < Fixture::kWords; ++i)
    value = (value ^ words[i]) * 0x100000001b3;
  return value;
}

void show(const char* name, Fixture& fixture, const std::string& message) {
  std::printf("%-16s %016llx %s\n", name, static_cast<unsigned long long>(hash(fixture.words)),
              message.substr(0, message.find("address 0x")).c_str()); // addresses differ by run
}

void runThree(Fixture& fixture, const char* name, Dim3 block) {
  for (int i = 0; i < 3; ++i) {
    fixture.clear();
    show(name, fixture, fixture.run(name, {8}, block));
  }
}

/// The last word of the buffer is 1 three times, then something else, then 1.
void runChanging(Fixture& fixture, const char* name, uint32_t then) {
  for (uint32_t value : {1u, 1u, 1u, then, 1u}) {
    for (size_t i = 0; i < Fixture::kWords; ++i)
      fixture.words[i] = static_cast<uint32_t>(i * 2654435761u >> 7);
    fixture.words[Fixture::kWords - 1] = value;
    show(name, fixture, fixture.run(name, {4}, {128}));
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "little") == 0) {
    Fixture little(kChanging, {.workers = 1}, 1);
    show("hot", little, little.run("hot", {4}, {64}));
    return failures != 0 || compiledBlocks() != 0;
  }
  Fixture arithmetic(kArithmetic, {.workers = 1}), shapes(kShapes, {.workers = 2});
  Fixture changing(kChanging, {.workers = 1}, 1), faults(kFaults, {.workers = 1}, 1);
  Fixture arrivals(kArrivals, {.workers = 1}, 1);
  if (failures)
    return finish();
  for (const char* name : {"sums", "fused", "quotients", "extremes", "signs", "chained", "rounded",
                           "integers", "shifts", "narrow", "rounds", "comparisons", "doubles"})
    for (uint32_t threads : {128u, 80u})
      runThree(arithmetic, name, {threads});
  for (const char* name :
       {"row", "halves", "quarters", "equal", "columns", "pairs", "quads", "written"})
    for (uint32_t threads : {256u, 48u})
      runThree(shapes, name, {threads});
  runThree(arrivals, "arrivals", {128});
  runThree(changing, "hot", {64});
  runChanging(changing, "strides", 3);
  runChanging(changing, "strides", 0);
  runChanging(changing, "branches", 2);
  runChanging(changing, "sums_in_place", 1);
  for (const char* name : {"wild", "misaligned", "outside"})
    for (uint32_t value : {0u, 0u, 0u, 2u, 0u}) {
      faults.clear();
      faults.words[Fixture::kWords - 1] = value;
      show(name, faults, faults.run(name, {2}, {128}));
    }
  if (argc > 1 && compiledBlocks() < std::strtoul(argv[1], nullptr, 10)) {
    std::fprintf(stderr, "only %llu blocks were compiled\n",
                 static_cast<unsigned long long>(compiledBlocks()));
    return 1;
  }
  return failures != 0;
}
