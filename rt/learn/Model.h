// Model.h - what has been learnt, and a way to learn it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every model is a value with a static `fit(table, parameters...)`. Validation (CrossValidation.h,
// FeatureElimination.h) fits the same model to many tables and takes it as a Learner:
//     learner<RandomForest>(ForestParameters{.trees = 100})
//
// Classes are learnt as targets 0 and 1 and told apart at 0.5 (Scores.h). No model here is made
// for classes: the variance of 0/1 labels, p (1 - p), is half their Gini impurity, so a tree
// divides alike by either, and its leaf's mean is the share of label 1.
//
// Models are pure and not changed by predict(): one may be used by many threads.
#pragma once

#include "rt/learn/Table.h"

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gpusched::learn {

class Model {
public:
  virtual ~Model() = default;
  /// REQUIRES: as many features as the table's columns. A NaN among them gives some number or NaN.
  virtual double predict(std::span<const double> features) const = 0;
  /// Of each column, its share in what the model explains: sums to 1, or all 0 where it explains
  /// nothing by its features.
  virtual std::vector<double> importance() const = 0;

protected:
  Model() = default;
  Model(const Model&) = default;
  Model(Model&&) = default;
  Model& operator=(const Model&) = default;
  Model& operator=(Model&&) = default;
};

/// Fits one kind of model, its parameters bound. Error: the table has no rows, or parameters that
/// mean nothing.
using Learner = std::function<Result<std::unique_ptr<Model>>(const Table&)>;

template <class Kind, class... Parameters> Learner learner(Parameters... parameters) {
  return [=](const Table& table) -> Result<std::unique_ptr<Model>> {
    Result<Kind> fitted = Kind::fit(table, parameters...);
    if (!fitted)
      return fitted.status();
    return std::unique_ptr<Model>(std::make_unique<Kind>(std::move(*fitted)));
  };
}

/// Error: no rows. Every fit() begins with it.
Status checkRows(const Table& table);

/// Each amount divided by the sum of all, when that is not 0.
std::vector<double> shares(std::vector<double> amounts);

} // namespace gpusched::learn
