// Model.cpp - what every kind of model checks and reports alike.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/learn/Model.h"

#include <numeric>

namespace gpusched::learn {

Status checkRows(const Table& table) {
  if (table.rows() == 0)
    return Status::error(
        "there is nothing to learn from: the table has no rows; measure some first");
  return {};
}

std::vector<double> shares(std::vector<double> amounts) {
  const double all = std::accumulate(amounts.begin(), amounts.end(), 0.0);
  if (all > 0)
    for (double& amount : amounts)
      amount /= all;
  return amounts;
}

} // namespace gpusched::learn
