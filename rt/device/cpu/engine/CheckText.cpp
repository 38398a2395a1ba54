// CheckText.cpp - words for the checkers' messages.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/CheckText.h"

#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/Program.h"

#include <cstdio>

namespace gpusched::cpu {

std::string hexadecimal(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string tripleText(const std::array<uint32_t, 3>& triple) {
  return "(" + std::to_string(triple[0]) + "," + std::to_string(triple[1]) + "," +
         std::to_string(triple[2]) + ")";
}

std::string threadText(const Block& sameLaunch, const std::array<uint32_t, 3>& block, uint32_t warp,
                       unsigned lane) {
  const Dim3& size = sameLaunch.launch.request.block;
  const uint32_t thread = warp * kLanes + lane;
  return "block " + tripleText(block) + ", thread " +
         tripleText({thread % size.x, thread / size.x % size.y, thread / size.x / size.y});
}

std::string threadText(const Warp& warp, unsigned lane) {
  const Block& block = *warp.block;
  return threadText(block, {block.index[0], block.index[1], block.index[2]}, warp.index, lane);
}

std::string sharedVariable(const Warp& warp, uint64_t offset) {
  const Kernel& kernel = *warp.block->launch.kernel;
  const std::vector<SharedSymbol>& symbols = kernel.function->module->sharedSymbols;
  const SharedSymbol* best = nullptr;
  uint64_t distance = ~uint64_t(0);
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (kernel.sharedOffsets[i] == Kernel::kNoShared)
      continue;
    const uint64_t from = offset - kernel.sharedOffsets[i];
    const bool inside = symbols[i].dynamic ? kernel.sharedOffsets[i] == kernel.dynamicSharedOffset
                                           : from < symbols[i].bytes;
    if (inside && from < distance)
      best = &symbols[i], distance = from;
  }
  if (!best)
    return "offset " + std::to_string(offset);
  return "'" + best->name + "' + " + std::to_string(distance);
}

bool isOfPersistentLoop(const std::string& symbol) {
  return symbol.find("N8gpusched") != std::string::npos;
}

} // namespace gpusched::cpu
