// DecodeVideo.cpp - the scalar video instructions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   vadd.s32.u32.s32.sat d, a.b0, b.h1          types of result, a and b
//   vadd.s32.u32.s32.max d, a, b, c             with a second operation on c
//   vadd.s32.u32.s32 d.h0, a, b, c              into a part of c
//   vshl.u32.u32.u32.clamp   vmad.s32.s32.u32.shr7   vset.u32.s32.lt     and their like
//   vmad.s32.s32.s32.sat d, a, -b, c            minus the product, or minus c
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/VideoForm.h"

#include <algorithm>
#include <bit>

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

template <class Value> struct Named {
  std::string_view name;
  Value value;
};
constexpr Named<VideoOp> kOperations[] = {
    {"vadd", VideoOp::Add},   {"vsub", VideoOp::Sub}, {"vabsdiff", VideoOp::AbsoluteDifference},
    {"vmin", VideoOp::Min},   {"vmax", VideoOp::Max}, {"vshl", VideoOp::Left},
    {"vshr", VideoOp::Right}, {"vmad", VideoOp::Mad}, {"vset", VideoOp::Set}};
constexpr Named<VideoSecond> kSeconds[] = {
    {"add", VideoSecond::Add}, {"min", VideoSecond::Min}, {"max", VideoSecond::Max}};

/// Reads the types; vset's result is a bit and has none.
bool types(const Decoder& d, VideoForm& form) {
  const unsigned first = form.op == VideoOp::Set ? 0 : 1;
  const Type result = first ? d.type(0) : Type::U32, a = d.type(first), b = d.type(first + 1);
  for (const Type type : {result, a, b})
    if (type != Type::S32 && type != Type::U32)
      return false;
  form.flags |= result == Type::S32 ? VideoForm::kSignedResult : 0;
  form.flags |= a == Type::S32 ? VideoForm::kSignedA : 0;
  form.flags |= b == Type::S32 ? VideoForm::kSignedB : 0;
  return true;
}

/// At most one of the product, c and .po: PTX takes no two of them together.
bool multiplyAdd(const Decoder& d, VideoForm& form) {
  const bool product = d.operand(1).negated != d.operand(2).negated, c = d.operand(3).negated;
  const bool plusOne = d.has("po");
  form.flags |= plusOne ? VideoForm::kPlusOne : 0;
  form.flags |= product ? VideoForm::kMinusProduct : 0;
  form.flags |= c ? VideoForm::kMinusC : 0;
  form.detail = d.has("shr7") ? 7 : d.has("shr15") ? 15 : 0;
  return plusOne + product + c <= 1;
}

/// What only one operation has.
bool special(const Decoder& d, VideoForm& form) {
  if (form.op == VideoOp::Left || form.op == VideoOp::Right) {
    form.flags |= d.has("wrap") ? VideoForm::kWrap : 0;
    return (form.flags & VideoForm::kWrap || d.has("clamp")) && !(form.flags & VideoForm::kSignedB);
  }
  if (form.op == VideoOp::Mad)
    return multiplyAdd(d, form);
  if (form.op != VideoOp::Set)
    return true;
  const std::optional<Comparison> comparison = comparisonOf(d);
  form.detail = static_cast<uint8_t>(comparison.value_or(Comparison::Eq));
  return comparison && *comparison <= Comparison::Ge;
}

/// What is done with c. vmad's own use of c is no second operation.
bool second(const Decoder& d, VideoForm& form) {
  form.partOfResult = d.operand(0).component;
  if (form.op == VideoOp::Mad)
    return d.operandCount() == 4 && !form.partOfResult;
  for (const Named<VideoSecond>& named : kSeconds)
    if (d.has(named.name))
      form.second = named.value;
  if (form.partOfResult) {
    if (form.second != VideoSecond::None)
      return false;
    form.second = VideoSecond::Merge;
  }
  return d.operandCount() == (form.second == VideoSecond::None ? 3u : 4u);
}

/// The register as a whole; the handler takes the part, and vmad's the sign.
Operand whole(Operand operand, bool mayBeNegated) {
  operand.component = 0;
  operand.negated &= !mayBeNegated;
  return operand;
}

} // namespace

bool decodeVideo(Decoder& d) {
  const auto found =
      std::find_if(std::begin(kOperations), std::end(kOperations),
                   [&](const Named<VideoOp>& named) { return named.name == d.opcode(); });
  if (found == std::end(kOperations))
    return false;
  VideoForm form;
  form.op = found->value;
  form.flags = d.has("sat") ? VideoForm::kSaturate : 0;
  if (!types(d, form) || !special(d, form) || !second(d, form))
    return false;
  form.partOfA = d.operand(1).component;
  form.partOfB = d.operand(2).component;
  uint32_t slots[4] = {};
  for (size_t i = 1; i < 4; ++i)
    slots[i] = i < d.operandCount()
                   ? d.source(whole(d.operand(i), form.op == VideoOp::Mad), Type::B32)
                   : slots[1];
  slots[0] = d.destination(whole(d.operand(0), false), Type::B32);
  MicroOp& op = d.emit(handlers::video, OpClass::Integer);
  std::copy(std::begin(slots), std::end(slots), op.slot);
  op.immediate = std::bit_cast<int64_t>(form);
  return true;
}

} // namespace gpusched::cpu
