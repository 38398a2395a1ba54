// Milp.cpp - a model to GLPK and back; nothing else includes glpk.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two steps: simplex on the relaxation, then branch and cut from there. glp_intopt's own presolver
// would do the first step, too, but without a time limit.
#include "rt/capacity/Milp.h"

#include <glpk.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace gpusched::capacity {
namespace {

struct DeleteProblem {
  void operator()(glp_prob* problem) const { glp_delete_prob(problem); }
};
using Problem = std::unique_ptr<glp_prob, DeleteProblem>;

/// GLPK prints unless told not to; as it was before when this goes.
class Quiet {
public:
  Quiet() : before_(glp_term_out(GLP_OFF)) {}
  ~Quiet() { glp_term_out(before_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

private:
  int before_;
};

// GLPK counts rows and columns from 1, and so do its arrays.

void addColumns(glp_prob* problem, const MilpModel& model) {
  if (model.columns.empty())
    return;
  glp_add_cols(problem, int(model.columns.size()));
  for (size_t i = 0; i < model.columns.size(); ++i) {
    const int column = int(i) + 1;
    glp_set_col_bnds(problem, column, GLP_LO, 0, 0);
    if (model.columns[i].binary)
      glp_set_col_kind(problem, column, GLP_BV);
    glp_set_obj_coef(problem, column, model.columns[i].cost);
  }
}

void addRows(glp_prob* problem, const MilpModel& model) {
  if (model.rows.empty())
    return;
  glp_add_rows(problem, int(model.rows.size()));
  std::vector<int> columns;
  std::vector<double> factors;
  for (size_t i = 0; i < model.rows.size(); ++i) {
    const Row& row = model.rows[i];
    columns.assign(1, 0), factors.assign(1, 0);
    for (const Term& term : row.terms)
      columns.push_back(int(term.column) + 1), factors.push_back(term.factor);
    glp_set_mat_row(problem, int(i) + 1, int(row.terms.size()), columns.data(), factors.data());
    glp_set_row_bnds(problem, int(i) + 1, row.relation == Relation::Equal ? GLP_FX : GLP_UP,
                     row.bound, row.bound);
  }
}

int milliseconds(double seconds) {
  return int(std::clamp(seconds * 1e3, 0.0, double(std::numeric_limits<int>::max())));
}

MilpSolution without(MilpStatus status, std::string why) {
  return {status, std::move(why), 0, {}};
}

/// An empty `why`: the relaxation is solved.
MilpSolution relax(glp_prob* problem, double seconds) {
  glp_smcp parameters;
  glp_init_smcp(&parameters);
  parameters.meth = GLP_DUALP;
  parameters.presolve = GLP_ON;
  parameters.tm_lim = milliseconds(seconds);
  const int code = glp_simplex(problem, &parameters);
  if (code == GLP_ETMLIM)
    return without(MilpStatus::TimeLimit, "no relaxation within the time limit");
  if (code == GLP_ENOPFS || code == GLP_ENODFS)
    return without(MilpStatus::Infeasible, "the relaxation has no solution");
  if (code != 0)
    return without(MilpStatus::Failed, "glp_simplex gave up with code " + std::to_string(code));
  if (glp_get_status(problem) != GLP_OPT)
    return without(MilpStatus::Infeasible, "the relaxation has no solution");
  return {};
}

MilpSolution valuesOf(glp_prob* problem, const MilpModel& model, MilpStatus status) {
  MilpSolution solution{status, "", glp_mip_obj_val(problem), {}};
  if (status == MilpStatus::TimeLimit)
    solution.why = "the time limit was met before the gap";
  for (size_t i = 0; i < model.columns.size(); ++i) {
    const double value = glp_mip_col_val(problem, int(i) + 1);
    solution.values.push_back(model.columns[i].binary ? std::round(value) : value);
  }
  return solution;
}

MilpSolution branch(glp_prob* problem, const MilpModel& model, double gap, double seconds) {
  glp_iocp parameters;
  glp_init_iocp(&parameters);
  parameters.mip_gap = gap;
  parameters.tm_lim = milliseconds(seconds);
  const int code = glp_intopt(problem, &parameters);
  if (code != 0 && code != GLP_ETMLIM && code != GLP_EMIPGAP)
    return without(MilpStatus::Failed, "glp_intopt gave up with code " + std::to_string(code));
  const int status = glp_mip_status(problem);
  if (status == GLP_OPT || status == GLP_FEAS)
    return valuesOf(problem, model,
                    code == GLP_ETMLIM ? MilpStatus::TimeLimit : MilpStatus::WithinGap);
  if (code == GLP_ETMLIM)
    return without(MilpStatus::TimeLimit, "no solution within the time limit");
  return without(MilpStatus::Infeasible, "no solution has whole numbers");
}

} // namespace

MilpSolution solve(const MilpModel& model, const MilpLimits& limits) {
  if (!(limits.seconds > 0))
    return without(MilpStatus::TimeLimit, "the time limit is 0");
  const Quiet quiet;
  const double begin = glp_time();
  const Problem problem(glp_create_prob());
  addColumns(problem.get(), model);
  addRows(problem.get(), model);
  glp_scale_prob(problem.get(), GLP_SF_AUTO);
  MilpSolution relaxed = relax(problem.get(), limits.seconds);
  if (!relaxed.why.empty())
    return relaxed;
  const double used = glp_difftime(glp_time(), begin);
  return branch(problem.get(), model, limits.gap, limits.seconds - used);
}

} // namespace gpusched::capacity
