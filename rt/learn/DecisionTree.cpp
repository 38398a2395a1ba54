// DecisionTree.cpp - growing a tree depth first, each node with a part of one list of rows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With a node's targets less their mean, n rows with sum s on one side and the other m with sum r,
// a division takes the squared error  s^2 / n + r^2 / m  away: the largest such sum is the best
// division. The mean is taken out first because sums of large targets would drown it.
#include "rt/learn/DecisionTree.h"

#include "rt/learn/Random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>

namespace gpusched::learn {
namespace {

size_t featuresToTry(FeaturesPerSplit features, size_t columns) {
  switch (features) {
  case FeaturesPerSplit::All:
    return columns;
  case FeaturesPerSplit::Third:
    return std::max<size_t>(1, columns / 3);
  case FeaturesPerSplit::SquareRoot:
    return std::max<size_t>(1, size_t(std::sqrt(double(columns))));
  }
  return columns;
}

struct Division {
  size_t column = 0;
  double threshold = 0;
  double errorDrop = -1; // below that of any
};

/// Half-way, but below `above` also where no number is between them.
double thresholdBetween(double below, double above) {
  const double middle = std::midpoint(below, above);
  return middle < above ? middle : below;
}

} // namespace

class TreeGrower {
public:
  TreeGrower(const Table& table, std::vector<size_t> rows, const TreeParameters& parameters,
             Random& random)
      : table_(table), rows_(std::move(rows)), parameters_(parameters), random_(random),
        leastPerLeaf_(std::max<size_t>(1, parameters.leastRowsPerLeaf)),
        featuresToTry_(featuresToTry(parameters.features, table.columns())),
        columns_(table.columns()) {
    std::iota(columns_.begin(), columns_.end(), 0);
    tree_.columns_ = table.columns();
  }

  /// The list of work is explicit: a tree may be as deep as there are rows.
  DecisionTree grow() && {
    work_.push_back({.node = newNode(), .begin = 0, .end = rows_.size(), .depth = 0});
    while (!work_.empty()) {
      const Part part = work_.back();
      work_.pop_back();
      growNode(part);
    }
    return std::move(tree_);
  }

private:
  /// Rows [begin, end) of rows_, of one node.
  struct Part {
    size_t node, begin, end, depth;
    size_t size() const { return end - begin; }
  };
  struct Sample {
    double feature, target; // the target less the node's mean
    friend auto operator<=>(const Sample&, const Sample&) = default;
  };

  size_t newNode() {
    tree_.nodes_.emplace_back();
    return tree_.nodes_.size() - 1;
  }

  void growNode(const Part& part) {
    const double mean = meanOf(part);
    const std::optional<Division> best = mustBeLeaf(part) ? std::nullopt : bestDivision(part, mean);
    if (best)
      divide(part, *best);
    else
      tree_.nodes_[part.node].value = mean;
  }

  double meanOf(const Part& part) const {
    double sum = 0;
    for (size_t index = part.begin; index < part.end; ++index)
      sum += table_.target(rows_[index]);
    return sum / double(part.size());
  }

  bool mustBeLeaf(const Part& part) const {
    if (part.depth >= parameters_.maxDepth || part.size() < parameters_.leastRowsToSplit ||
        part.size() / 2 < leastPerLeaf_)
      return true;
    const double first = table_.target(rows_[part.begin]);
    return std::all_of(rows_.begin() + part.begin, rows_.begin() + part.end,
                       [&](size_t row) { return table_.target(row) == first; });
  }

  std::optional<Division> bestDivision(const Part& part, double mean) {
    Division best;
    size_t tried = 0;
    bool severalValues = false;
    for (size_t left = columns_.size(); left > 0; --left) {
      if (tried++ >= featuresToTry_ && severalValues)
        break;
      std::swap(columns_[left - 1],
                columns_[random_.below(left)]); // Fisher-Yates, as far as needed
      sortBy(columns_[left - 1], part, mean);
      if (samples_.front().feature == samples_.back().feature)
        continue;
      severalValues = true;
      improve(best, columns_[left - 1]);
    }
    return best.errorDrop < 0 ? std::nullopt : std::optional(best);
  }

  /// Also by target, so that sums do not depend on how the library sorts.
  void sortBy(size_t column, const Part& part, double mean) {
    samples_.clear();
    for (size_t index = part.begin; index < part.end; ++index)
      samples_.push_back({.feature = table_.at(rows_[index], column),
                          .target = table_.target(rows_[index]) - mean});
    std::sort(samples_.begin(), samples_.end());
  }

  /// Every place between two different values of the sorted samples.
  void improve(Division& best, size_t column) const {
    double all = 0, below = 0;
    for (const Sample& sample : samples_)
      all += sample.target;
    for (size_t count = 1; count < samples_.size(); ++count) {
      const size_t others = samples_.size() - count;
      below += samples_[count - 1].target;
      if (samples_[count - 1].feature == samples_[count].feature || count < leastPerLeaf_ ||
          others < leastPerLeaf_)
        continue;
      const double above = all - below;
      const double drop = below * below / double(count) + above * above / double(others);
      if (drop > best.errorDrop)
        best = {.column = column,
                .threshold = thresholdBetween(samples_[count - 1].feature, samples_[count].feature),
                .errorDrop = drop};
    }
  }

  void divide(const Part& part, const Division& division) {
    const auto begin = rows_.begin() + part.begin, end = rows_.begin() + part.end;
    const auto middle = std::stable_partition(begin, end, [&](size_t row) {
      return table_.at(row, division.column) <= division.threshold;
    });
    const size_t at = size_t(middle - rows_.begin());
    const size_t below = newNode(), above = newNode();
    DecisionTree::Node& node = tree_.nodes_[part.node];
    node = {.value = division.threshold,
            .column = division.column,
            .below = below,
            .above = above,
            .errorDrop = division.errorDrop};
    work_.push_back({.node = above, .begin = at, .end = part.end, .depth = part.depth + 1});
    work_.push_back({.node = below, .begin = part.begin, .end = at, .depth = part.depth + 1});
  }

  const Table& table_;
  std::vector<size_t> rows_;
  const TreeParameters& parameters_;
  Random& random_;
  const size_t leastPerLeaf_;
  const size_t featuresToTry_;
  std::vector<size_t> columns_; // in an order that nodes shuffle
  std::vector<Sample> samples_; // of the node and column at hand
  std::vector<Part> work_;
  DecisionTree tree_;
};

Result<DecisionTree> DecisionTree::fit(const Table& table, const TreeParameters& parameters,
                                       uint64_t seed) {
  if (Status status = checkRows(table); !status)
    return status;
  std::vector<size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), 0);
  Random random(seed);
  return grow(table, std::move(rows), parameters, random);
}

DecisionTree DecisionTree::grow(const Table& table, std::vector<size_t> rows,
                                const TreeParameters& parameters, Random& random) {
  assert(!rows.empty());
  return TreeGrower(table, std::move(rows), parameters, random).grow();
}

double DecisionTree::predict(std::span<const double> features) const {
  assert(features.size() == columns_);
  const Node* node = &nodes_.front();
  while (node->below != 0)
    node = &nodes_[features[node->column] <= node->value ? node->below : node->above];
  return node->value;
}

std::vector<double> DecisionTree::importance() const {
  std::vector<double> drops(columns_, 0);
  for (const Node& node : nodes_)
    if (node.below != 0)
      drops[node.column] += node.errorDrop;
  return shares(std::move(drops));
}

} // namespace gpusched::learn
