// printf_test - printf, assert, malloc and free called from kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

#include "rt/device/cpu/engine/CheckReport.h"

using namespace gpusched::cpu::test;

namespace {

const std::string kText = R"(
.global .align 1 .b8 format[32] = {37,100,32,37,46,50,102,32,37,115,32,37,108,108,100,32,37,99,37,37,10,0};
.global .align 1 .b8 word[4] = {97,98,99,0};
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .func (.param .b64 r) malloc (.param .b64 a);
.extern .func free (.param .b64 a);
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
)";

/// printf("%d %.2f %s %lld %c%%\n", tid, 2.5, "abc", 5000000000, 'x')
/// with the string at `word`.
std::string printOf(const std::string& name, const std::string& word) {
  return kernel(name, R"(
  .local .align 8 .b8 pack[40];
  mov.u64 d0, pack;
  st.local.u32 [d0], %t;
  st.local.f64 [d0+8], 0d4004000000000000;
  )" + word + R"(
  st.local.u64 [d0+16], d1;
  st.local.u64 [d0+24], 5000000000;
  st.local.u32 [d0+32], 120;
  mov.u64 d2, format;
  { .param .b64 a; st.param.b64 [a], d2; .param .b64 b; st.param.b64 [b], d0; .param .b32 v;
    call.uni (v), vprintf, (a, b); ld.param.b32 r0, [v]; })");
}

const std::string kHeap = kernel("heap", R"(
  { .param .b64 a; st.param.b64 [a], 64; .param .b64 v; call.uni (v), malloc, (a); ld.param.b64 d0, [v]; }
  st.u32 [d0], %t;
  ld.u32 r0, [d0];
  st.global.u32 [%p], r0;
  { .param .b64 a; st.param.b64 [a], d0; call.uni free, (a); })");

const std::string kAssert = kernel("asserts", R"(
  mov.u64 d0, word;
  { .param .b64 a; st.param.b64 [a], d0; .param .b64 b; st.param.b64 [b], d0;
    .param .b32 c; st.param.b32 [c], 12; .param .b64 d; st.param.b64 [d], d0;
    .param .b64 e; st.param.b64 [e], 1; call.uni __assertfail, (a, b, c, d, e); })");

/// The checks see what printf reads: a string after the end of the buffer is reported and empty.
void wildString() {
  Fixture f(kText + printOf("wild", "add.u64 d1, %base, 262144;"),
            {.workers = 1, .checks = {.memory = true}});
  CHECK(f.run("wild", {1}, {1}).empty());
  CHECK(f.gpu->takeOutput() == "0 2.50  5000000000 x%\n");
  CHECK(f.gpu->checkReport()->lines().find("out of bounds global read of 1 bytes") !=
        std::string::npos);
}

} // namespace

int main() {
  Fixture f(kText + printOf("print", "mov.u64 d1, word;") + kHeap + kAssert);
  if (!f.loaded)
    return finish();
  CHECK(f.run("print", {1}, {2}).empty());
  CHECK(f.gpu->takeOutput() == "0 2.50 abc 5000000000 x%\n1 2.50 abc 5000000000 x%\n");
  CHECK(f.gpu->takeOutput().empty());
  wildString();
  CHECK(f.run("heap", {4}, {64}).empty());
  CHECK(f.words[255] == 63);
  f.gpu->setHeapLimit(16);
  CHECK(!f.run("heap", {1}, {1}).empty()); // malloc gives null, the store faults
  CHECK(f.run("asserts", {1}, {1}).find("Assertion `abc` failed") != std::string::npos);
  CHECK(f.last.trapped);
  CHECK(f.gpu->takeOutput().find("abc:12: abc: block: [0,0,0], thread: [0,0,0] Assertion") == 0);
  return finish();
}
