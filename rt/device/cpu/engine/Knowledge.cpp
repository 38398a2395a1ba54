// Knowledge.cpp - look-up and union of sparse vector clocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/Knowledge.h"

#include <algorithm>

namespace gpusched::cpu {

bool Knowledge::covers(uint32_t block, unsigned warp, uint32_t clock) const {
  return clockOf(block, warp) >= clock;
}

uint32_t Knowledge::clockOf(uint32_t block, unsigned warp) const {
  if (block < floor_)
    return ~0u;
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), block,
                       [](const Entry& entry, uint32_t id) { return entry.block < id; });
  return at != entries_.end() && at->block == block ? at->clocks[warp] : 0;
}

void Knowledge::raise(uint32_t block, const WarpClocks& clocks) {
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), block,
                       [](const Entry& entry, uint32_t id) { return entry.block < id; });
  if (at != entries_.end() && at->block == block)
    cpu::raise(at->clocks, clocks);
  else
    entries_.insert(at, {block, clocks});
  forget();
}

void Knowledge::raise(const Knowledge& more) {
  std::vector<Entry> all;
  all.reserve(entries_.size() + more.entries_.size());
  auto mine = entries_.begin();
  for (const Entry& entry : more.entries_) {
    while (mine != entries_.end() && mine->block < entry.block)
      all.push_back(*mine++);
    all.push_back(entry);
    if (mine != entries_.end() && mine->block == entry.block)
      cpu::raise(all.back().clocks, (mine++)->clocks);
  }
  all.insert(all.end(), mine, entries_.end());
  entries_ = std::move(all);
  floor_ = std::max(floor_, more.floor_);
  forget();
}

void Knowledge::forget() {
  if (entries_.size() <= kMost)
    return;
  const size_t excess = entries_.size() - kMost;
  floor_ = std::max(floor_, entries_[excess - 1].block + 1);
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(excess));
}

KnowledgeRef Knowledge::merged(const KnowledgeRef& a, const KnowledgeRef& b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  const std::shared_ptr<Knowledge> both = std::make_shared<Knowledge>(*a);
  both->raise(*b);
  return both;
}

} // namespace gpusched::cpu
