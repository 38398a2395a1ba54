// CrossValidation.h - predictions for rows that the model has not seen.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fold is the rows to fit to and the rows to predict; every row is predicted in exactly one fold.
// Scores are taken of all predictions together, which leave-one-out needs (no variance in one row).
// With folds of equal size that is scikit-learn's mean of per-fold MSE or accuracy, but not of R2.
//
// The folds here know nothing of groups: where rows share an application, a caller that wants to
// know how well a new application is predicted gives folds of its own.
//
// Deterministic; cost is one fit per fold. Pure.
#pragma once

#include "rt/learn/Model.h"

#include <cstdint>

namespace gpusched::learn {

/// Indices of rows.
struct Fold {
  std::vector<size_t> fit;
  std::vector<size_t> predict;
};

/// `folds` parts of a shuffled order, the first rows % folds of them one row longer.
/// Error: fewer than 2 folds, or fewer rows than folds.
Result<std::vector<Fold>> shuffledFolds(size_t rows, size_t folds, uint64_t seed = 0);

/// One fold for each row, in order. Error: fewer than 2 rows.
Result<std::vector<Fold>> leaveOneOut(size_t rows);

/// Error: a row that is predicted in no fold or in two, or an index past the rows.
Status checkFolds(size_t rows, std::span<const Fold> folds);

/// One prediction for each row of the table. Error: those of checkFolds() and of the learner.
Result<std::vector<double>> crossPredict(const Learner& learner, const Table& table,
                                         std::span<const Fold> folds);

} // namespace gpusched::learn
