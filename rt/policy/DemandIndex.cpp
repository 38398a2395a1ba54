// DemandIndex.cpp - build, search, remove.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node is split at the median of the dimension that is widest there, as a share of the whole
// list's width, so a dimension in which all kernels are alike is never split.
#include "rt/policy/DemandIndex.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace gpusched {
namespace {

constexpr size_t kLeaf = 8; // points of a leaf at most

/// Two doubles at a time: nothing else costs as much here, and compilers leave the plain loop
/// scalar.
bool within(const DemandPoint& point, const DemandPoint& bound) {
  typedef double Two __attribute__((vector_size(16)));
  typedef int64_t Mask __attribute__((vector_size(16)));
  static_assert(kDemandDimensions % 2 == 0);
  Mask all = {-1, -1};
  for (size_t d = 0; d < kDemandDimensions; d += 2) {
    Two a, b;
    std::memcpy(&a, &point[d], sizeof a);
    std::memcpy(&b, &bound[d], sizeof b);
    all &= Mask(a <= b);
  }
  return (all[0] & all[1]) != 0;
}

DemandPoint lower(const DemandPoint& a, const DemandPoint& b) {
  DemandPoint lower;
  for (size_t d = 0; d < kDemandDimensions; ++d)
    lower[d] = std::min(a[d], b[d]);
  return lower;
}

DemandPoint upper(const DemandPoint& a, const DemandPoint& b) {
  DemandPoint upper;
  for (size_t d = 0; d < kDemandDimensions; ++d)
    upper[d] = std::max(a[d], b[d]);
  return upper;
}

/// Largest minus least of points[i] for all i in [begin, end).
template <class Iterator>
DemandPoint widthOf(const std::vector<DemandPoint>& points, Iterator begin, Iterator end) {
  DemandPoint least = everywhere(kUnbounded), largest = everywhere(-kUnbounded);
  for (Iterator index = begin; index != end; ++index) {
    least = lower(least, points[*index]);
    largest = upper(largest, points[*index]);
  }
  for (size_t d = 0; d < kDemandDimensions; ++d)
    largest[d] -= least[d];
  return largest;
}

size_t widest(const DemandPoint& width, const DemandPoint& whole) {
  size_t best = 0;
  double most = 0;
  for (size_t d = 0; d < kDemandDimensions; ++d)
    if (whole[d] > 0 && width[d] / whole[d] > most)
      most = width[d] / whole[d], best = d;
  return best;
}

} // namespace

DemandPoint everywhere(double value) {
  DemandPoint point;
  point.fill(value);
  return point;
}

bool DemandIndex::Part::isLeaf() const {
  return end - begin <= kLeaf;
}

DemandIndex::DemandIndex(const std::vector<DemandPoint>& points)
    : indexes_(points.size()), points_(points.size()), places_(points.size()) {
  size_t nodes = 2;
  for (size_t most = points.size(); most > kLeaf; most = (most + 1) / 2)
    nodes *= 2;
  nodes_.resize(nodes);
  std::iota(indexes_.begin(), indexes_.end(), 0u);
  build(points, widthOf(points, indexes_.begin(), indexes_.end()), {1, 0, points.size()});
}

void DemandIndex::build(const std::vector<DemandPoint>& points, const DemandPoint& whole,
                        const Part& part) {
  auto at = [&](size_t place) { return indexes_.begin() + std::ptrdiff_t(place); };
  if (part.isLeaf()) {
    for (size_t place = part.begin; place < part.end; ++place) {
      points_[place] = points[indexes_[place]];
      places_[indexes_[place]] = place;
    }
  } else {
    size_t by = widest(widthOf(points, at(part.begin), at(part.end)), whole);
    std::nth_element(at(part.begin), at(part.middle()), at(part.end),
                     [&](size_t a, size_t b) { return points[a][by] < points[b][by]; });
    build(points, whole, part.left());
    build(points, whole, part.right());
  }
  summarise(part);
}

void DemandIndex::summarise(const Part& part) {
  Node node{everywhere(kUnbounded), everywhere(-kUnbounded), kGone};
  auto include = [&](const DemandPoint& low, const DemandPoint& high, uint32_t first) {
    if (first == kGone)
      return;
    node.least = lower(node.least, low);
    node.largest = upper(node.largest, high);
    node.first = std::min(node.first, first);
  };
  if (part.isLeaf())
    for (size_t place = part.begin; place < part.end; ++place)
      include(points_[place], points_[place], indexes_[place]);
  else
    for (size_t child : {2 * part.node, 2 * part.node + 1})
      include(nodes_[child].least, nodes_[child].largest, nodes_[child].first);
  nodes_[part.node] = node;
}

void DemandIndex::search(const Part& part, size_t from, const DemandPoint& bound,
                         size_t& best) const {
  const Node& node = nodes_[part.node];
  if (node.first >= best || !within(node.least, bound))
    return;
  if (node.first >= from && within(node.largest, bound)) {
    best = node.first;
    return;
  }
  if (part.isLeaf()) {
    for (size_t place = part.begin; place < part.end; ++place)
      if (indexes_[place] >= from && indexes_[place] < best && within(points_[place], bound))
        best = indexes_[place];
    return;
  }
  bool leftFirst = nodes_[2 * part.node].first <= nodes_[2 * part.node + 1].first;
  search(leftFirst ? part.left() : part.right(), from, bound, best);
  search(leftFirst ? part.right() : part.left(), from, bound, best);
}

size_t DemandIndex::next(size_t from, const DemandPoint& bound) const {
  size_t best = size();
  search({1, 0, size()}, from, bound, best);
  return best;
}

size_t DemandIndex::first() const {
  return std::min<size_t>(nodes_[1].first, size());
}

void DemandIndex::remove(size_t index) {
  const size_t place = places_[index];
  indexes_[place] = kGone;
  Part path[64];
  size_t depth = 0;
  for (path[0] = {1, 0, size()}; !path[depth].isLeaf(); ++depth)
    path[depth + 1] = place < path[depth].middle() ? path[depth].left() : path[depth].right();
  bool sameBounds = false; // then those above are the same too
  for (size_t level = depth + 1; level > 0; --level) {
    const size_t node = path[level - 1].node;
    if (sameBounds) {
      nodes_[node].first = std::min(nodes_[2 * node].first, nodes_[2 * node + 1].first);
      continue;
    }
    const DemandPoint least = nodes_[node].least, largest = nodes_[node].largest;
    summarise(path[level - 1]);
    sameBounds = nodes_[node].least == least && nodes_[node].largest == largest;
  }
}

} // namespace gpusched
