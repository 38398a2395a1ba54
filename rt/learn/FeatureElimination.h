// FeatureElimination.h - the columns worth keeping: recursive elimination with cross-validation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: I. Guyon et al. 2002; scikit-learn's RFECV. Elimination fits, drops the column of least
// importance (of equal ones the last), and goes on until one is left. It is done in every fold,
// which scores each number of columns on rows not fitted to; then once on the whole table down to
// the number that lost least. Of numbers that lose the same the smallest wins.
//
// Cost: (folds + 1) x columns fits. Pure; deterministic when the learner is.
#pragma once

#include "rt/learn/CrossValidation.h"

namespace gpusched::learn {

/// Of truth and prediction, smaller is better: meanSquaredError, errorRate (Scores.h).
using Loss = double (*)(std::span<const double> truth, std::span<const double> predicted);

struct Elimination {
  std::vector<size_t> columns;     // kept, ascending
  std::vector<size_t> dropped;     // the first dropped first
  std::vector<double> lossByCount; // [count - 1], of all folds' predictions with so many columns
};

/// Error: no columns or no rows, and those of crossPredict().
Result<Elimination> eliminateFeatures(const Learner& learner, const Table& table,
                                      std::span<const Fold> folds, Loss loss);

} // namespace gpusched::learn
