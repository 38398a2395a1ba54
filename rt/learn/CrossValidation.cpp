// CrossValidation.cpp - dividing rows into folds, and going through them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/learn/CrossValidation.h"

#include "rt/learn/Random.h"

#include <numeric>
#include <string>

namespace gpusched::learn {
namespace {

Result<std::vector<Fold>> divide(const std::vector<size_t>& order, size_t folds) {
  if (folds < 2 || order.size() < folds)
    return Status::error("cannot divide " + std::to_string(order.size()) + " rows into " +
                         std::to_string(folds) +
                         " folds: each needs a row and others to fit to; ask for 2 folds up to as "
                         "many as there are rows");
  std::vector<Fold> divided;
  size_t begin = 0;
  for (size_t fold = 0; fold < folds; ++fold) {
    const size_t end = begin + order.size() / folds + (fold < order.size() % folds ? 1 : 0);
    Fold& one = divided.emplace_back();
    one.predict.assign(order.begin() + begin, order.begin() + end);
    one.fit.assign(order.begin(), order.begin() + begin);
    one.fit.insert(one.fit.end(), order.begin() + end, order.end());
    begin = end;
  }
  return divided;
}

std::vector<size_t> inOrder(size_t rows) {
  std::vector<size_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::string foldsOf(size_t rows) {
  return "the folds given for " + std::to_string(rows) + " rows ";
}

} // namespace

Result<std::vector<Fold>> shuffledFolds(size_t rows, size_t folds, uint64_t seed) {
  std::vector<size_t> order = inOrder(rows);
  Random(seed).shuffle(order);
  return divide(order, folds);
}

Result<std::vector<Fold>> leaveOneOut(size_t rows) {
  return divide(inOrder(rows), rows);
}

Status checkFolds(size_t rows, std::span<const Fold> folds) {
  std::vector<int> predicted(rows, 0);
  for (const Fold& fold : folds) {
    for (const std::vector<size_t>* side : {&fold.fit, &fold.predict})
      for (size_t row : *side)
        if (row >= rows)
          return Status::error(foldsOf(rows) + "name row " + std::to_string(row) +
                               "; make them for this table");
    for (size_t row : fold.predict)
      ++predicted[row];
  }
  for (size_t row = 0; row < rows; ++row)
    if (predicted[row] != 1)
      return Status::error(foldsOf(rows) + "predict row " + std::to_string(row) + " " +
                           std::to_string(predicted[row]) + " times; name every row once");
  return {};
}

Result<std::vector<double>> crossPredict(const Learner& learner, const Table& table,
                                         std::span<const Fold> folds) {
  if (Status status = checkFolds(table.rows(), folds); !status)
    return status;
  std::vector<double> predictions(table.rows());
  for (const Fold& fold : folds) {
    const Result<std::unique_ptr<Model>> model = learner(table.selectRows(fold.fit));
    if (!model)
      return model.status();
    for (size_t row : fold.predict)
      predictions[row] = (*model)->predict(table.row(row));
  }
  return predictions;
}

} // namespace gpusched::learn
