// MemoryChecker.cpp - sorting an access into its space and judging it there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each worker remembers the last few allocations it was answered; a free anywhere makes it ask
// again (DeviceMemory::generation).
#include "rt/device/cpu/engine/MemoryChecker.h"

#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/CheckText.h"
#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Cluster.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/Program.h"

#include <algorithm>

namespace gpusched::cpu {
namespace {

struct Remembered {
  uint64_t base = 0, end = 0, generation = ~uint64_t(0);
};
constexpr unsigned kRemembered = 4;
thread_local Remembered remembered[kRemembered];
thread_local unsigned oldest = 0;

const char* nameOf(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device:
    return "device";
  case MemoryKind::Managed:
    return "managed";
  case MemoryKind::Pinned:
    return "pinned host";
  case MemoryKind::Registered:
    return "registered host";
  case MemoryKind::Global:
    return "__device__ or __constant__";
  case MemoryKind::Mapped:
    return "mapped";
  }
  return "";
}

std::string describe(const std::optional<Neighbour>& near) {
  if (!near)
    return "the device has no memory allocated";
  const Allocation& allocation = near->allocation;
  std::string text = near->distance > 0 ? std::to_string(near->distance) + " bytes after the end of"
                     : near->distance < 0 ? std::to_string(-near->distance) + " bytes before"
                                          : std::string("inside");
  return text + " the " + std::to_string(allocation.bytes) + " bytes of " +
         nameOf(allocation.kind) + " memory at " +
         hexadecimal(reinterpret_cast<uint64_t>(allocation.base)) +
         (near->freed ? ", which have been freed" : "");
}

const char* nameOf(const Access& access) {
  return access.atomic ? "atomic" : access.writes ? "write" : "read";
}

} // namespace

bool MemoryChecker::holds(uint64_t address, uint64_t bytes) const {
  const uint64_t generation = memory_.generation();
  for (const Remembered& known : remembered)
    if (known.generation == generation && address >= known.base && address < known.end &&
        bytes <= known.end - address)
      return true;
  const std::optional<Allocation> found = memory_.find(reinterpret_cast<const void*>(address));
  if (!found)
    return false;
  const uint64_t base = reinterpret_cast<uint64_t>(found->base);
  remembered[oldest++ % kRemembered] = {base, base + found->bytes, generation};
  return bytes <= base + found->bytes - address;
}

bool MemoryChecker::allows(Warp& warp, const Touch& touch) {
  if (touch.address % touch.alignment) {
    report(warp, touch, "misaligned",
           "the address is not a multiple of " + std::to_string(touch.alignment));
    return false;
  }
  if (touch.shared)
    return checkShared(warp, touch, touch.address);
  const uint64_t offset = touch.address - reinterpret_cast<uint64_t>(warp.shared);
  if (offset < warp.sharedBytes)
    return checkShared(warp, touch, offset);
  return touch.how->local || warp.ownsLocal(touch.address) ? checkLocal(warp, touch)
                                                           : checkGlobal(warp, touch);
}

bool MemoryChecker::checkShared(Warp& warp, const Touch& touch, uint64_t offset) {
  if (offset + touch.bytes > warp.sharedBytes || offset + touch.bytes < offset) {
    report(warp, touch, "out of bounds shared",
           std::to_string(offset + touch.bytes - warp.sharedBytes) +
               " bytes after the end of the " + std::to_string(warp.sharedBytes) +
               " bytes of the block");
    return false;
  }
  const auto first =
      warp.block->shadow->sharedWritten.begin() + static_cast<std::ptrdiff_t>(offset);
  // Other blocks of a cluster may have written them.
  if (touch.how->reads && !warp.block->sharesCluster() &&
      std::find(first, first + touch.bytes, 0) != first + touch.bytes) {
    report(warp, touch, "uninitialised shared",
           "no thread of the block has written these bytes: " + sharedVariable(warp, offset));
    std::fill(first, first + touch.bytes, 1); // once for each place is enough
  }
  if (touch.how->writes)
    std::fill(first, first + touch.bytes, 1);
  return true;
}

