// DecodeSimd.cpp - pairs of 16-bit integers and the SIMD video instructions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   add.u16x2 d, a, b        min{.relu}.s16x2 d, a, b       and their like
//   vabsdiff4.u32.u32.s32{.sat|.add} d, a, b, c             types of result, a and b
//   vset4.u32.s32.lt{.add} d, a, b, c
// Refused: selectors and masks of parts (their operands are not plain registers).
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/SimdHandlers.h"

#include <algorithm>

namespace gpusched::cpu {
namespace {

using ptx::Type;

struct Named {
  std::string_view name;
  SimdOp op;
};
constexpr Named kPairs[] = {{"add", SimdOp::Add}, {"min", SimdOp::Min}, {"max", SimdOp::Max}};
constexpr Named kVideo[] = {{"vadd", SimdOp::Add},      {"vsub", SimdOp::Sub},
                            {"vavrg", SimdOp::Average}, {"vabsdiff", SimdOp::AbsoluteDifference},
                            {"vmin", SimdOp::Min},      {"vmax", SimdOp::Max}};

bool emitSimd(Decoder& d, const SimdForm& form, bool hasC) {
  uint32_t slots[4] = {};
  for (size_t i = 1; i < 3; ++i)
    slots[i] = d.source(d.operand(i), Type::B32);
  slots[3] = hasC ? d.source(d.operand(3), Type::B32) : slots[1];
  slots[0] = d.destination(d.operand(0), Type::B32);
  MicroOp& op = d.emit(simdHandler(form), OpClass::Integer);
  std::copy(std::begin(slots), std::end(slots), op.slot);
  op.detail = simdDetail(form);
  return true;
}

bool pairs(Decoder& d) {
  const bool isSigned = d.has("s16x2");
  if (!isSigned && !d.has("u16x2"))
    return false;
  for (const Named& named : kPairs) {
    if (named.name != d.opcode())
      continue;
    SimdForm form;
    form.op = named.op;
    form.signedA = form.signedB = form.signedResult = isSigned;
    form.relu = named.op != SimdOp::Add && isSigned && d.has("relu");
    return emitSimd(d, form, false);
  }
  return false;
}

bool isWord(Type type) {
  return type == Type::S32 || type == Type::U32;
}

bool video(Decoder& d) {
  const std::string_view opcode = d.opcode();
  const std::string_view name = opcode.substr(0, opcode.size() - 1);
  for (const Named& named : kVideo) {
    if (named.name != name || (opcode.back() != '2' && opcode.back() != '4'))
      continue;
    if (d.operandCount() != 4 || !isWord(d.type(0)) || !isWord(d.type(1)) || !isWord(d.type(2)))
      return false;
    SimdForm form;
    form.op = named.op;
    form.bits = opcode.back() == '2' ? 16 : 8;
    form.signedResult = d.type(0) == Type::S32;
    form.signedA = d.type(1) == Type::S32;
    form.signedB = d.type(2) == Type::S32;
    form.accumulate = d.has("add");
    form.saturate = !form.accumulate && d.has("sat");
    return emitSimd(d, form, true);
  }
  return false;
}

bool set(Decoder& d) {
  const bool halves = d.opcode() == "vset2";
  if ((!halves && d.opcode() != "vset4") || d.operandCount() != 4 || !isWord(d.type(0)) ||
      !isWord(d.type(1)))
    return false;
  const std::optional<Comparison> comparison = comparisonOf(d);
  if (!comparison || *comparison > Comparison::Ge)
    return false;
  SimdForm form;
  form.op = SimdOp::Set;
  form.comparison = *comparison;
  form.bits = halves ? 16 : 8;
  form.signedA = d.type(0) == Type::S32;
  form.signedB = d.type(1) == Type::S32;
  form.accumulate = d.has("add");
  return emitSimd(d, form, true);
}

} // namespace

bool decodeSimd(Decoder& d) {
  return pairs(d) || video(d) || set(d);
}

} // namespace gpusched::cpu
