// children_test - what the grids that a kernel launches do to its outcome, its counters and memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order among them is tested by test/conformance/dynamic-parallelism.cu, which a GPU passes
// too.
#include "EngineTest.h"

#include "rt/device/cpu/engine/CheckReport.h"

using namespace gpusched::cpu::test;
using gpusched::cpu::GpuOptions;
using gpusched::cpu::LaunchOutcome;

namespace {

const std::string kRuntime = R"(
.extern .func (.param .b64 buffer) __cudaCDP2GetParameterBufferV2(
  .param .b64 kernel, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12],
  .param .b32 shared);
.extern .func (.param .b32 error) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 stream);
.extern .func (.param .b32 error) __cudaCDP2MemsetAsync(
  .param .b64 to, .param .b32 value, .param .b64 bytes, .param .b64 stream);
)";

/// r1 = the error of launching `name` with `blocks` blocks of 32 threads and this kernel's
/// parameter; d1 is its buffer.
std::string launch(const std::string& name, int blocks, const std::string& stream) {
  return "mov.u64 d0, " + name + R"(;
  { .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;
    .param .b64 v; st.param.b64 [k], d0; st.param.b32 [s], 0;
    st.param.b32 [g], )" +
         std::to_string(blocks) + R"(; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    st.param.b32 [b], 32; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
    call.uni (v), __cudaCDP2GetParameterBufferV2, (k, g, b, s); ld.param.b64 d1, [v]; }
  st.u64 [d1], %base;
  { .param .b64 a; .param .b64 s; .param .b32 v; st.param.b64 [a], d1; st.param.b64 [s], )" +
         stream + "; call.uni (v), __cudaCDP2LaunchDeviceV2, (a, s); ld.param.b32 r1, [v]; }\n";
}

const std::string kFirstLane = "setp.ne.u32 p0, %t, 0;\n@p0 bra END;\n";

const std::string kKernels =
    kRuntime + kernel("add", "red.global.add.u32 [%base], 1;") +
    kernel("wild", "mov.u64 d0, 64; st.global.u32 [d0], 1;") +
    kernel("parent", kFirstLane + launch("add", 2, "0") + launch("add", 3, "4") + "END:") +
    kernel("unlucky", kFirstLane + launch("wild", 1, "0") + launch("add", 1, "0") +
                          launch("add", 1, "3") + "END:") +
    // Calls itself as its tail until base[1] has counted to base[2].
    kernel("repeat", kFirstLane + R"(
  ld.global.u32 r0, [%base+4]; add.u32 r0, r0, 1; st.global.u32 [%base+4], r0;
  ld.global.u32 r2, [%base+8]; setp.ge.u32 p1, r0, r2; @p1 bra END;)" +
                         launch("repeat", 1, "3") + "END:") +
    // base[1] counts how deep it came, base[2] keeps the error of the last launch.
    kernel("deeper", kFirstLane + "red.global.add.u32 [%base+4], 1;\n" + launch("deeper", 1, "0") +
                         "setp.eq.u32 p1, r1, 0; @p1 bra END; st.global.u32 [%base+8], r1;\nEND:") +
    kernel("crowd", kFirstLane + launch("add", 2'000'000'000, "0") + "END:") +
    // Starts at the buffer, but no memory is as large.
    kernel("largeset", kFirstLane + R"(
  { .param .b64 a; .param .b32 x; .param .b64 n; .param .b64 s; .param .b32 v;
    st.param.b64 [a], %base; st.param.b32 [x], 1; st.param.b64 [n], 4611686018427387904;
    st.param.b64 [s], 0;
    call.uni (v), __cudaCDP2MemsetAsync, (a, x, n, s); ld.param.b32 r1, [v]; }
END:)") +
    kernel("badset", kFirstLane + R"(
  { .param .b64 a; .param .b32 x; .param .b64 n; .param .b64 s; .param .b32 v;
    st.param.b64 [a], 4096; st.param.b32 [x], 1; st.param.b64 [n], 8; st.param.b64 [s], 0;
    call.uni (v), __cudaCDP2MemsetAsync, (a, x, n, s); ld.param.b32 r1, [v]; }
END:)");

bool mentions(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos)
    return true;
  std::printf("no '%s' in: %s\n", part.c_str(), text.c_str());
  return false;
}

void countsAreTheKernels() {
  Fixture f(kKernels, GpuOptions{.workers = 2, .counters = true});
  CHECK(f.run("parent", {1}, {32}).empty());
  CHECK(f.words[0] == 5 * 32);
  CHECK(f.last.counters.blocks == 1);
  CHECK(f.last.children.size() == 1);
  if (f.last.children.size() != 1)
    return;
  const LaunchOutcome::Child& child = f.last.children[0];
  CHECK(child.kernel == gpusched::cpu::Gpu::findKernel(*f.loaded, "add"));
  CHECK(child.counters.launches == 2 && child.counters.blocks == 5);
}

/// Its own launch fails; what was queued behind it does not run, and nothing is left.
void failureOfAChild() {
  Fixture f(kKernels);
  const uint64_t used = f.gpu->memory().used();
  const std::string message = f.run("unlucky", {1}, {32});
  CHECK(mentions(message, "kernel 'wild'") && mentions(message, "illegal memory access"));
  CHECK(f.last.fault == gpusched::cpu::Fault::IllegalAddress);
  CHECK(f.words[0] == 0);
  CHECK(mentions(f.run("badset", {1}, {32}), "outside the device's allocations"));
  CHECK(mentions(f.run("largeset", {1}, {32}), "outside the device's allocations"));
  CHECK(f.run("parent", {1}, {32}).empty() && f.words[0] == 5 * 32);
  CHECK(f.gpu->memory().used() == used);
}

void depth() {
  Fixture f(kKernels);
  f.words[2] = 100'000;
  CHECK(f.run("repeat", {1}, {32}).empty());
  CHECK(f.words[1] == 100'000);
  f.clear();
  CHECK(f.run("deeper", {1}, {32}).empty());
  CHECK(f.words[1] == 25 && f.words[2] == 65); // cudaErrorLaunchMaxDepthExceeded
}

/// A step limit bounds all that a launch brings about: tails without end, and a child of two
/// thousand million blocks.
void stepLimit() {
  Fixture f(kKernels);
  for (const char* const name : {"repeat", "crowd"}) {
    f.clear();
    f.words[2] = ~0u; // of "repeat"
    std::string message;
    gpusched::cpu::Launch launch = f.launch(name, {1}, {32});
    launch.stepLimit = 1'000'000;
    launch.completion = [&](const LaunchOutcome& outcome) { message = outcome.status.message(); };
    CHECK(f.gpu->submit(std::move(launch)).ok());
    f.gpu->drain();
    CHECK(mentions(message, "stopped: the launch and what it launched have used up the 1000000"));
  }
}

/// What a check forbids is left out, whatever its size.
void checkedSet(gpusched::cpu::CheckModes checks, bool leavesOut) {
  Fixture f(kKernels, GpuOptions{.workers = 1, .checks = checks});
  CHECK(f.run("largeset", {1}, {32}).empty() == leavesOut);
  CHECK(f.gpu->checkReport()->empty() != leavesOut);
  CHECK(f.words[0] == 0);
}

} // namespace

int main() {
  countsAreTheKernels();
  failureOfAChild();
  depth();
  stepLimit();
  checkedSet({.memory = true}, true);
  checkedSet({.race = true}, false);
  return finish();
}
