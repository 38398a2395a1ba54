// SharedTile.h - a matrix in shared memory, as wgmma's descriptors describe it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is units of 16 bytes; a unit holds adjacent elements of one line (a row of A or a column
// of B, if it is stored along K; else the elements of one k). A pattern of 8 lines repeats:
//   along K, not swizzled: line l, unit u at  l % 8 + stride * (l / 8) + leading * u
//   along K, swizzled:                        l % 8 * w + stride * (l / 8) + u
//   across K, not swizzled: unit u, k at      k % 8 + leading * (k / 8) + stride * u
//   across K, swizzled:     k % 8 * w + stride * (k / 8) + u % w + leading * (u / w)
// for rows of w = 2, 4 or 8 units. Swizzling then exchanges units inside 128, 256, ... bytes: bits
// 4, 5, 6 of the address are xored with as many of bits 7, 8, 9 as w has.
#pragma once

#include <cstdint>

namespace gpusched::cpu {

/// Where `address` is after swizzling over rows of 2^bits units.
inline uint64_t swizzled(uint64_t address, unsigned bits) {
  return address ^ (address >> 7 & ((1u << bits) - 1)) << 4;
}

struct SharedTile {
  static constexpr unsigned kUnit = 16;
  static constexpr unsigned kLines = 8;
  uint64_t start = 0, leading = 0, stride = 0; // bytes
  unsigned swizzleBits = 0;
  bool valid = false;

  explicit SharedTile(uint64_t descriptor) {
    const auto bytes = [&](unsigned shift) { return (descriptor >> shift & 0x3fff) * kUnit; };
    start = bytes(0), leading = bytes(16), stride = bytes(32);
    const unsigned kind = descriptor >> 62;
    swizzleBits = kind ? 4 - kind : 0;
    valid = (descriptor >> 49 & 7) == 0; // the base offset
  }

  /// Whether lines along K of so many units have a known place.
  bool holdsAlong(unsigned units) const { return !swizzleBits || units <= 1u << swizzleBits; }
  /// Offset in shared memory of the unit that is the `unit`-th of its line, for lines along K.
  uint64_t alongInner(unsigned line, unsigned unit) const {
    const uint64_t within = line % kLines, group = line / kLines * stride;
    return place(swizzleBits ? within * rowBytes() + group + unit * kUnit
                             : within * kUnit + group + unit * leading);
  }
  /// For lines across K: the unit-th of those at `k`.
  uint64_t acrossInner(unsigned unit, unsigned k) const {
    const uint64_t within = k % kLines, group = k / kLines;
    if (!swizzleBits)
      return place(within * kUnit + group * leading + unit * stride);
    const unsigned row = 1u << swizzleBits;
    return place(within * rowBytes() + group * stride + unit % row * kUnit + unit / row * leading);
  }

private:
  uint64_t rowBytes() const { return uint64_t(kUnit) << swizzleBits; }
  uint64_t place(uint64_t offset) const { return swizzled(start + offset, swizzleBits); }
};

} // namespace gpusched::cpu
