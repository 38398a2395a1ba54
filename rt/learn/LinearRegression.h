// LinearRegression.h - least squares with an intercept.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns are brought to mean 0 and variance 1, a constant one is left out, and the least-squares
// coefficients come from a singular value decomposition. Where several fit equally well (columns
// that depend on each other, fewer rows than columns) it is those of least norm in that scale, so
// the units of a column do not matter. Singular values below 1e-6 of the largest count as 0, as in
// scikit-learn. Agrees with its StandardScaler before LinearRegression, and with LinearRegression
// alone where the solution is unique.
//
// Method: one-sided Jacobi (M. Hestenes 1958). Cost: rows x columns^2 for each of about ten sweeps;
// 5000 x 30 takes a tenth of a second or less.
#pragma once

#include "rt/learn/Model.h"

namespace gpusched::learn {

class LinearRegression final : public Model {
public:
  /// Error: no rows.
  static Result<LinearRegression> fit(const Table& table);

  double predict(std::span<const double> features) const override;
  /// |coefficient| x standard deviation of the column.
  std::vector<double> importance() const override { return importance_; }

  double intercept() const { return intercept_; }
  const std::vector<double>& coefficients() const { return coefficients_; }

private:
  double intercept_ = 0;
  std::vector<double> coefficients_;
  std::vector<double> importance_;
};

} // namespace gpusched::learn
