// AccessRuns.h - what one warp instruction accesses, as runs of adjacent bytes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: sectors and bank passes of an access need its distinct bytes; sorting 32 addresses
// an instruction costs ten times what the instruction does.
// Model: lanes are added in order; one that continues the last run, or lies inside it, joins it.
// So a coalesced access is one run and a broadcast is one, whatever its width. Runs that join
// no neighbour may repeat or overlap: who counts them must check.
// Cost: four additions for an access in groups of eight lanes (tiles, rows, broadcasts),
// otherwise one a lane.
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"

namespace gpusched::cpu {

struct AccessRuns {
  struct Run {
    uint64_t first, end;
  };
  Run runs[kLanes];
  unsigned count = 0;

  void add(uint64_t first, uint64_t bytes) {
    if (count) {
      Run& last = runs[count - 1];
      if (first >= last.first && first <= last.end) {
        last.end = first + bytes > last.end ? first + bytes : last.end;
        return;
      }
    }
    runs[count++] = {first, first + bytes};
  }

  const Run* begin() const { return runs; }
  const Run* end() const { return runs + count; }
  /// Neither repeats nor goes back when cut into units of 2^bits bytes.
  bool increasing(unsigned bits) const {
    for (unsigned i = 1; i < count; ++i)
      if (runs[i].first >> bits <= (runs[i - 1].end - 1) >> bits)
        return false;
    return true;
  }
};

} // namespace gpusched::cpu
