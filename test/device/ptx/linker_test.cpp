// linker_test - what linking does to each kind of name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/ptx/Linker.h"
#include "rt/device/cpu/ptx/Parser.h"
#include "test/Check.h"

#include <string>

using namespace gpusched;
using namespace gpusched::ptx;

namespace {

std::shared_ptr<const Module> module(const std::string& body) {
  const Result<std::shared_ptr<const Module>> parsed =
      parse(".version 9.0\n.target sm_90\n.address_size 64\n" + body);
  CHECK_EQUAL(parsed.message(), "");
  return parsed ? *parsed : std::make_shared<Module>();
}

const Function* findFunction(const Module& module, const std::string& name) {
  for (const Function& function : module.functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

void testDefinitionsReplaceDeclarations() {
  const auto linked = link({module(".extern .func f();\n.extern .global .b32 g;\n"
                                   ".visible .entry k() { call f, (); ret; }"),
                            module(".visible .func f() { trap; }\n.visible .global .b32 g = 7;\n"
                                   ".extern .func vprintf();")});
  CHECK(linked && (*linked)->functions.size() == 3 && (*linked)->variables.size() == 1);
  if (!linked)
    return;
  CHECK(!findFunction(**linked, "f")->isExtern && findFunction(**linked, "vprintf")->isExtern);
  CHECK_EQUAL((*linked)->variables[0].init[0], 7);
}

void testLocalNamesStayApart() {
  const std::string text = ".global .b8 $str[2] = {65};\n.func helper() { ret; }\n"
                           ".visible .global .u64 p%s = generic($str);\n"
                           ".visible .entry k%s(.param .b32 helper_param) { .reg .b64 %rd<2>;\n"
                           "mov.u64 %rd1, $str; call helper, (); ret; }";
  const auto unit = [&](const std::string& suffix) {
    std::string made = text;
    for (std::size_t at; (at = made.find("%s")) != std::string::npos;)
      made.replace(at, 2, suffix);
    return module(made);
  };
  const auto linked = link({unit("1"), unit("2")});
  CHECK(linked && (*linked)->variables.size() == 4 && (*linked)->functions.size() == 4);
  if (!linked)
    return;
  const Function& second = *findFunction(**linked, "k2");
  const std::string renamed = second.body[0].operands[1].name;
  CHECK(renamed != "$str" && (*linked)->variables[2].name == renamed);
  CHECK_EQUAL((*linked)->variables[3].relocations[0].symbol, renamed);
  CHECK(findFunction(**linked, second.body[1].operands[0].name) != nullptr);
  CHECK(second.body[1].operands[0].name != "helper");
  CHECK_EQUAL(findFunction(**linked, "k1")->body[0].operands[1].name, "$str");
}

void testWeakAndCommon() {
  const auto linked = link({module(".weak .func f() { ret; }\n.common .global .b32 c[2];\n"
                                   ".weak .entry t() { exit; }"),
                            module(".visible .func f() { trap; }\n.common .global .b32 c[4];\n"
                                   ".weak .entry t() { exit; }")});
  CHECK(linked && (*linked)->functions.size() == 2);
  CHECK(linked && findFunction(**linked, "f")->body[0].opcode == "trap");
  CHECK(linked && (*linked)->variables[0].bytes == 16);
}

void testDuplicates() {
  const auto unit = module(".visible .func f() { ret; }");
  CHECK_EQUAL(link({unit, unit}).message(),
              "function 'f' is defined in two source files of the program's device code");
  CHECK(link({unit}) && *link({unit}) == unit);
}

} // namespace

int main() {
  testDefinitionsReplaceDeclarations();
  testLocalNamesStayApart();
  testWeakAndCommon();
  testDuplicates();
  return checkResult();
}
