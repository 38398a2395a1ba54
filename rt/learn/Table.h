// Table.h - rows of features, each with the target to be learnt.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What enters is checked here, once: every row has the table's number of columns and every number
// is finite. A model fitted to a table need not look again. Row-major. A value: safe to read from
// many threads, no locks.
#pragma once

#include "rt/support/Result.h"

#include <cstddef>
#include <span>
#include <vector>

namespace gpusched::learn {

class Table {
public:
  explicit Table(size_t columns) : columns_(columns) {}

  /// Error: another number of columns, or a number that is not finite. Nothing is added then.
  Status add(std::span<const double> features, double target);

  size_t rows() const { return targets_.size(); }
  size_t columns() const { return columns_; }
  /// REQUIRES: index < rows(). Valid until the next add().
  std::span<const double> row(size_t index) const {
    return std::span(features_).subspan(index * columns_, columns_);
  }
  double at(size_t row, size_t column) const { return features_[row * columns_ + column]; }
  double target(size_t row) const { return targets_[row]; }
  std::span<const double> targets() const { return targets_; }

  /// The rows named, in that order; one may be named often. REQUIRES: each < rows().
  Table selectRows(std::span<const size_t> rows) const;
  /// The columns named, in that order. REQUIRES: each < columns().
  Table selectColumns(std::span<const size_t> columns) const;

private:
  size_t columns_;
  std::vector<double> features_; // rows x columns
  std::vector<double> targets_;
};

/// The numbers at `indices`, in that order: a row as selectColumns() would have it.
std::vector<double> select(std::span<const double> numbers, std::span<const size_t> indices);

} // namespace gpusched::learn
