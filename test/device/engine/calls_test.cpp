// calls_test - device functions, recursion, function pointers, local arrays, globals.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

using namespace gpusched::cpu::test;
using gpusched::cpu::Gpu;

namespace {

const std::string kFunctions = R"(
.global .align 8 .u64 table[2] = {double_it, square_it};
.const .align 4 .u32 scale[2] = {3, 4};
.global .align 4 .u32 counter = 5;
.func (.param .b32 result) double_it(.param .b32 x)
{ .reg .b32 r; ld.param.u32 r, [x]; add.u32 r, r, r; st.param.b32 [result], r; ret; }
.func (.param .b32 result) square_it(.param .b32 x)
{ .reg .b32 r; ld.param.u32 r, [x]; mul.lo.u32 r, r, r; st.param.b32 [result], r; ret; }
.func (.param .b32 result) fib(.param .b32 x)
{
  .reg .b32 r<5>; .reg .pred p;
  ld.param.u32 r0, [x];
  setp.lt.u32 p, r0, 2;
  @p bra BASE;
  sub.u32 r1, r0, 1;
  { .param .b32 a; st.param.b32 [a], r1; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 r2, [v]; }
  sub.u32 r1, r0, 2;
  { .param .b32 a; st.param.b32 [a], r1; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 r3, [v]; }
  add.u32 r0, r2, r3;
BASE:
  st.param.b32 [result], r0;
  ret;
}
.func deep(.param .b32 x)
{
  .local .align 4 .b8 room[1024];
  .reg .b32 r; .reg .pred p;
  ld.param.u32 r, [x];
  st.local.u32 [room], r;
  add.u32 r, r, 1;
  { .param .b32 a; st.param.b32 [a], r; call.uni deep, (a); }
  ret;
}
)";

/// Lanes recurse to different depths.
const std::string kRecursion = kernel("recursion", R"(
  and.b32 r0, %t, 15;
  { .param .b32 a; st.param.b32 [a], r0; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 r1, [v]; }
  st.global.u32 [%p], r1;)");

/// Odd and even lanes call different functions through a table.
const std::string kPointers = kernel("pointers", R"(
  and.b32 r0, %t, 1;
  mul.wide.u32 d0, r0, 8;
  mov.u64 d1, table;
  add.u64 d1, d1, d0;
  ld.global.u64 d2, [d1];
  { .param .b32 a; st.param.b32 [a], %t; .param .b32 v;
    P: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (v), d2, (a), P; ld.param.b32 r1, [v]; }
  activemask.b32 r2;
  setp.ne.u32 p0, r2, 0xffffffff;
  @p0 mov.u32 r1, 999;
  st.global.u32 [%p], r1;)");

const std::string kLocal = kernel("local", R"(
  .local .align 4 .b8 array[64];
  mov.u64 d0, array;
  mov.u32 r0, 0;
FILL:
  mul.wide.u32 d1, r0, 4;
  add.u64 d1, d0, d1;
  mad.lo.u32 r1, %t, 100, r0;
  st.local.u32 [d1], r1;
  add.u32 r0, r0, 1;
  setp.lt.u32 p0, r0, 16;
  @p0 bra FILL;
  and.b32 r2, %t, 15;
  mul.wide.u32 d1, r2, 4;
  cvta.local.u64 d2, d0;
  add.u64 d2, d2, d1;
  ld.u32 r3, [d2];
  ld.const.u32 r4, [scale+4];
  ld.global.u32 r5, [counter];
  mad.lo.u32 r3, r3, r4, r5;
  st.global.u32 [%p], r3;)");

const std::string kOverflow = kernel("overflow", R"(
  { .param .b32 a; st.param.b32 [a], 0; call.uni deep, (a); })");
const std::string kBadPointer = kernel("badpointer", R"(
  mov.u64 d0, 1234;
  { P: .callprototype _ (); call d0, P; })");

/// Recursion without a loop: 832 thousand calls.
const std::string kEndless = kernel("endless", R"(
  { .param .b32 a; st.param.b32 [a], 27; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 r1, [v]; }
  st.global.u32 [%p], r1;)");

/// A launch that may not run as long is stopped in the middle of its calls.
void recursionIsInterrupted(Fixture& f) {
  gpusched::cpu::Launch launch = f.launch("endless", {1}, {32});
  launch.stepLimit = 1;
  std::string message;
  launch.completion = [&](const gpusched::cpu::LaunchOutcome& outcome) {
    message = outcome.status.message();
  };
  f.clear();
  CHECK(f.gpu->submit(std::move(launch)).ok());
  f.gpu->drain();
  CHECK(f.words[31] == 0);
  CHECK(message.find("stopped: the launch and what it launched have used up") != std::string::npos);
}

uint32_t fib(uint32_t n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

} // namespace

int main() {
  Fixture f(kFunctions + kRecursion + kPointers + kLocal + kOverflow + kBadPointer + kEndless);
  if (!f.loaded)
    return finish();
  CHECK(f.run("recursion", {2}, {64}).empty());
  bool good = true;
  for (uint32_t i = 0; i < 128; ++i)
    good &= f.words[i] == fib(i % 16);
  CHECK(good);
  CHECK(f.run("pointers", {1}, {32}).empty());
  good = true;
  for (uint32_t i = 0; i < 32; ++i)
    good &= f.words[i] == (i % 2 ? i * i : 2 * i);
  CHECK(good);
  CHECK(f.run("local", {2}, {40}).empty());
  good = true;
  for (uint32_t i = 0; i < 80; ++i)
    good &= f.words[i] == (i % 40 * 100 + i % 40 % 16) * 4 + 5;
  CHECK(good);
  CHECK(f.run("overflow", {1}, {32}).find("stack overflow") != std::string::npos);
  CHECK(f.run("badpointer", {1}, {32}).find("no function") != std::string::npos);
  CHECK(f.run("endless", {1}, {32}).empty() && f.words[31] == fib(27));
  recursionIsInterrupted(f);
  CHECK(Gpu::findGlobal(*f.loaded, "counter").bytes == 4);
  CHECK(Gpu::findKernel(*f.loaded, "nothing") == nullptr);
  return finish();
}
