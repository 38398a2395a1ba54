// LinearRegression.cpp - standardise, decompose, solve.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hestenes: rotating pairs of columns of A until all are orthogonal gives A V = U S, so column j of
// the result is a_j = s_j u_j, and the least-norm solution of A x = y is
//     x = sum over j of v_j (a_j . y) / s_j^2,   s_j = |a_j|, without the s_j that count as 0.
#include "rt/learn/LinearRegression.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace gpusched::learn {
namespace {

using Column = std::vector<double>;

constexpr int kMaxSweeps = 60;        // about ten are needed
constexpr double kOrthogonal = 1e-15; // cosine of two columns
constexpr double kNoColumn = 1e-12;   // of the norm of all: only rounding is left of it
constexpr double kNoSingular = 1e-6;  // of the largest singular value

double dot(const Column& left, const Column& right) {
  return std::inner_product(left.begin(), left.end(), right.begin(), 0.0);
}

/// A column of mean 0 and variance 1, and what it was; deviation 0 where the column is constant.
struct Standardised {
  double mean = 0;
  double deviation = 0;
  Column values;
};

Standardised standardise(Column values) {
  const double rows = double(values.size());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most)
    return {.mean = *least, .deviation = 0, .values = Column(values.size(), 0)};
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / rows;
  for (double& value : values)
    value -= mean;
  const double deviation = std::sqrt(dot(values, values) / rows);
  for (double& value : values)
    value /= deviation;
  return {.mean = mean, .deviation = deviation, .values = std::move(values)};
}

std::vector<Standardised> standardisedColumns(const Table& table) {
  std::vector<Standardised> columns;
  for (size_t column = 0; column < table.columns(); ++column) {
    Column values(table.rows());
    for (size_t row = 0; row < table.rows(); ++row)
      values[row] = table.at(row, column);
    columns.push_back(standardise(std::move(values)));
  }
  return columns;
}

void rotate(Column& left, Column& right, double cosine, double sine) {
  for (size_t index = 0; index < left.size(); ++index) {
    const double was = left[index];
    left[index] = cosine * was - sine * right[index];
    right[index] = sine * was + cosine * right[index];
  }
}

/// Makes two columns of `a` orthogonal, and does the same to `v`. False: they already were.
bool orthogonalise(std::vector<Column>& a, std::vector<Column>& v, size_t p, size_t q,
                   double leastNorm2) {
  const double norm2P = dot(a[p], a[p]), norm2Q = dot(a[q], a[q]), product = dot(a[p], a[q]);
  if (std::min(norm2P, norm2Q) <= leastNorm2 ||
      std::fabs(product) <= kOrthogonal * std::sqrt(norm2P * norm2Q))
    return false;
  const double zeta = (norm2Q - norm2P) / (2 * product);
  const double tangent = std::copysign(1 / (std::fabs(zeta) + std::hypot(1, zeta)), zeta);
  const double cosine = 1 / std::hypot(1, tangent);
  rotate(a[p], a[q], cosine, cosine * tangent);
  rotate(v[p], v[q], cosine, cosine * tangent);
  return true;
}

/// A becomes U S; returns V.
std::vector<Column> decompose(std::vector<Column>& a) {
  std::vector<Column> v(a.size(), Column(a.size(), 0));
  double norm2 = 0;
  for (size_t p = 0; p < a.size(); ++p) {
    v[p][p] = 1;
    norm2 += dot(a[p], a[p]);
  }
  const double leastNorm2 = kNoColumn * kNoColumn * norm2;
  bool turned = true;
  for (int sweep = 0; turned && sweep < kMaxSweeps; ++sweep) {
    turned = false;
    for (size_t p = 0; p < a.size(); ++p)
      for (size_t q = p + 1; q < a.size(); ++q)
        turned |= orthogonalise(a, v, p, q, leastNorm2);
  }
  return v;
}

/// The x of least norm with the least |A x - y|.
Column leastSquares(std::vector<Column> a, const Column& y) {
  const std::vector<Column> v = decompose(a);
  double largest = 0;
  for (const Column& column : a)
    largest = std::max(largest, std::sqrt(dot(column, column)));
  Column x(a.size(), 0);
  for (size_t j = 0; j < a.size(); ++j) {
    const double norm2 = dot(a[j], a[j]);
    if (std::sqrt(norm2) <= kNoSingular * largest)
      continue;
    const double along = dot(a[j], y) / norm2;
    for (size_t index = 0; index < x.size(); ++index)
      x[index] += along * v[j][index];
  }
  return x;
}

} // namespace

Result<LinearRegression> LinearRegression::fit(const Table& table) {
  if (Status status = checkRows(table); !status)
    return status;
  std::vector<Standardised> columns = standardisedColumns(table);
  std::vector<Column> a;
  for (Standardised& column : columns)
    a.push_back(std::move(column.values));
  Column y(table.targets().begin(), table.targets().end());
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / double(y.size());
  for (double& target : y)
    target -= mean;

  LinearRegression model;
  model.coefficients_ = leastSquares(std::move(a), y);
  model.intercept_ = mean;
  for (size_t column = 0; column < columns.size(); ++column) {
    double& coefficient = model.coefficients_[column];
    model.importance_.push_back(std::fabs(coefficient));
    coefficient = columns[column].deviation > 0 ? coefficient / columns[column].deviation : 0;
    model.intercept_ -= coefficient * columns[column].mean;
  }
  model.importance_ = shares(std::move(model.importance_));
  return model;
}

double LinearRegression::predict(std::span<const double> features) const {
  assert(features.size() == coefficients_.size());
  return std::inner_product(features.begin(), features.end(), coefficients_.begin(), intercept_);
}

} // namespace gpusched::learn
