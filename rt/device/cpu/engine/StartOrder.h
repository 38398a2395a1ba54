// StartOrder.h - in which order the blocks of a launch start.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU starts blocks in increasing order in practice and promises none. A shuffled order mixes
// them within windows of as many blocks as the device holds: a block that waits for an earlier
// one still finds it running, as long as its launch is alone, because the first unfinished block
// of a window always has room.
#pragma once

#include <cstdint>
#include <vector>

namespace gpusched::cpu {

/// count!
uint64_t permutations(uint64_t count);

class StartOrder {
public:
  StartOrder() = default; // increasing
  static StartOrder shuffled(uint64_t seed, uint64_t window);
  /// The index-th of the permutations of `count` blocks, counted round.
  static StartOrder permutation(uint64_t index, uint64_t count);

  /// The block that starts as the position-th. Positions are asked for in increasing order.
  uint64_t at(uint64_t position, uint64_t blocks);

private:
  uint64_t seed_ = 0, window_ = 0; // window 0: increasing, unless `order_` is given
  uint64_t drawn_ = ~uint64_t(0);  // the window that order_ is of
  std::vector<uint64_t> order_;
};

} // namespace gpusched::cpu
