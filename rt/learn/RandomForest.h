// RandomForest.h - the mean of many trees, each grown from a bootstrap sample: forest and bagging.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources: bagging, L. Breiman 1996 (tree.features = All); random forest, L. Breiman 2001 (Third or
// SquareRoot). Each tree sees as many rows as the table has, drawn with replacement. scikit-learn's
// RandomForestRegressor and BaggingRegressor are both this with All; its RandomForestClassifier is
// this with SquareRoot on targets 0 and 1.
//
// Deterministic in table, parameters and seed. Cost: that of a tree, times their number, on the
// calling thread: some ten seconds for 100 trees on 5000 x 30 with All, a third of it with Third.
#pragma once

#include "rt/learn/DecisionTree.h"

namespace gpusched::learn {

struct ForestParameters {
  size_t trees = 100;
  TreeParameters tree = {};
  uint64_t seed = 0;
};

class RandomForest final : public Model {
public:
  /// Error: no rows, or no trees.
  static Result<RandomForest> fit(const Table& table, const ForestParameters& parameters = {});

  double predict(std::span<const double> features) const override;
  /// Mean over the trees.
  std::vector<double> importance() const override;

private:
  std::vector<DecisionTree> trees_;
};

} // namespace gpusched::learn
