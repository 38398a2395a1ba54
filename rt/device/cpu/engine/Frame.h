// Frame.h - the registers of one activation of a function, for all lanes of a warp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that called the same function from the same place under the same frame share
// one: "same frame and same PC" is then "same call stack", which is when groups of
// lanes may merge. Owned by the warp, used by its worker only.
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"

#include <cstdlib>
#include <memory>

namespace gpusched::cpu {

struct DecodedFunction;

struct FreeDeleter {
  void operator()(uint8_t* bytes) const { std::free(bytes); }
};
using AlignedBytes = std::unique_ptr<uint8_t[], FreeDeleter>;

inline AlignedBytes allocateAligned(size_t bytes) {
  return AlignedBytes(static_cast<uint8_t*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
}

struct Frame {
  const DecodedFunction* function = nullptr; // null: free
  uint64_t prepared = 0; // serial of the function whose constants `registers` holds
  Frame* parent = nullptr;
  const MicroOp* returnTo = nullptr;
  const MicroOp* callOp = nullptr;
  Mask lanes = 0;
  uint32_t depth = 0;
  uint64_t localOffset = 0; // of this activation in each lane's stack
  AlignedBytes registers;
  size_t capacity = 0;
};

} // namespace gpusched::cpu
