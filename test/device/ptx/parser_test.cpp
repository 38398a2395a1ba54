// parser_test - what the parser makes of each construct of PTX.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per construct. round-trip.cu checks whole programs of a real compiler.
#include "rt/device/cpu/ptx/Parser.h"
#include "test/Check.h"

#include <string>

using namespace gpusched;
using namespace gpusched::ptx;

namespace {

std::shared_ptr<const Module> parseModule(const std::string& body) {
  const Result<std::shared_ptr<const Module>> module =
      parse(".version 9.0\n.target sm_90a, debug\n.address_size 64\n" + body);
  if (module)
    return *module;
  CHECK_EQUAL(module.message(), "");
  return std::make_shared<Module>();
}

/// The function whose body is `body`; parameters and module symbols of general use are there.
Function parseFunction(const std::string& body) {
  const std::shared_ptr<const Module> module =
      parseModule(".global .b32 g[4];\n.extern .shared .align 16 .b8 dyn[];\n"
                  ".extern .func (.param .b32 r) ext (.param .b64 p);\n"
                  ".visible .entry k(.param .b64 k_param_0, .param .b32 k_param_1)\n{\n" +
                  body + "\n}\n");
  return module->functions.empty() ? Function() : module->functions.back();
}

void testHeader() {
  const std::shared_ptr<const Module> module = parseModule("");
  CHECK_EQUAL(module->versionMajor, 9u);
  CHECK_EQUAL(module->versionMinor, 0u);
  CHECK_EQUAL(module->target, "sm_90a");
  CHECK_EQUAL(module->addressBits, 64u);
}

void testOperands() {
  const Function f =
      parseFunction(".reg .pred %p<3>; .reg .b32 %r<10>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n"
                    "fma.rn.f32 %f1, 0f3F800000, -1.5, %f2;\n"
                    "setp.lt.and.u32 %p1|_, %r1, -7, !%p2;\n"
                    "ld.global.nc.v2.u32 {%r2, %r3}, [%rd1+-8];\n"
                    "tex.2d.v4.f32.s32 {%f1,%f1,%f1,%f1}, [%rd2, {%r1, %r2}];\n"
                    "mov.u64 %rd3, g+8;\n"
                    "ld.param.u64 %rd1, [k_param_0];\n"
                    "vadd.u32.u32.u32 %r4, %r5.b2, %r6.h1, %r7;\n"
                    "mov.u32 %r8, %tid.x;\n"
                    "st.shared.u32 [dyn+4], 0xffffffffU;\n"
                    "ld.u32 %r9, [16];");
  CHECK_EQUAL(f.body.size(), 11u);
  const std::vector<Operand>& fma = f.body[0].operands;
  CHECK(fma[1].kind == Operand::Kind::Float32 && fma[1].bits == 0x3F800000);
  CHECK(fma[2].kind == Operand::Kind::Float64 && fma[2].bits == 0xBFF8000000000000);
  CHECK_EQUAL(f.body[0].opcode, "fma");
  CHECK(f.body[0].modifiers == (std::vector<std::string>{"rn", "f32"}));

  const std::vector<Operand>& setp = f.body[1].operands;
  CHECK(setp[0].kind == Operand::Kind::Pair && setp[0].elements[1].kind == Operand::Kind::Sink);
  CHECK_EQUAL(int64_t(setp[2].bits), -7);
  CHECK(setp[3].negated && f.registers[setp[3].reg].name == "%p2");

  const std::vector<Operand>& load = f.body[2].operands;
  CHECK(load[0].kind == Operand::Kind::Vector && load[0].elements.size() == 2);
  CHECK(load[1].kind == Operand::Kind::Address && load[1].offset == -8);
  CHECK(load[1].elements[0].kind == Operand::Kind::Register);

  const Operand& texture = f.body[3].operands[1];
  CHECK(texture.elements.size() == 2 && texture.elements[1].kind == Operand::Kind::Vector);

  const Operand& symbol = f.body[4].operands[1];
  CHECK(symbol.kind == Operand::Kind::Symbol && symbol.name == "g" && symbol.offset == 8);
  CHECK_EQUAL(symbol.variable, -1);
  CHECK_EQUAL(f.body[5].operands[1].elements[0].name, "k_param_0");
  CHECK_EQUAL(f.body[6].operands[1].component, '2');
  CHECK_EQUAL(f.body[6].operands[2].component, 'h');
  CHECK(f.body[7].operands[1].kind == Operand::Kind::Special);
  CHECK_EQUAL(f.body[7].operands[1].name, "tid.x");
  CHECK_EQUAL(f.body[8].operands[1].bits, 0xffffffffu);
  CHECK_EQUAL(f.body[9].operands[1].elements[0].bits, 16u);
  CHECK_EQUAL(f.body[10].opcode, "ret"); // the text had none
}

void testGuardsAndText() {
  const Function f = parseFunction(".reg .pred %p<2>; .reg .b32 %r<2>;\n"
                                   "@!%p1 add.s32   %r1, /* one */ %r1,\n"
                                   "   1; // two\n"
                                   "@%p1 ret;");
  CHECK(f.body[0].predicate >= 0 && f.body[0].predicateNegated);
  CHECK_EQUAL(f.body[0].text, "@!%p1 add.s32 %r1, %r1, 1");
  CHECK_EQUAL(f.body[0].line, 10u);
  CHECK(f.body[1].predicate >= 0 && !f.body[1].predicateNegated);
  CHECK_EQUAL(f.body.size(), 3u); // a guarded ret falls through
}

void testScopesShadow() {
  const Function f = parseFunction(".reg .b32 t; mov.b32 t, 1;\n"
                                   "{ .reg .b64 t; mov.b64 t, 2; { .reg .f32 t; mov.f32 t, 3.0; }\n"
                                   "mov.b64 t, 4; }\n"
                                   "mov.b32 t, 5;");
  CHECK_EQUAL(f.registers.size(), 3u);
  const auto type = [&](std::size_t i) { return f.registers[f.body[i].operands[0].reg].type; };
  CHECK(type(0) == Type::B32 && type(1) == Type::B64 && type(2) == Type::F32);
  CHECK(type(3) == Type::B64 && type(4) == Type::B32);
}

void testLabelsInScopes() {
  // Two blocks with the same label, each used before and after its definition.
  const Function f =
      parseFunction("OUT: { bra A; trap; A: bra A; bra OUT; }\n{ A: bra A; bra END; }\ntrap; END:");
  const auto target = [&](std::size_t i) { return f.body[i].operands[0].target; };
  CHECK_EQUAL(target(0), 2u);
  CHECK_EQUAL(target(2), 2u);
  CHECK_EQUAL(target(3), 0u);
  CHECK_EQUAL(target(4), 4u);
  CHECK_EQUAL(target(5), 7u);
  CHECK(f.body.size() == 8 && f.body[7].opcode == "ret");
}

void testCalls() {
  const Function f = parseFunction(
      ".reg .b64 %rd<3>; .reg .b32 %r<4>;\n"
      "{ .param .b64 param0; .param .b32 retval0; st.param.b64 [param0+0], %rd1;\n"
      "call.uni (retval0), \next, \n(\nparam0\n);\nld.param.b32 %r1, [retval0+0]; }\n"
      "{ .param .b64 param0; .param .align 8 .b8 retval0[24];\n"
      "proto : .callprototype (.param .align 8 .b8 _[24]) _ (.param .b64 _) .noreturn ;\n"
      "call (retval0), %rd2, (param0), proto; }\n");
  CHECK_EQUAL(f.variables.size(), 4u);
  const std::vector<Operand>& call = f.body[1].operands;
  CHECK(call[0].kind == Operand::Kind::List && call[0].elements[0].variable == 1);
  CHECK(call[1].kind == Operand::Kind::Symbol && call[1].name == "ext");
  CHECK_EQUAL(call[2].elements[0].variable, 0);
  const std::vector<Operand>& indirect = f.body[3].operands;
  CHECK(indirect[1].kind == Operand::Kind::Register);
  CHECK(indirect[3].kind == Operand::Kind::Table && indirect[3].target == 0);
  CHECK_EQUAL(f.prototypes[0].name, indirect[3].name);
  CHECK_EQUAL(f.prototypes[0].results[0].bytes, 24u);
  CHECK_EQUAL(f.variables[3].align, 8u);
}

void testBranchTables() {
  const Function f = parseFunction(".reg .b32 %r<2>; ts: .branchtargets L1, L2, L1;\n"
                                   "brx.idx %r1, ts; L1: ret; L2: exit;");
  CHECK(f.branchTables[0].targets == (std::vector<uint32_t>{1, 2, 1}));
  CHECK(f.body[0].operands[1].kind == Operand::Kind::Table);
}

void testVariables() {
  const std::shared_ptr<const Module> module =
      parseModule(".visible .global .align 8 .f64 d[2][3] = {{1.0, 0d3FF8000000000000}, {2}};\n"
                  ".global .align 1 .b8 text[] = {104, 105, 0};\n"
                  ".const .f32 pi = 0f40490FDB;\n"
                  ".global .align 8 .u64 table[3] = {f, generic(text)+1, 0};\n"
                  ".weak .func f() { ret; }\n"
                  ".global .attribute(.managed) .align 4 .u32 m = -1;\n"
                  ".global .v4 .f32 v[2];\n"
                  ".visible .global .align 1 .u8 packed[10] = {7, 0xFF(generic(text)+2),"
                  "0xFF00(generic(text)+2), 0xFF0000(generic(text)+2), 0xFF000000(generic(text)+2),"
                  "0xFF00000000(generic(text)+2), 0xFF0000000000(generic(text)+2),"
                  "0xFF000000000000(generic(text)+2), 0xFF00000000000000(generic(text)+2), 9};\n"
                  ".extern .shared .align 16 .b8 dyn[];\n.shared .b32 s[4 * (2 + 1)];");
  const std::vector<Variable>& v = module->variables;
  CHECK_EQUAL(v.size(), 9u);
  CHECK(v[0].bytes == 48 && v[0].init.size() == 32 && v[0].init[24 + 7] == 0x40);
  CHECK(v[1].bytes == 3 && v[1].init[1] == 105);
  CHECK(v[2].space == Space::Const && v[2].init[3] == 0x40);
  CHECK(v[3].relocations.size() == 2 && v[3].relocations[0].symbol == "f");
  CHECK(!v[3].relocations[0].generic && v[3].relocations[1].generic);
  CHECK(v[3].relocations[1].addend == 1 && v[3].relocations[1].offset == 8);
  CHECK(v[4].init == std::vector<uint8_t>(4, 0xff));
  CHECK(v[5].bytes == 32 && v[5].align == 16);
  CHECK(v[6].relocations.size() == 1 && v[6].relocations[0].offset == 1);
  CHECK(v[6].relocations[0].size == 8 && v[6].init[9] == 9);
  CHECK(v[7].isExtern && v[7].bytes == 0 && v[7].align == 16);
  CHECK_EQUAL(v[8].bytes, 48u);
}

void testParameterLayout() {
  const std::shared_ptr<const Module> module = parseModule(
      ".visible .entry k(.param .u8 a, .param .align 16 .b8 b[20], .param .u16 c,\n"
      ".param .u64 .ptr .global .align 8 d) .maxntid 256, 2, 1 .minnctapersm 4 .maxnreg 32\n"
      ".reqntid 64 .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }");
  const Function& k = module->functions[0];
  CHECK(k.isEntry && !k.isExtern);
  CHECK(k.parameterOffsets == (std::vector<uint64_t>{0, 16, 36, 40}));
  CHECK_EQUAL(k.parameterBytes, 48u);
  CHECK(k.maxThreads == (std::array<uint32_t, 3>{256, 2, 1}));
  CHECK(k.requiredThreads == (std::array<uint32_t, 3>{64, 1, 1}));
  CHECK(k.clusterBlocks == (std::array<uint32_t, 3>{2, 1, 1}));
  CHECK_EQUAL(k.minBlocksPerSm, 4u);
  CHECK_EQUAL(k.maxRegisters, 32u);
}

void testDeclarationsAndAliases() {
  const std::shared_ptr<const Module> module =
      parseModule(".visible .func (.param .b32 r) f(.param .b32 a);\n"
                  ".func g(.param .b32 a);\n.alias g, h;\n"
                  ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                  ".func h(.param .b32 a) { trap; }\n"
                  ".func (.param .b32 r) f(.param .b32 a) { ret; }\n");
  CHECK_EQUAL(module->functions.size(), 4u);
  CHECK(!module->functions[0].isExtern && module->functions[0].body.size() == 1);
  CHECK_EQUAL(module->functions[1].body[0].opcode, "trap");
  CHECK_EQUAL(module->functions[1].name, "g");
  CHECK(module->functions[2].isExtern && module->functions[2].parameters.size() == 2);
}

void testDebugInformationIsSkipped() {
  const std::shared_ptr<const Module> module =
      parseModule(".func f()\n{\n.loc 1 3 5, function_name $L__info_string0, inlined_at 1 4 5\n"
                  "$L__tmp0: .pragma \"nounroll\";\nret;\n}\n.file 1 \"a.cu\", 123, 45\n"
                  ".section .debug_info\n{\n.b32 2696\n.b8 1,2\n.b32 .debug_abbrev\n$L__x:\n.b64 "
                  "$L__tmp0\n}\n");
  CHECK_EQUAL(module->functions[0].body.size(), 1u);
}

void testRegisterParameters() {
  const std::shared_ptr<const Module> module =
      parseModule(".func (.reg .b32 r) f(.reg .b32 a) { add.s32 r, a, 1; ret; }");
  const Function& f = module->functions[0];
  CHECK(f.parameters[0].space == Space::Reg);
  CHECK_EQUAL(f.registers[f.body[0].operands[1].reg].name, "a");
}

} // namespace

int main() {
  testHeader();
  testOperands();
  testGuardsAndText();
  testScopesShadow();
  testLabelsInScopes();
  testCalls();
  testBranchTables();
  testVariables();
  testParameterLayout();
  testDeclarationsAndAliases();
  testDebugInformationIsSkipped();
  testRegisterParameters();
  return checkResult();
}
