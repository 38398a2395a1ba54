// StartOrder.cpp - shuffles and permutations of blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/StartOrder.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace gpusched::cpu {

uint64_t permutations(uint64_t count) {
  return count < 2 ? 1 : count * permutations(count - 1);
}

StartOrder StartOrder::shuffled(uint64_t seed, uint64_t window) {
  StartOrder order;
  order.seed_ = seed;
  order.window_ = std::max<uint64_t>(window, 1);
  return order;
}

/// The digits of `index` in the factorial number system choose among the blocks that are left.
StartOrder StartOrder::permutation(uint64_t index, uint64_t count) {
  StartOrder order;
  std::vector<uint64_t> left(count);
  std::iota(left.begin(), left.end(), 0);
  index %= permutations(count);
  for (uint64_t rest = count; rest > 0; --rest) {
    const uint64_t each = permutations(rest - 1);
    const auto chosen = left.begin() + static_cast<std::ptrdiff_t>(index / each);
    order.order_.push_back(*chosen);
    left.erase(chosen);
    index %= each;
  }
  return order;
}

uint64_t StartOrder::at(uint64_t position, uint64_t blocks) {
  if (!window_)
    return position < order_.size() ? order_[position] : position;
  const uint64_t window = position / window_, first = window * window_;
  if (drawn_ != window) {
    drawn_ = window;
    order_.resize(std::min(window_, blocks - first));
    std::iota(order_.begin(), order_.end(), first);
    std::shuffle(order_.begin(), order_.end(), std::mt19937_64(seed_ + window * 0x9e3779b9));
  }
  return order_[position - first];
}

} // namespace gpusched::cpu
