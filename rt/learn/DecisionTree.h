// DecisionTree.h - a regression tree that divides rows where their variance falls most.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: CART (L. Breiman et al. 1984), in the form of scikit-learn's DecisionTreeRegressor. A
// node asks `feature <= threshold`, with the threshold half-way between two neighbouring values,
// and is the pair of column and threshold that leaves the least squared error in its two sides.
// A node whose targets are all equal, that is too small or too deep, or whose rows are all alike
// is a leaf and answers their mean.
//
// Columns are tried in random order and of equal divisions the first tried wins, as in
// scikit-learn; otherwise a forest would always prefer the first columns. Where nothing ties and
// all columns are tried, the seed does not matter. A node that has tried its number of columns goes
// on until one of them had two values.
//
// Cost: each node sorts its rows by each column tried, so about
// columns x rows x log(rows) x depth: a tenth of a second for 5000 x 30, milliseconds for 150 x 30.
// `predict` is one comparison per level.
#pragma once

#include "rt/learn/Model.h"

#include <cstdint>

namespace gpusched::learn {

class Random;

/// How many columns of the table a node tries; at least one.
enum class FeaturesPerSplit {
  All,        // bagging, and scikit-learn's forest for regression
  Third,      // L. Breiman 2001 for regression
  SquareRoot, // the usual for classes
};

inline constexpr size_t kUnlimited = SIZE_MAX;

struct TreeParameters {
  size_t maxDepth = kUnlimited; // nodes above a leaf; 0 is one leaf
  size_t leastRowsToSplit = 2;
  size_t leastRowsPerLeaf = 1;
  FeaturesPerSplit features = FeaturesPerSplit::All;
};

class DecisionTree final : public Model {
public:
  /// Error: no rows.
  static Result<DecisionTree> fit(const Table& table, const TreeParameters& parameters = {},
                                  uint64_t seed = 0);
  /// Fitted to the rows named, each as often as it is named. REQUIRES: one row at least.
  static DecisionTree grow(const Table& table, std::vector<size_t> rows,
                           const TreeParameters& parameters, Random& random);

  double predict(std::span<const double> features) const override;
  /// Squared error that the divisions by a column took away.
  std::vector<double> importance() const override;

  size_t leaves() const { return (nodes_.size() + 1) / 2; }

private:
  struct Node {
    double value = 0;     // of a leaf: its answer; else the threshold
    size_t column = 0;    // of a division
    size_t below = 0;     // node for feature <= threshold; 0 in a leaf
    size_t above = 0;     // node for the others
    double errorDrop = 0; // squared error that the division takes away
  };
  friend class TreeGrower;

  size_t columns_ = 0;
  std::vector<Node> nodes_; // the root first
};

} // namespace gpusched::learn
