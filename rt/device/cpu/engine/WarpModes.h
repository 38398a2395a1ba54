// WarpModes.h - modes of warp operations and conversions, as kept in MicroOp::detail.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gpusched::cpu {

enum class ShuffleMode : uint8_t { Up, Down, Butterfly, Index };
enum class VoteMode : uint8_t { All, Any, Uniform, Ballot };
enum class ReduceMode : uint8_t { Add, And, Or, Xor, Min, Max, MinSigned, MaxSigned };

inline constexpr unsigned kModeBits = 15;
inline constexpr uint16_t kMatchAll = 1, kWideSource = 2;
inline constexpr uint16_t kNegatedSource = 0x10;
inline constexpr uint16_t kNoMemberMask = 0x100; // a form without .sync

// Conversions of 8-bit floats, and cvt.pack.
inline constexpr uint16_t kEighthE5M2 = 1, kEighthRelu = 2;
inline constexpr uint16_t kPackBits = 31, kPackSigned = 32, kPackSource = 64;

// ldmatrix, stmatrix, wmma.load and wmma.store: an AddressKind, and how many matrices.
inline constexpr uint16_t kMatrixAddress = 3, kMatrixTransposed = 0x100;
inline constexpr unsigned kMatrixCount = 4; // shift

} // namespace gpusched::cpu
