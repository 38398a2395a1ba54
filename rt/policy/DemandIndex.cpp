// DemandIndex.cpp - build, search, remove; by demand or by tree.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/DemandIndex.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace gpusched {

DemandPoint everywhere(double value) {
  DemandPoint point;
  point.fill(value);
  return point;
}

namespace {

constexpr size_t kMostKinds = 2000;

DemandPoint lower(const DemandPoint& a, const DemandPoint& b) {
  DemandPoint minimum;
  for (size_t d = 0; d < kDemandDimensions; ++d)
    minimum[d] = std::min(a[d], b[d]);
  return minimum;
}

/// The first place >= `at` that is left; paths are halved on the way.
size_t firstAlive(std::vector<size_t>& alive, size_t at) {
  while (alive[at] != at)
    at = alive[at] = alive[alive[at]];
  return at;
}

bool within(const DemandPoint& point, const DemandPoint& bound) {
  for (size_t d = 0; d < kDemandDimensions; ++d)
    if (point[d] > bound[d])
      return false;
  return true;
}

} // namespace

DemandIndex::DemandIndex(const std::vector<DemandPoint>& points) : size_(points.size()) {
  alive_.resize(size_ + 1);
  std::iota(alive_.begin(), alive_.end(), size_t(0));
  buildKinds(points);
  if (kinds_.empty())
    buildTree(points);
}

void DemandIndex::buildKinds(const std::vector<DemandPoint>& points) {
  std::map<DemandPoint, size_t> known;
  for (size_t i = 0; i < points.size(); ++i) {
    size_t kind = known.try_emplace(points[i], known.size()).first->second;
    if (kind == kinds_.size()) {
      if (kind == kMostKinds)
        return kinds_.clear();
      kinds_.push_back({points[i], {}, {}});
    }
    kindOf_.emplace_back(kind, kinds_[kind].indexes.size());
    kinds_[kind].indexes.push_back(i);
  }
  for (Kind& kind : kinds_) {
    kind.alive.resize(kind.indexes.size() + 1);
    std::iota(kind.alive.begin(), kind.alive.end(), size_t(0));
  }
}

void DemandIndex::buildTree(const std::vector<DemandPoint>& points) {
  while (leaves_ < size_)
    leaves_ *= 2;
  minima_.assign(2 * leaves_, everywhere(std::numeric_limits<double>::infinity()));
  std::copy(points.begin(), points.end(), minima_.begin() + std::ptrdiff_t(leaves_));
  for (size_t node = leaves_ - 1; node > 0; --node)
    minima_[node] = lower(minima_[2 * node], minima_[2 * node + 1]);
}

size_t DemandIndex::search(size_t node, size_t begin, size_t end, size_t from,
                           const DemandPoint& bound) const {
  if (end <= from || !within(minima_[node], bound))
    return size_;
  if (end - begin == 1)
    return begin;
  size_t middle = (begin + end) / 2;
  size_t found = search(2 * node, begin, middle, from, bound);
  return found < size_ ? found : search(2 * node + 1, middle, end, from, bound);
}

size_t DemandIndex::next(size_t from, size_t end, const DemandPoint& bound) const {
  if (kinds_.empty()) {
    size_t found = size_ ? search(1, 0, leaves_, from, bound) : 0;
    return found < end ? found : size_;
  }
  size_t least = end;
  for (Kind& kind : kinds_) {
    if (kind.indexes.back() < from || kind.indexes.front() >= least || !within(kind.point, bound))
      continue;
    auto at = std::lower_bound(kind.indexes.begin(), kind.indexes.end(), from);
    size_t place = firstAlive(kind.alive, size_t(at - kind.indexes.begin()));
    if (place < kind.indexes.size())
      least = std::min(least, kind.indexes[place]);
  }
  return least < end ? least : size_;
}

size_t DemandIndex::first() const {
  return firstAlive(alive_, 0);
}

void DemandIndex::remove(size_t index) {
  alive_[index] = index + 1;
  if (!kinds_.empty()) {
    auto [kind, place] = kindOf_[index];
    kinds_[kind].alive[place] = place + 1;
    return;
  }
  size_t node = leaves_ + index;
  minima_[node] = everywhere(std::numeric_limits<double>::infinity());
  for (node /= 2; node > 0; node /= 2)
    minima_[node] = lower(minima_[2 * node], minima_[2 * node + 1]);
}

} // namespace gpusched
