// DemandIndex.h - the next kernel in a list that needs no more than a bound, in any dimension.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: K-Scheduler scans the sorted list once per set; a plain scan of n kernels for n sets is
// n^2. Here: a k-d tree over the demands. Each node knows, of what is left below it, the first
// index and the least and largest demand of each dimension:
//   - with one least demand above the bound, or no index before the best so far: nothing to offer
//   - with every largest demand within the bound: its first index is the answer of this subtree
// Kernels of equal demand lie together, so a list of few kernels, launched often, is as fast as one
// of many. Cost: building n log^2 n, removing log n, a search a few dozen nodes in practice.
// Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gpusched {

inline constexpr size_t kDemandDimensions = 8;
using DemandPoint = std::array<double, kDemandDimensions>;
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// The point with `value` in every dimension.
DemandPoint everywhere(double value);

class DemandIndex {
public:
  explicit DemandIndex(const std::vector<DemandPoint>& points);

  /// The first index >= `from` that is left and at most `bound` everywhere; size() when none.
  size_t next(size_t from, const DemandPoint& bound) const;
  /// The first index that is left; size() when none.
  size_t first() const;
  void remove(size_t index);
  size_t size() const { return points_.size(); }

private:
  static constexpr uint32_t kGone = std::numeric_limits<uint32_t>::max();

  /// What is left below; node 1 is the root, children of i are 2i and 2i + 1.
  struct Node {
    DemandPoint least, largest;
    uint32_t first = kGone;
  };
  /// Places [begin, end) of `indexes_`.
  struct Part {
    size_t node, begin, end;
    bool isLeaf() const;
    size_t middle() const { return (begin + end) / 2; }
    Part left() const { return {2 * node, begin, middle()}; }
    Part right() const { return {2 * node + 1, middle(), end}; }
  };

  void build(const std::vector<DemandPoint>& points, const DemandPoint& whole, const Part& part);
  void summarise(const Part& part);
  void search(const Part& part, size_t from, const DemandPoint& bound, size_t& best) const;

  std::vector<Node> nodes_;
  std::vector<uint32_t> indexes_;   // by place; kGone once removed
  std::vector<DemandPoint> points_; // by place
  std::vector<size_t> places_;      // by index
};

} // namespace gpusched
