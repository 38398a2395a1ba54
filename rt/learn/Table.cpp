// Table.cpp - the one check of what enters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/learn/Table.h"

#include <cassert>
#include <cmath>
#include <string>

namespace gpusched::learn {

Status Table::add(std::span<const double> features, double target) {
  const std::string where = "row " + std::to_string(rows()) + " of the table";
  if (features.size() != columns_)
    return Status::error(where + " has " + std::to_string(features.size()) +
                         " features where the table has " + std::to_string(columns_) +
                         " columns; give every row the same features");
  for (size_t column = 0; column < columns_; ++column)
    if (!std::isfinite(features[column]))
      return Status::error(where + ", column " + std::to_string(column) + " is " +
                           std::to_string(features[column]) +
                           ", a value that was not measured; leave the row or the column out");
  if (!std::isfinite(target))
    return Status::error(where + ": the target is " + std::to_string(target) +
                         ", a value that was not measured; leave the row out");
  features_.insert(features_.end(), features.begin(), features.end());
  targets_.push_back(target);
  return {};
}

Table Table::selectRows(std::span<const size_t> rows) const {
  Table selected(columns_);
  selected.features_.reserve(rows.size() * columns_);
  for (size_t index : rows) {
    const std::span<const double> features = row(index);
    selected.features_.insert(selected.features_.end(), features.begin(), features.end());
  }
  selected.targets_ = select(targets_, rows);
  return selected;
}

Table Table::selectColumns(std::span<const size_t> columns) const {
  Table selected(columns.size());
  selected.features_.reserve(rows() * columns.size());
  for (size_t index = 0; index < rows(); ++index)
    for (size_t column : columns)
      selected.features_.push_back(at(index, column));
  selected.targets_ = targets_;
  return selected;
}

std::vector<double> select(std::span<const double> numbers, std::span<const size_t> indices) {
  std::vector<double> selected;
  selected.reserve(indices.size());
  for (size_t index : indices) {
    assert(index < numbers.size());
    selected.push_back(numbers[index]);
  }
  return selected;
}

} // namespace gpusched::learn
