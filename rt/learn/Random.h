// Random.h - the same numbers from the same seed, with every standard library.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The standard fixes what std::mt19937_64 gives, but not what its distributions make of it. These
// two mappings are ours. Not for several threads at once: each has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace gpusched::learn {

class Random {
public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, 1), a multiple of 2^-53.
  double real() { return double(engine_() >> 11) * 0x1p-53; }

  /// Uniform in [0, bound). REQUIRES: bound > 0. What would favour small numbers is drawn again.
  size_t below(size_t bound) {
    const uint64_t uneven = (UINT64_MAX - bound + 1) % bound; // 2^64 mod bound
    uint64_t drawn = engine_();
    while (drawn < uneven)
      drawn = engine_();
    return size_t(drawn % bound);
  }

  /// Fisher-Yates.
  template <class Item> void shuffle(std::vector<Item>& items) {
    for (size_t left = items.size(); left > 1; --left)
      std::swap(items[left - 1], items[below(left)]);
  }

private:
  std::mt19937_64 engine_;
};

} // namespace gpusched::learn
