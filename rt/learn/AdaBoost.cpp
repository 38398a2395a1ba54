// AdaBoost.cpp - the rounds of AdaBoost.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/learn/AdaBoost.h"

#include "rt/learn/Random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gpusched::learn {
namespace {

constexpr double kLeastWeight = std::numeric_limits<double>::epsilon(); // a row can come back
constexpr double kWorstLoss = 0.5;

/// As many rows as there are weights, drawn with these.
std::vector<size_t> drawByWeight(const std::vector<double>& weights, Random& random) {
  std::vector<double> upTo(weights.size());
  std::partial_sum(weights.begin(), weights.end(), upTo.begin());
  std::vector<size_t> rows(weights.size());
  for (size_t& row : rows) {
    const double drawn = random.real() * upTo.back();
    const size_t found = size_t(std::upper_bound(upTo.begin(), upTo.end(), drawn) - upTo.begin());
    row = std::min(found, weights.size() - 1);
  }
  return rows;
}

/// |error| of each row as a share of the largest.
std::vector<double> linearLosses(const DecisionTree& tree, const Table& table) {
  std::vector<double> losses(table.rows());
  for (size_t row = 0; row < table.rows(); ++row)
    losses[row] = std::fabs(tree.predict(table.row(row)) - table.target(row));
  const double largest = *std::max_element(losses.begin(), losses.end());
  if (largest > 0)
    for (double& loss : losses)
      loss /= largest;
  return losses;
}

void reweigh(std::vector<double>& weights, const std::vector<double>& losses, double beta) {
  for (size_t row = 0; row < weights.size(); ++row)
    weights[row] *= std::pow(beta, 1 - losses[row]);
  weights = shares(std::move(weights));
  for (double& weight : weights)
    weight = std::max(weight, kLeastWeight);
}

} // namespace

Result<AdaBoost> AdaBoost::fit(const Table& table, const AdaBoostParameters& parameters) {
  if (Status status = checkRows(table); !status)
    return status;
  if (parameters.rounds == 0)
    return Status::error("AdaBoost of 0 rounds predicts nothing; ask for one at least");
  Random random(parameters.seed);
  AdaBoost model;
  std::vector<double> weights(table.rows(), 1 / double(table.rows()));
  while (model.trees_.size() < parameters.rounds) {
    DecisionTree tree =
        DecisionTree::grow(table, drawByWeight(weights, random), parameters.tree, random);
    const std::vector<double> losses = linearLosses(tree, table);
    const double loss = std::inner_product(weights.begin(), weights.end(), losses.begin(), 0.0);
    const bool ends = loss <= 0 || loss >= kWorstLoss;
    if (loss < kWorstLoss || model.trees_.empty())
      model.trees_.push_back({.tree = std::move(tree), .weight = 1});
    if (ends)
      break;
    const double beta = loss / (1 - loss);
    model.trees_.back().weight = std::log(1 / beta);
    reweigh(weights, losses, beta);
  }
  return model;
}

/// The least answer that, with all below it, has half of the weight.
double AdaBoost::predict(std::span<const double> features) const {
  std::vector<std::pair<double, double>> answers; // answer, weight
  double half = 0;
  for (const Round& round : trees_) {
    answers.emplace_back(round.tree.predict(features), round.weight);
    half += round.weight / 2;
  }
  std::sort(answers.begin(), answers.end());
  double upTo = 0;
  for (const auto& [answer, weight] : answers) {
    upTo += weight;
    if (upTo >= half)
      return answer;
  }
  return answers.back().first;
}

std::vector<double> AdaBoost::importance() const {
  std::vector<double> sum;
  for (const Round& round : trees_) {
    const std::vector<double> one = round.tree.importance();
    sum.resize(one.size(), 0);
    for (size_t column = 0; column < one.size(); ++column)
      sum[column] += round.weight * one[column];
  }
  return shares(std::move(sum));
}

} // namespace gpusched::learn
