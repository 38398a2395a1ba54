// ExecuteVideo.cpp - the scalar video instructions, lane by lane.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact results fit 64 bits but for vmad, whose product and sum need 66.
#include "rt/device/cpu/engine/VideoForm.h"

#include "rt/device/cpu/engine/Comparisons.h"
#include "rt/device/cpu/engine/LaneValue.h"
#include "rt/device/cpu/engine/Warp.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpusched::cpu::handlers {
namespace {

using Exact = __int128;

/// Where a part of a word is.
struct Part {
  unsigned shift = 0, bits = 32;
  explicit Part(char name) {
    if (name == 'l' || name == 'h')
      bits = 16, shift = name == 'h' ? 16 : 0;
    else if (name)
      bits = 8, shift = static_cast<unsigned>(name - '0') * 8;
  }
  uint32_t mask() const { return static_cast<uint32_t>(((uint64_t(1) << bits) - 1) << shift); }
};

int64_t select(uint32_t word, char name, bool isSigned) {
  const Part part(name);
  const int64_t value = static_cast<int64_t>((word & part.mask()) >> part.shift);
  const bool negative = isSigned && value >> (part.bits - 1);
  return value - (negative ? int64_t(1) << part.bits : 0);
}

int64_t shiftBy(const VideoForm& form, int64_t b) {
  return form.flags & VideoForm::kWrap ? b & 31 : std::min<int64_t>(b, 32);
}

/// vmad's sum is signed if a factor is, or if anything is negated.
bool hasSignedSum(const VideoForm& form) {
  return form.flags & (VideoForm::kSignedA | VideoForm::kSignedB | VideoForm::kMinusProduct |
                       VideoForm::kMinusC);
}

/// PTX negates c by inverting its 32 bits and then extends them, so minus 0x80000001 is positive.
Exact multiplyAdd(const VideoForm& form, Exact product, uint32_t c) {
  if (form.flags & VideoForm::kMinusC)
    c = ~c;
  if (form.flags & VideoForm::kMinusProduct)
    product = ~product;
  const Exact addend = hasSignedSum(form) ? Exact(static_cast<int32_t>(c)) : Exact(c);
  const bool one =
      form.flags & (VideoForm::kPlusOne | VideoForm::kMinusProduct | VideoForm::kMinusC);
  return (product + addend + one) >> form.detail;
}

Exact operate(const VideoForm& form, int64_t a, int64_t b, uint32_t c) {
  switch (form.op) {
  case VideoOp::Add:
    return a + b;
  case VideoOp::Sub:
    return a - b;
  case VideoOp::AbsoluteDifference:
    return std::abs(a - b);
  case VideoOp::Min:
    return std::min(a, b);
  case VideoOp::Max:
    return std::max(a, b);
  case VideoOp::Left:
    return Exact(a) * (Exact(1) << shiftBy(form, b));
  case VideoOp::Right:
    return a >> shiftBy(form, b);
  case VideoOp::Mad:
    return multiplyAdd(form, Exact(a) * b, c);
  case VideoOp::Set:
    return holds(static_cast<Comparison>(form.detail), a, b);
  }
  return 0;
}

Exact saturate(const VideoForm& form, Exact value) {
  const bool isSigned =
      form.op == VideoOp::Mad ? hasSignedSum(form) : form.flags & VideoForm::kSignedResult;
  const unsigned bits = Part(form.partOfResult).bits;
  const Exact least = isSigned ? -(Exact(1) << (bits - 1)) : Exact(0);
  return std::clamp<Exact>(value, least, least + (Exact(1) << bits) - 1);
}

uint32_t combine(const VideoForm& form, uint32_t value, uint32_t c) {
  const bool isSigned = form.flags & VideoForm::kSignedResult;
  const bool less = isSigned ? static_cast<int32_t>(value) < static_cast<int32_t>(c) : value < c;
  switch (form.second) {
  case VideoSecond::None:
    return value;
  case VideoSecond::Add:
    return value + c;
  case VideoSecond::Min:
    return less ? value : c;
  case VideoSecond::Max:
    return less ? c : value;
  case VideoSecond::Merge: {
    const Part part(form.partOfResult);
    return (c & ~part.mask()) | (value << part.shift & part.mask());
  }
  }
  return value;
}

} // namespace

const MicroOp* video(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  const VideoForm form = std::bit_cast<VideoForm>(op->immediate);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint32_t c = laneValue<uint32_t>(frame, op->slot[3], lane);
    Exact value = operate(form,
                          select(laneValue<uint32_t>(frame, op->slot[1], lane), form.partOfA,
                                 form.flags & VideoForm::kSignedA),
                          select(laneValue<uint32_t>(frame, op->slot[2], lane), form.partOfB,
                                 form.flags & VideoForm::kSignedB),
                          c);
    if (form.flags & VideoForm::kSaturate)
      value = saturate(form, value);
    const uint32_t result = combine(form, static_cast<uint32_t>(value), c);
    std::memcpy(frame + op->slot[0] + lane * sizeof result, &result, sizeof result);
  }
  return op + 1;
}

} // namespace gpusched::cpu::handlers
