// Scores.h - how far predictions are from the truth.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions as in sklearn.metrics. All functions REQUIRE as many predictions as truths, and one
// at least. A label is 1 where the number is above 0.5, else 0. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace gpusched::learn {

double meanSquaredError(std::span<const double> truth, std::span<const double> predicted);

/// R2, the share of the truth's variance that is explained; below 0 when worse than its mean. Where
/// the truth is constant: 1 if met exactly, else 0.
double determination(std::span<const double> truth, std::span<const double> predicted);

inline constexpr double kLabelThreshold = 0.5;
inline int labelOf(double number) {
  return number > kLabelThreshold ? 1 : 0;
}

/// One class. Each is 0 where it would divide by 0.
struct ClassScore {
  double precision = 0; // of those predicted, the share that is of the class
  double recall = 0;    // of those of the class, the share predicted
  double f1 = 0;        // harmonic mean of both
  size_t rows = 0;      // of the class
};

struct LabelScore {
  double accuracy = 0;
  std::array<ClassScore, 2> classes; // by label
};

LabelScore labelScore(std::span<const double> truth, std::span<const double> predicted);

/// 1 - accuracy.
double errorRate(std::span<const double> truth, std::span<const double> predicted);

} // namespace gpusched::learn