void MemoryChecker::mbarrier(Warp& warp, const Touch& touch, MbarrierStep step) {
  std::vector<uint64_t>& live = warp.block->shadow->mbarriers;
  const auto place = std::find(live.begin(), live.end(), touch.address);
  const bool lives = place != live.end(), begins = step == MbarrierStep::Begins;
  if (lives && begins)
    report(warp, touch, "live mbarrier",
           "initialised again; mbarrier.inval (cuda::barrier's destructor) must come first: " +
               sharedVariable(warp, touch.address));
  if (!lives && !begins)
    report(warp, touch, "no mbarrier",
           "not initialised, or invalidated since: " + sharedVariable(warp, touch.address));
  if (!lives && begins)
    live.push_back(touch.address);
  if (lives && step == MbarrierStep::Ends)
    live.erase(place);
}

bool MemoryChecker::checkLocal(Warp& warp, const Touch& touch) {
  const uint64_t base =
      reinterpret_cast<uint64_t>(warp.localBase(touch.lane, *warp.frame)) - warp.frame->localOffset;
  const uint64_t top = warp.frame->localOffset + warp.frame->function->localBytes;
  const uint64_t offset = touch.address - base;
  if (offset < top && touch.bytes <= top - offset)
    return true;
  report(warp, touch, "out of bounds local",
         offset < warp.stackBytes()
             ? std::to_string(offset + touch.bytes - top) + " bytes after the thread's " +
                   std::to_string(top) + " bytes"
             : "the address is not in the local memory of this thread");
  return false;
}

bool MemoryChecker::checkGlobal(Warp& warp, const Touch& touch) {
  if (holds(touch.address, touch.bytes))
    return true;
  const uint64_t parameters = reinterpret_cast<uint64_t>(warp.parameters);
  if (touch.address - parameters < warp.block->launch.kernel->facts.parameterBytes)
    return true;
  if (warp.block->sharesCluster() &&
      warp.block->cluster().rankOf(touch.address) != warp.block->cluster().blocks())
    return true;
  const std::optional<Neighbour> near = memory_.nearest(reinterpret_cast<void*>(touch.address));
  const bool freed = near && near->freed && near->distance == 0;
  report(warp, touch, freed ? "use after free: global" : "out of bounds global", describe(near));
  return false;
}

void MemoryChecker::report(Warp& warp, const Touch& touch, const char* what,
                           const std::string& where) {
  const Kernel& kernel = *warp.block->launch.kernel;
  const char* const access = nameOf(*touch.how);
  const auto line = [&] {
    const SourcePlace place = sourcePlace(kernel, touch.op);
    return std::string("memory: ") + what + " " + access + " of " + std::to_string(touch.bytes) +
           " bytes at " + place.at() + " in kernel '" + place.kernel + "'";
  };
  const auto op =
      static_cast<uint32_t>(warp.steady(touch.op) - kernel.function->module->code.data());
  report_.add({kernel.function->serial, what, access, nullptr, op, touch.bytes}, line, [&] {
    return "    " + threadText(warp, touch.lane) + ", address " + hexadecimal(touch.address) +
           ": " + where + "\n    " + sourcePlace(kernel, touch.op).describe() + "\n";
  });
}

/// The first warp of the block to get there does it.
void MemoryChecker::nextLogicalBlock(Warp& warp) {
  BlockShadow& shadow = *warp.block->shadow;
  shadow.logicalBlocks.resize(warp.block->warpCount);
  const uint32_t mine = ++shadow.logicalBlocks[warp.index];
  if (mine <= shadow.logicalBlock)
    return;
  shadow.logicalBlock = mine;
  std::vector<uint8_t>& written = shadow.sharedWritten;
  const Kernel& kernel = *warp.block->launch.kernel;
  const std::vector<SharedSymbol>& symbols = kernel.function->module->sharedSymbols;
  const auto inLoop = [&](uint64_t offset) {
    for (size_t i = 0; i < symbols.size(); ++i)
      if (isOfPersistentLoop(symbols[i].name) &&
          offset - kernel.sharedOffsets[i] < symbols[i].bytes)
        return true;
    return false;
  };
  for (uint64_t offset = 0; offset < written.size(); ++offset)
    if (!inLoop(offset))
      written[offset] = 0;
}

} // namespace gpusched::cpu
