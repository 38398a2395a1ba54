// RandomForest.cpp - a bootstrap sample and a tree, so many times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/learn/RandomForest.h"

#include "rt/learn/Random.h"

namespace gpusched::learn {

Result<RandomForest> RandomForest::fit(const Table& table, const ForestParameters& parameters) {
  if (Status status = checkRows(table); !status)
    return status;
  if (parameters.trees == 0)
    return Status::error("a forest of 0 trees predicts nothing; ask for one at least");
  Random random(parameters.seed);
  RandomForest forest;
  std::vector<size_t> sample(table.rows());
  for (size_t tree = 0; tree < parameters.trees; ++tree) {
    for (size_t& row : sample)
      row = random.below(table.rows());
    forest.trees_.push_back(DecisionTree::grow(table, sample, parameters.tree, random));
  }
  return forest;
}

double RandomForest::predict(std::span<const double> features) const {
  double sum = 0;
  for (const DecisionTree& tree : trees_)
    sum += tree.predict(features);
  return sum / double(trees_.size());
}

std::vector<double> RandomForest::importance() const {
  std::vector<double> sum = trees_.front().importance();
  for (size_t tree = 1; tree < trees_.size(); ++tree) {
    const std::vector<double> one = trees_[tree].importance();
    for (size_t column = 0; column < sum.size(); ++column)
      sum[column] += one[column];
  }
  return shares(std::move(sum));
}

} // namespace gpusched::learn
