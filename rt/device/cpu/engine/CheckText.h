// CheckText.h - words for the checkers' messages: threads, addresses, shared variables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/SourcePlace.h"

#include <array>
#include <cstdint>
#include <string>

namespace gpusched::cpu {

class Block;
class Warp;

std::string hexadecimal(uint64_t value);
/// "(1,0,0)"
std::string tripleText(const std::array<uint32_t, 3>& triple);
/// "block (1,0,0), thread (3,0,0)"
std::string threadText(const Warp& warp, unsigned lane);
/// The thread of `lane` in warp `warp` of a block of that launch.
std::string threadText(const Block& sameLaunch, const std::array<uint32_t, 3>& block, uint32_t warp,
                       unsigned lane);
/// "'tile' + 12" for an offset into the block's shared memory.
std::string sharedVariable(const Warp& warp, uint64_t offset);
/// A shared variable of rt/include/gpusched/device, which logical blocks share.
bool isOfPersistentLoop(const std::string& symbol);

} // namespace gpusched::cpu
