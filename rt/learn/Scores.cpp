// Scores.cpp - the definitions, written out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/learn/Scores.h"

#include <cassert>
#include <numeric>

namespace gpusched::learn {
namespace {

double quotient(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

double squaredError(std::span<const double> truth, std::span<const double> predicted) {
  assert(truth.size() == predicted.size() && !truth.empty());
  double sum = 0;
  for (size_t row = 0; row < truth.size(); ++row)
    sum += (truth[row] - predicted[row]) * (truth[row] - predicted[row]);
  return sum;
}

ClassScore classScore(std::span<const double> truth, std::span<const double> predicted, int label) {
  ClassScore score;
  size_t predictedRows = 0, met = 0;
  for (size_t row = 0; row < truth.size(); ++row) {
    const bool is = labelOf(truth[row]) == label, said = labelOf(predicted[row]) == label;
    score.rows += is;
    predictedRows += said;
    met += is && said;
  }
  score.precision = quotient(double(met), double(predictedRows));
  score.recall = quotient(double(met), double(score.rows));
  score.f1 = quotient(2 * score.precision * score.recall, score.precision + score.recall);
  return score;
}

} // namespace

double meanSquaredError(std::span<const double> truth, std::span<const double> predicted) {
  return squaredError(truth, predicted) / double(truth.size());
}

double determination(std::span<const double> truth, std::span<const double> predicted) {
  const double mean = std::accumulate(truth.begin(), truth.end(), 0.0) / double(truth.size());
  double total = 0;
  for (double number : truth)
    total += (number - mean) * (number - mean);
  const double error = squaredError(truth, predicted);
  if (total == 0)
    return error == 0 ? 1 : 0;
  return 1 - error / total;
}

LabelScore labelScore(std::span<const double> truth, std::span<const double> predicted) {
  return {.accuracy = 1 - errorRate(truth, predicted),
          .classes = {classScore(truth, predicted, 0), classScore(truth, predicted, 1)}};
}

double errorRate(std::span<const double> truth, std::span<const double> predicted) {
  assert(truth.size() == predicted.size() && !truth.empty());
  size_t wrong = 0;
  for (size_t row = 0; row < truth.size(); ++row)
    wrong += labelOf(truth[row]) != labelOf(predicted[row]);
  return double(wrong) / double(truth.size());
}

} // namespace gpusched::learn
