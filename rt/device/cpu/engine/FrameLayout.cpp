// FrameLayout.cpp - linear-scan slot assignment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FrameLayout.h.
#include "rt/device/cpu/engine/FrameLayout.h"

#include "rt/device/cpu/engine/MicroOp.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>

namespace gpusched::cpu {
namespace {

/// Slots of one width: those in use by when they become free, and those that are.
struct Pool {
  struct Busy {
    uint32_t last, slot;
    bool operator>(const Busy& other) const { return last > other.last; }
  };
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::vector<uint32_t> free;
  uint32_t count = 0;

  uint32_t take(const LiveRange& range) {
    while (!busy.empty() && busy.top().last < range.first) {
      free.push_back(busy.top().slot);
      busy.pop();
    }
    uint32_t slot = count;
    if (free.empty()) {
      ++count;
    } else {
      slot = free.back();
      free.pop_back();
    }
    busy.push({range.last, slot});
    return slot;
  }
};

constexpr unsigned kPredicate = 1; // key of the predicates' pool

} // namespace

unsigned laneBytes(ptx::Type type) {
  return std::max(2u, ptx::sizeInBytes(type));
}

FrameLayout layOutFrame(const ptx::Function& function, const std::vector<LiveRange>& ranges) {
  std::vector<uint32_t> order(ranges.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return ranges[a].first < ranges[b].first; });
  std::map<unsigned, Pool> pools;
  FrameLayout layout;
  layout.offsets.resize(ranges.size());
  const auto key = [&](uint32_t reg) {
    const ptx::Type type = function.registers[reg].type;
    return type == ptx::Type::Pred ? kPredicate : laneBytes(type);
  };
  for (uint32_t reg : order)
    layout.offsets[reg] = pools[key(reg)].take(ranges[reg]);
  uint32_t base = kFrameHead;
  std::map<unsigned, uint32_t> bases;
  for (auto& [width, pool] : pools) {
    bases[width] = base;
    base += (width == kPredicate ? pool.count * 4 + 63 : pool.count * width * kLanes) / 64 * 64;
  }
  for (uint32_t reg = 0; reg < ranges.size(); ++reg) {
    const unsigned width = key(reg);
    layout.offsets[reg] =
        bases[width] + layout.offsets[reg] * (width == kPredicate ? 4 : width * kLanes);
  }
  layout.bytes = base;
  return layout;
}

} // namespace gpusched::cpu
