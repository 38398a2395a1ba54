// DecodeSimd.cpp - pairs of 16-bit integers and the SIMD video instructions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   add.u16x2 d, a, b        min{.relu}.s16x2 d, a, b       and their like
//   vabsdiff4.u32.u32.s32{.sat|.add} d, a, b, c             types of result, a and b
//   vset4.u32.s32.lt{.add} d, a, b, c
//   vadd4.u32.u32.u32 d.b20, a.b7210, b.b3210, c            bytes of a and b; c's where none is
//   named vadd2.u32.u32.u32 d.h1, a.h10, b.h33, c                 halves
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/SimdHandlers.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

struct Named {
  std::string_view name;
  SimdOp op;
};
constexpr Named kPairs[] = {{"add", SimdOp::Add}, {"min", SimdOp::Min}, {"max", SimdOp::Max}};
constexpr Named kVideo[] = {{"vadd", SimdOp::Add},      {"vsub", SimdOp::Sub},
                            {"vavrg", SimdOp::Average}, {"vabsdiff", SimdOp::AbsoluteDifference},
                            {"vmin", SimdOp::Min},      {"vmax", SimdOp::Max}};

/// The register as a whole; SimdParts tells the parts.
Operand whole(Operand operand) {
  operand.component = 0;
  operand.name.clear();
  return operand;
}

/// The digits of `.b3210`, `.h10`, `.b2`, `.h0`, highest part first; none for a whole register.
std::string digits(const Operand& operand) {
  if (operand.kind != Operand::Kind::Register)
    return "";
  if (!operand.name.empty())
    return operand.name.substr(1);
  const char part = operand.component;
  return part == 'l' ? "0" : part == 'h' ? "1" : part ? std::string(1, part) : "";
}

/// REQUIRES: parts are selected.
bool areParts(const Operand& operand, unsigned bits) {
  const char part = operand.component;
  const bool halves = operand.name.empty() ? part == 'l' || part == 'h' : operand.name[0] == 'h';
  return halves == (bits == 16);
}

/// One digit for each part, each below twice their number.
bool readSelector(const Operand& operand, unsigned bits, uint16_t& selector) {
  const std::string text = digits(operand);
  if (text.empty())
    return true;
  if (text.size() != 32 / bits || !areParts(operand, bits))
    return false;
  selector = 0;
  for (const char digit : text) {
    const unsigned part = static_cast<unsigned>(digit - '0');
    if (part >= 64 / bits)
      return false;
    selector = static_cast<uint16_t>(bits == 16 ? selector << 8 | (part * 2 + 1) << 4 | part * 2
                                                : selector << 4 | part);
  }
  return true;
}

/// Digits fall from the left to the right, as in `.b310`.
bool readMask(const Operand& operand, unsigned bits, uint32_t& written) {
  const std::string text = digits(operand);
  if (text.empty())
    return true;
  written = 0;
  const uint32_t part = (1u << bits) - 1;
  for (const char digit : text) {
    const unsigned index = static_cast<unsigned>(digit - '0');
    if (index >= 32 / bits)
      return false;
    written |= part << index * bits;
  }
  return std::adjacent_find(text.begin(), text.end(), std::less_equal()) == text.end() &&
         areParts(operand, bits);
}

bool emitSimd(Decoder& d, const SimdForm& form, const SimdParts& parts, bool hasC) {
  uint32_t slots[4] = {};
  for (size_t i = 1; i < 3; ++i)
    slots[i] = d.source(whole(d.operand(i)), Type::B32);
  slots[3] = hasC ? d.source(d.operand(3), Type::B32) : slots[1];
  slots[0] = d.destination(whole(d.operand(0)), Type::B32);
  MicroOp& op = d.emit(simdHandler(form), OpClass::Integer);
  std::copy(std::begin(slots), std::end(slots), op.slot);
  op.detail = simdDetail(form);
  op.immediate = std::bit_cast<int64_t>(parts);
  return true;
}

bool emitVideo(Decoder& d, const SimdForm& form) {
  SimdParts parts;
  return readSelector(d.operand(1), form.bits, parts.a) &&
         readSelector(d.operand(2), form.bits, parts.b) &&
         readMask(d.operand(0), form.bits, parts.written) && emitSimd(d, form, parts, true);
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
    return emitSimd(d, form, {}, false);
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
    return emitVideo(d, form);
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
  return emitVideo(d, form);
}

} // namespace

bool decodeSimd(Decoder& d) {
  return pairs(d) || video(d) || set(d);
}

} // namespace gpusched::cpu
