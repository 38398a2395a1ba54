// AdaBoost.h - trees that each look harder at the rows the ones before them missed: AdaBoost.R2.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: H. Drucker, "Improving regressors using boosting techniques", 1997, with linear loss, as
// in scikit-learn's AdaBoostRegressor. Every row has a weight w, at first equal. A round
//   1. draws as many rows as there are, by weight, and grows a tree from them;
//   2. takes the tree's loss for each row, L = |error| / largest error, and the mean l = sum w L;
//   3. with beta = l / (1 - l) multiplies each weight by beta^(1 - L), so what was met counts less.
// It ends early at a perfect tree, and at l >= 1/2, where that tree is dropped unless it is the
// first. The answer is the median of the trees' answers, each weighted by log(1 / beta).
//
// Deterministic in table, parameters and seed. Cost: that of a tree of `tree`, times rounds.
#pragma once

#include "rt/learn/DecisionTree.h"

namespace gpusched::learn {

struct AdaBoostParameters {
  size_t rounds = 50; // at most
  TreeParameters tree = {.maxDepth = 3};
  uint64_t seed = 0;
};

class AdaBoost final : public Model {
public:
  /// Error: no rows, or no rounds.
  static Result<AdaBoost> fit(const Table& table, const AdaBoostParameters& parameters = {});

  double predict(std::span<const double> features) const override;
  /// Mean over the trees by their weight.
  std::vector<double> importance() const override;

  size_t rounds() const { return trees_.size(); }

private:
  struct Round {
    DecisionTree tree;
    double weight = 1; // log(1 / beta)
  };
  std::vector<Round> trees_;
};

} // namespace gpusched::learn
