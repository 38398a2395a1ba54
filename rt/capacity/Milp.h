// Milp.h - a mixed-integer linear program as plain data, and its solution.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimise the sum of cost x column under the rows; all columns are >= 0. GLPK solves it, and only
// Milp.cpp knows so. GLPK is under the GPL, version 3 or later: whoever hands on a program that
// links this hands it on under those terms.
//
// Same model, same values, unless the time limit is met. Cost: exponential in the binary columns at
// worst. Thread-safety: solve() keeps nothing; GLPK's state is of one thread.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gpusched::capacity {

struct Column {
  bool binary = false; // else real
  double cost = 0;
};

struct Term {
  size_t column = 0;
  double factor = 0;
};

enum class Relation { AtMost, Equal };

/// The sum of factor x column, beside `bound`. A column at most once.
struct Row {
  Relation relation = Relation::AtMost;
  double bound = 0;
  std::vector<Term> terms;
};

struct MilpModel {
  std::vector<Column> columns;
  std::vector<Row> rows;

  size_t addColumn(bool binary, double cost) {
    columns.push_back({binary, cost});
    return columns.size() - 1;
  }
  size_t addRow(Relation relation, double bound, std::vector<Term> terms) {
    rows.push_back({relation, bound, std::move(terms)});
    return rows.size() - 1;
  }
};

struct MilpLimits {
  /// The solution is good enough when (objective - bound) / objective is below. The document's.
  double gap = 0.2;
  double seconds = 10; // of the solver's clock; ours. 0: no search at all
};

enum class MilpStatus {
  WithinGap,
  TimeLimit,  // values: the best found so far; none when none was
  Infeasible, // the rows contradict each other, or bound nothing
  Failed      // the solver gave up
};

struct MilpSolution {
  MilpStatus status = MilpStatus::Failed;
  std::string why;            // unless WithinGap
  double objective = 0;       // with values
  std::vector<double> values; // by column; binary ones are 0 or 1
};

MilpSolution solve(const MilpModel& model, const MilpLimits& limits);

} // namespace gpusched::capacity
