// FeatureElimination.cpp - one way down for each fold, one for the whole table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/learn/FeatureElimination.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace gpusched::learn {
namespace {

using Columns = std::vector<size_t>;
using Visit = std::function<void(const Columns&, const Model&)>;

size_t leastImportant(const Model& model) {
  const std::vector<double> importance = model.importance();
  size_t least = 0;
  for (size_t index = 1; index < importance.size(); ++index)
    if (importance[index] <= importance[least])
      least = index;
  return least;
}

/// Drops columns until `keep` are left and returns them; `visit` sees every model on the way.
Result<Columns> eliminate(const Learner& learner, const Table& table, size_t keep,
                          const Visit& visit) {
  Columns columns(table.columns());
  std::iota(columns.begin(), columns.end(), 0);
  while (true) {
    const Result<std::unique_ptr<Model>> model = learner(table.selectColumns(columns));
    if (!model)
      return model.status();
    visit(columns, **model);
    if (columns.size() == keep)
      return columns;
    columns.erase(columns.begin() + leastImportant(**model));
  }
}

/// [count - 1][row]: predictions by models with so many columns.
using PredictionsByCount = std::vector<std::vector<double>>;

Status predictFold(const Learner& learner, const Table& table, const Fold& fold,
                   PredictionsByCount& predictions) {
  return eliminate(learner, table.selectRows(fold.fit), 1,
                   [&](const Columns& columns, const Model& model) {
                     for (size_t row : fold.predict)
                       predictions[columns.size() - 1][row] =
                           model.predict(select(table.row(row), columns));
                   })
      .status();
}

} // namespace

Result<Elimination> eliminateFeatures(const Learner& learner, const Table& table,
                                      std::span<const Fold> folds, Loss loss) {
  if (table.columns() == 0)
    return Status::error("the table has no columns to choose from; give it features");
  if (Status status = checkRows(table); !status)
    return status;
  if (Status status = checkFolds(table.rows(), folds); !status)
    return status;
  PredictionsByCount predictions(table.columns(), std::vector<double>(table.rows()));
  for (const Fold& fold : folds)
    if (Status status = predictFold(learner, table, fold, predictions); !status)
      return status;

  Elimination found;
  for (const std::vector<double>& predicted : predictions)
    found.lossByCount.push_back(loss(table.targets(), predicted));
  const auto least = std::min_element(found.lossByCount.begin(), found.lossByCount.end());
  const size_t keep = size_t(least - found.lossByCount.begin()) + 1;

  Columns before;
  const Visit noteDropped = [&](const Columns& columns, const Model&) {
    std::set_difference(before.begin(), before.end(), columns.begin(), columns.end(),
                        std::back_inserter(found.dropped));
    before = columns;
  };
  Result<Columns> kept = eliminate(learner, table, keep, noteDropped);
  if (!kept)
    return kept.status();
  found.columns = std::move(*kept);
  return found;
}

} // namespace gpusched::learn
