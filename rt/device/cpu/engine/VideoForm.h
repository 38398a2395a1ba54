// VideoForm.h - a scalar video instruction: an operation on a word, half or byte of two registers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX defines each as steps, which the handler takes one after the other:
//   select and extend a part of a and of b -> operate, exactly -> saturate -> combine with c, or
//   put the result into a part of c
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"

#include <cstdint>

namespace gpusched::cpu {

enum class VideoOp : uint8_t { Add, Sub, AbsoluteDifference, Min, Max, Left, Right, Mad, Set };
enum class VideoSecond : uint8_t { None, Add, Min, Max, Merge };

/// Travels in MicroOp::immediate.
struct VideoForm {
  VideoOp op = VideoOp::Add;
  VideoSecond second = VideoSecond::None;
  uint8_t flags = 0;
  uint8_t detail = 0; // Mad: bits to shift right; Set: a Comparison
  char partOfA = 0;   // as Operand::component: '0'..'3', 'l', 'h'; 0 = all
  char partOfB = 0;
  char partOfResult = 0;
  uint8_t unused = 0;

  static constexpr uint8_t kSignedA = 1, kSignedB = 2, kSignedResult = 4, kSaturate = 8, kWrap = 16,
                           kPlusOne = 32, kMinusProduct = 64, kMinusC = 128;
};
static_assert(sizeof(VideoForm) == sizeof(int64_t));

namespace handlers {
/// Slots: 0 result, 1 a, 2 b, 3 c.
const MicroOp* video(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp);
} // namespace handlers

} // namespace gpusched::cpu
