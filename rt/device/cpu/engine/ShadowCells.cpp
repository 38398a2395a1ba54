// ShadowCells.cpp - what a full cell forgets, and the pages.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/ShadowCells.h"

#include <algorithm>

namespace gpusched::cpu {

void ShadowCell::add(PastAccess access) {
  access.age = ++clock;
  PastAccess* victim = nullptr;
  unsigned most = 0;
  for (PastAccess& entry : past) {
    if (!entry.bytes) {
      entry = access;
      return;
    }
    const unsigned same = static_cast<unsigned>(std::count_if(
        std::begin(past), std::end(past), [&](const PastAccess& p) { return p.op == entry.op; }));
    const bool older = victim && uint8_t(clock - entry.age) > uint8_t(clock - victim->age);
    if (same > most || (same == most && older))
      victim = &entry, most = same;
  }
  *victim = access;
}

ShadowCell& ShadowPages::cell(uint64_t address, uint64_t launch) {
  const uint64_t number = address >> kPageBits;
  if (number != lastNumber_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (!page)
      page = std::make_unique<Page>();
    lastNumber_ = number;
    last_ = page.get();
  }
  if (last_->launch != launch) {
    std::fill(std::begin(last_->cells), std::end(last_->cells), ShadowCell{});
    last_->launch = launch;
  }
  return last_->cells[address % (1u << kPageBits) / ShadowCell::kBytes];
}

} // namespace gpusched::cpu
