// DemandTree.h - the next kernel in a list that needs no more than a bound, in any dimension.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: K-Scheduler scans the sorted list once per set; a plain scan of n kernels for n sets is
// n^2. Model: a complete binary tree over the list whose nodes hold the minimum of each dimension
// below them; a subtree with one minimum above the bound has nothing to offer. Removing sets a
// leaf to infinity. Cost: log n per removal; a search visits log n nodes when one dimension
// decides, more when several contradict each other. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace gpusched {

inline constexpr size_t kDemandDimensions = 8;
using DemandPoint = std::array<double, kDemandDimensions>;
inline constexpr double kUnbounded = std::numeric_limits<double>::max();

/// The point with `value` in every dimension.
DemandPoint everywhere(double value);

class DemandTree {
public:
  explicit DemandTree(const std::vector<DemandPoint>& points);

  /// The first index >= `from` that is left and at most `bound` everywhere; size() when none.
  size_t next(size_t from, const DemandPoint& bound) const;
  /// The first index that is left.
  size_t first() const;
  void remove(size_t index);
  size_t size() const { return size_; }

private:
  size_t search(size_t node, size_t begin, size_t end, size_t from, const DemandPoint& bound) const;

  size_t size_ = 0, leaves_ = 1;
  std::vector<DemandPoint> minima_; // node 1 is the root; children of i are 2i and 2i + 1
};

} // namespace gpusched
