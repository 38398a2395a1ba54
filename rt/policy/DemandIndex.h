// DemandIndex.h - the next kernel in a list that needs no more than a bound, in any dimension.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: K-Scheduler scans the sorted list once per set; a plain scan of n kernels for n sets is
// n^2. Two ways, by the number of different demands (a program has few kernels, launched often):
//   few    by demand: the first index left of each demand that is within the bound, and the least
//          of these. Cost of a search: the number of demands.
//   many   a binary tree over the list whose nodes hold the minimum of each dimension below them; a
//          subtree with one minimum above the bound has nothing to offer. Cost: log n when one
//          dimension decides, far more when eight independent ones do.
// Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace gpusched {

inline constexpr size_t kDemandDimensions = 8;
using DemandPoint = std::array<double, kDemandDimensions>;
inline constexpr double kUnbounded = std::numeric_limits<double>::max();

/// The point with `value` in every dimension.
DemandPoint everywhere(double value);

class DemandIndex {
public:
  explicit DemandIndex(const std::vector<DemandPoint>& points);

  /// The first index in [from, end) that is left and at most `bound` everywhere; size() when none.
  size_t next(size_t from, size_t end, const DemandPoint& bound) const;
  /// The first index that is left.
  size_t first() const;
  void remove(size_t index);
  size_t size() const { return size_; }

private:
  /// Indexes with equal demand, in order; `alive[i]` leads to the next that is left.
  struct Kind {
    DemandPoint point;
    std::vector<size_t> indexes, alive;
  };

  void buildKinds(const std::vector<DemandPoint>& points);
  void buildTree(const std::vector<DemandPoint>& points);
  size_t search(size_t node, size_t begin, size_t end, size_t from, const DemandPoint& bound) const;

  size_t size_ = 0, leaves_ = 1;
  mutable std::vector<Kind> kinds_;               // empty when there are too many
  std::vector<std::pair<size_t, size_t>> kindOf_; // of an index: its kind, its place there
  mutable std::vector<size_t> alive_;             // of all indexes, for first()
  std::vector<DemandPoint> minima_; // node 1 is the root; children of i are 2i and 2i + 1
};

} // namespace gpusched
