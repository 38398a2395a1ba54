// faults_test - what goes wrong in a kernel fails its launch, with a message, and nothing else.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

using namespace gpusched::cpu::test;

namespace {

const std::string kKernels =
    kernel("wild", "mov.u64 d0, 64; ld.global.u32 r0, [d0]; st.global.u32 [%p], r0;") +
    kernel("wildatomic", "mov.u64 d0, 4096; red.global.add.u32 [d0], 1;") +
    kernel("misaligned", "ld.global.u32 r0, [%p+2]; st.global.u32 [%p], r0;") +
    kernel("outside", ".shared .align 4 .b8 tile[100];\nmov.u32 r0, tile;\nmad.lo.u32 r0, %t, 8, "
                      "r0;\nst.shared.u32 [r0], 1;") +
    kernel("traps", "setp.eq.u32 p0, %t, 3;\n@p0 trap;") +
    kernel("unknown", "setp.gt.u32 p0, %t, 1000;\n@!p0 bra END;\nfrobnicate.rn.f32 r0, r1;\nEND: "
                      "st.global.u32 [%p], 4;") +
    kernel("reached", "frobnicate.rn.f32 r0, r1;") +
    kernel("maskasvalue", "setp.eq.u32 p0, %t, 3; add.u32 r0, %t, p0; st.global.u32 [%p], r0;") +
    kernel("valueasmask", "setp.eq.u32 r0, %t, 3; st.global.u32 [%p], r0;") +
    kernel("valueasguard", "@%t st.global.u32 [%p], 1;") +
    kernel("behindparameters", "ld.param.u64 d0, [buffer+8]; st.global.u64 [%base], d0;") +
    kernel("beforeparameters", "ld.param.u32 r0, [buffer+-4]; st.global.u32 [%p], r0;") +
    kernel("narrowbits", "popc.b16 r0, %t; st.global.u32 [%p], r0;") +
    kernel("lacking", ".reg .f32 f0; mov.b32 f0, %t; max.f32 f0, f0; st.global.f32 [%p], f0;") +
    kernel("fine", "st.global.u32 [%p], 8;");

bool mentions(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos)
    return true;
  std::printf("no '%s' in: %s\n", part.c_str(), text.c_str());
  return false;
}

} // namespace

int main() {
  Fixture f(kKernels);
  if (!f.loaded)
    return finish();
  const std::string wild = f.run("wild", {4}, {64});
  CHECK(mentions(wild, "kernel 'wild'") && mentions(wild, "PTX line") && mentions(wild, "0x40"));
  CHECK(f.last.fault == gpusched::cpu::Fault::IllegalAddress);
  CHECK(mentions(f.run("wildatomic", {1}, {32}), "illegal memory access"));
  CHECK(f.last.fault == gpusched::cpu::Fault::IllegalAddress);
  CHECK(mentions(f.run("misaligned", {1}, {32}), "misaligned address"));
  CHECK(f.last.fault == gpusched::cpu::Fault::MisalignedAddress);
  CHECK(mentions(f.run("outside", {1}, {32}), "outside the block's 128 bytes"));
  CHECK(f.last.fault == gpusched::cpu::Fault::IllegalAddress);
  CHECK(mentions(f.run("traps", {1}, {32}), "trap") && f.last.trapped);
  CHECK(f.last.fault == gpusched::cpu::Fault::Other);
  CHECK(f.run("unknown", {1}, {32}).empty());
  CHECK(f.words[0] == 4);
  const std::string reached = f.run("reached", {1}, {32});
  CHECK(mentions(reached, "frobnicate.rn.f32") && mentions(reached, "not supported") &&
        !f.last.trapped);
  for (const char* name : {"maskasvalue", "valueasmask", "valueasguard", "lacking", "narrowbits",
                           "behindparameters", "beforeparameters"})
    CHECK(mentions(f.run(name, {1}, {32}), "not supported"));
  CHECK(f.run("fine", {100}, {64}).empty());
  CHECK(f.last.fault == gpusched::cpu::Fault::None);
  CHECK(f.words[6399] == 8);
  return finish();
}
