// DemandTree.cpp - build, search, remove.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/DemandTree.h"

#include <algorithm>

namespace gpusched {

DemandPoint everywhere(double value) {
  DemandPoint point;
  point.fill(value);
  return point;
}

namespace {

DemandPoint lower(const DemandPoint& a, const DemandPoint& b) {
  DemandPoint minimum;
  for (size_t d = 0; d < kDemandDimensions; ++d)
    minimum[d] = std::min(a[d], b[d]);
  return minimum;
}

bool within(const DemandPoint& point, const DemandPoint& bound) {
  for (size_t d = 0; d < kDemandDimensions; ++d)
    if (point[d] > bound[d])
      return false;
  return true;
}

} // namespace

DemandTree::DemandTree(const std::vector<DemandPoint>& points) : size_(points.size()) {
  while (leaves_ < size_)
    leaves_ *= 2;
  minima_.assign(2 * leaves_, everywhere(std::numeric_limits<double>::infinity()));
  std::copy(points.begin(), points.end(), minima_.begin() + std::ptrdiff_t(leaves_));
  for (size_t node = leaves_ - 1; node > 0; --node)
    minima_[node] = lower(minima_[2 * node], minima_[2 * node + 1]);
}

size_t DemandTree::search(size_t node, size_t begin, size_t end, size_t from,
                          const DemandPoint& bound) const {
  if (end <= from || !within(minima_[node], bound))
    return size_;
  if (end - begin == 1)
    return begin;
  size_t middle = (begin + end) / 2;
  size_t found = search(2 * node, begin, middle, from, bound);
  return found < size_ ? found : search(2 * node + 1, middle, end, from, bound);
}

size_t DemandTree::next(size_t from, const DemandPoint& bound) const {
  return search(1, 0, leaves_, from, bound);
}

size_t DemandTree::first() const {
  return next(0, everywhere(kUnbounded));
}

void DemandTree::remove(size_t index) {
  size_t node = leaves_ + index;
  minima_[node] = everywhere(std::numeric_limits<double>::infinity());
  for (node /= 2; node > 0; node /= 2)
    minima_[node] = lower(minima_[2 * node], minima_[2 * node + 1]);
}

} // namespace gpusched
