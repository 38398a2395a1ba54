// ExecuteEighth.cpp - cvt to and from pairs of 8-bit floats, and cvt.pack.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// e5m2 is the upper half of an f16. e4m3 has no infinity: its largest exponent holds numbers up to
// 448 and, with all bits set, the NaN. PTX always saturates to the largest number and gives one
// NaN.
#define GPUSCHED_ISA plain
#include "rt/device/cpu/engine/EighthBits.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/WarpModes.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpusched::cpu::handlers {
namespace {

template <class Visit> const MicroOp* eachLane(const MicroOp* op, Mask mask, Visit visit) {
  for (Mask rest = mask; rest; rest &= rest - 1)
    visit(static_cast<unsigned>(std::countr_zero(rest)));
  return op + 1;
}

template <class T> T* lanesAt(uint8_t* frame, uint32_t slot) {
  return reinterpret_cast<T*>(frame + slot);
}

uint8_t toEighth(double value, unsigned detail) {
  if (detail & kEighthRelu)
    value = value > 0 || value != value ? value : 0;
  return detail & kEighthE5M2 ? plain::E5M2::fromDouble(value) : plain::E4M3::fromDouble(value);
}

uint16_t fromEighth(uint8_t bits, unsigned detail) {
  double value = detail & kEighthE5M2 ? plain::E5M2::toDouble(bits) : plain::E4M3::toDouble(bits);
  if (detail & kEighthRelu)
    value = value > 0 || value != value ? value : 0;
  return plain::Half::fromDouble(value, Rounding::Nearest);
}

} // namespace

/// d.b16 = two f32: slot 1 in the upper half, slot 2 in the lower.
const MicroOp* eighthFromFloats(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  return eachLane(op, mask, [&](unsigned i) {
    const uint8_t high = toEighth(lanesAt<float>(frame, op->slot[1])[i], op->detail);
    const uint8_t low = toEighth(lanesAt<float>(frame, op->slot[2])[i], op->detail);
    lanesAt<uint16_t>(frame, op->slot[0])[i] = static_cast<uint16_t>(high << 8 | low);
  });
}

/// d.b16 = an f16x2 in slot 1.
const MicroOp* eighthFromHalves(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  return eachLane(op, mask, [&](unsigned i) {
    const uint32_t both = lanesAt<uint32_t>(frame, op->slot[1])[i];
    const auto convert = [&](uint32_t half) {
      return toEighth(plain::Half::toDouble(static_cast<uint16_t>(half)), op->detail);
    };
    lanesAt<uint16_t>(frame, op->slot[0])[i] =
        static_cast<uint16_t>(convert(both >> 16) << 8 | convert(both));
  });
}

/// An f16x2 = d.b16 in slot 1.
const MicroOp* halvesFromEighth(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  return eachLane(op, mask, [&](unsigned i) {
    const uint16_t both = lanesAt<uint16_t>(frame, op->slot[1])[i];
    lanesAt<uint32_t>(frame, op->slot[0])[i] =
        uint32_t(fromEighth(static_cast<uint8_t>(both >> 8), op->detail)) << 16 |
        fromEighth(static_cast<uint8_t>(both), op->detail);
  });
}

/// d = slot 3 shifted up, then slots 1 and 2 saturated. detail: bits of a field, kPackSigned,
/// kPackSource for s32 operands.
const MicroOp* convertPack(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  const unsigned bits = op->detail & kPackBits;
  const int64_t above = int64_t(1) << (op->detail & kPackSigned ? bits - 1 : bits);
  const int64_t low = op->detail & kPackSigned ? -above : 0;
  return eachLane(op, mask, [&](unsigned i) {
    const auto field = [&](uint32_t slot) {
      const uint32_t word = lanesAt<uint32_t>(frame, slot)[i];
      const int64_t value =
          op->detail & kPackSource ? int64_t(static_cast<int32_t>(word)) : int64_t(word);
      return static_cast<uint32_t>(std::clamp(value, low, above - 1)) & ((1u << bits) - 1);
    };
    const uint32_t rest = bits < 16 ? lanesAt<uint32_t>(frame, op->slot[3])[i] << (2 * bits) : 0;
    lanesAt<uint32_t>(frame, op->slot[0])[i] =
        rest | field(op->slot[1]) << bits | field(op->slot[2]);
  });
}

} // namespace gpusched::cpu::handlers
