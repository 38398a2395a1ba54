// parser_error_test - every mistake gets a message with its line and the offending text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/ptx/Parser.h"
#include "test/Check.h"

#include <string>

using namespace gpusched;

namespace {

constexpr const char* kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// `body` stands on line 4; the message must be "PTX line 4: <message>".
void checkError(const std::string& body, const std::string& message) {
  const auto module = ptx::parse(kHeader + body);
  CHECK(!module);
  CHECK_EQUAL(module.message(), "PTX line 4: " + message);
}

void checkBodyError(const std::string& body, const std::string& message) {
  checkError(".func f() { .reg .b32 %r<4>; " + body + " }", message);
}

std::string repeat(const std::string& text, int times) {
  std::string all;
  while (times-- > 0)
    all += text;
  return all;
}

void testMessages() {
  checkBodyError("add.s32 %r1, %r2 %r3;", "expected ';' after an instruction, found '%r3'");
  checkBodyError("add.s32 %r1, %r9;", "expected a declared register, found '%r9'");
  checkBodyError("mov.b32 %r3, %r4;", "expected a declared register, found '%r4'");
  checkBodyError("mov.b32 %r03, 1;", "expected a declared register, found '%r03'");
  checkBodyError("bra missing;", "'missing' is not declared in function 'f'");
  checkBodyError("t: .branchtargets gone;", "'gone' is not declared as a label in function 'f'");
  checkBodyError("ld.u32 %r1, [%r2;", "expected ']' after an address, found ';'");
  checkBodyError("@%q add.s32 %r1, %r1, 1;",
                 "expected a declared predicate register after '@', found '%q'");
  checkBodyError(".reg .b32 %r<4>;", "registers '%r' are declared twice, found '>'");
  checkBodyError("mov.u32 %r1, 99999999999999999999;",
                 "expected an operand, found '99999999999999999999'");
  checkBodyError("mov.u32 %r1, \x01;", "expected an operand, found '?'");
  checkBodyError(".unknown 3;", "unknown directive '.unknown' in a function");
  checkError(".global .b32 a[4] = {1,2,3,4,5};",
             "'a' has 20 bytes of initial values and only 16 bytes of storage, found ';'");
  checkError(".global .u64 p = nowhere;", "the initial value of 'p' names 'nowhere', which is not "
                                          "declared, found the end of the text");
  checkError(".global .align 3 .b32 a;", "alignment 3 is not a power of two");
  checkError(".shared .b8 a[99999999999];", "array size 99999999999 is not between 0 and 67108864");
  checkError(".global .b8 p[3] = {0xFF(x), 1, 2};",
             "unsupported initialiser: only a part of an address, found ';'");
  checkError(".func f() { ret; } .func f() { ret; }", "function 'f' is defined twice");
  checkError(".func f() { ret;",
             "expected '}' at the end of function 'f', found the end of the text");
  CHECK_EQUAL(ptx::parse("int main() {}").message(),
              "PTX line 1: this is not PTX: expected .version first, found 'int'");
  CHECK_EQUAL(ptx::parse("").message(),
              "PTX line 1: this is not PTX: expected .version first, found the end of the text");
}

/// Deep nesting of everything that nests ends in an error, not in a stack overflow.
void testNesting() {
  const int depth = 200000;
  CHECK(!ptx::parse(kHeader + (".func f() { " + repeat("{", depth))));
  CHECK(!ptx::parse(kHeader + (".func f() { mov.b32 x, " + repeat("{", depth))));
  CHECK(!ptx::parse(kHeader + (".func f() { mov.b32 x, " + repeat("!", depth))));
  CHECK(!ptx::parse(kHeader + (".func f() { mov.b32 x, [" + repeat("1+(", depth))));
  CHECK(!ptx::parse(kHeader + (".global .b32 a[" + repeat("-", depth) + "1];")));
  CHECK(!ptx::parse(kHeader + (".global .b32 a[2] = " + repeat("{", depth))));
  CHECK(!ptx::parse(kHeader + (".section .debug " + repeat("{", depth))));
}

/// Declared sizes cost nothing until they are used.
void testSizes() {
  CHECK(ptx::parse(kHeader + std::string(".func f() { " +
                                         repeat("{.reg .b32 %r<16000000>;}", 1000) + " ret; }")));
  CHECK(ptx::parse(kHeader + std::string(".global .b8 a[1000000000000];")));
  CHECK(!ptx::parse(kHeader + std::string(".global .b8 a[4][200000000000] = {{1},{1},{1},{1}};")));
}

} // namespace

int main() {
  testMessages();
  testNesting();
  testSizes();
  return checkResult();
}
