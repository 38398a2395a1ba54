// LocalMilp.h - a local problem as a mixed-integer linear program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: spec/hierarchical-milp.md, "MILP of queue k" (P1/P2) with its linearisation. Columns have
// the document's letters beside them. The document's rows, and what became of them:
//
//   sum_v y_nv = w_n                           as it is
//   x_jnvg <= y_nv                             summed over g: a job has one g
//   x_jnvg <= z_j; sum_vg x_jnvg <= w_n        follow from rows above and below, so left out
//   sum_nvg x_jnvg = z_j                       as it is
//   sum_jg g x_jnvg <= s_v                     its tight form, <= s_v y_nv
//   sum t_jvg x_jnvg <= d_j + theta_j          as it is
//   (H + M_j)(1 - z_j) <= d_j + thetahat_j     as it is
//   sum_vg t_jvg c_v x_jnvg <= pi_jn           as it is
//   sum_j alpha_jn = w_n                       as it is
//   alpha_jn <= z_j                            <= sum_vg x_jnvg
//   sum_n w_n = min(|N_k|, |J_k|)              as it is
//   gamma_jn, xi_n                             as they are
//   sum_j z_j <= s_v                           left out: does not match its prose (p1e)
//
// As printed, alpha_jn <= z_j lets a job that runs on another node be the first to finish on node
// n. Its pi_jn is 0, so that xi_n, the price of the node until then, would vanish and a used node
// could be empty. Hence the job must be on the node.
//
// M_j is the job's longest time, Mhat_j its largest t_jvg c_v; the text names no values. A deadline
// that has passed makes thetahat_j at least what it passed by, whether the job runs or not: the
// objective has a constant more, and the gap is of the larger number.
//
// Size: about J N (sum of s_v) binary columns, J N (V + 5) rows.
#pragma once

#include "rt/capacity/LocalProblem.h"
#include "rt/capacity/Milp.h"

namespace gpusched::capacity {

class LocalMilp {
public:
  /// REQUIRES: checkProblem(problem) is good, and the problem lives longer.
  explicit LocalMilp(const LocalProblem& problem);

  const MilpModel& model() const { return model_; }
  /// x_jnvg, of each possible placement; its column is its index here.
  const std::vector<Placement>& choices() const { return choices_; }
  /// w_n
  size_t used(size_t node) const { return used_ + node; }
  /// y_nv
  size_t hosts(size_t node, size_t type) const { return hosts_ + node * types_ + type; }
  /// z_j
  size_t runs(size_t job) const { return runs_ + job; }
  /// alpha_jn
  size_t first(size_t job, size_t node) const { return first_ + at(job, node); }
  /// theta_j
  size_t late(size_t job) const { return late_ + job; }
  /// thetahat_j
  size_t lateLater(size_t job) const { return lateLater_ + job; }
  /// pi_jn
  size_t price(size_t job, size_t node) const { return price_ + at(job, node); }
  /// gamma_jn
  size_t firstPrice(size_t job, size_t node) const { return firstPrice_ + at(job, node); }
  /// xi_n
  size_t nodePrice(size_t node) const { return nodePrice_ + node; }

  /// REQUIRES: values of a solution.
  std::vector<Placement> placements(const std::vector<double>& values) const;

private:
  size_t at(size_t job, size_t node) const { return job * problem_.nodes + node; }
  size_t addColumns(size_t count, bool binary, double cost);
  void addChoices();
  void addStates();
  void linkNodes();
  void linkPlacements();
  void linkTardiness();
  void linkPrices();
  void linkFirst();
  double largestPrice(size_t job) const; // Mhat_j

  const LocalProblem& problem_;
  size_t types_;
  MilpModel model_;
  std::vector<Placement> choices_;
  size_t used_ = 0, hosts_ = 0, runs_ = 0, first_ = 0, late_ = 0, lateLater_ = 0, price_ = 0,
         firstPrice_ = 0, nodePrice_ = 0;
};

/// The plan of the MILP. Where the solver fails or finds nothing in its time: GreedyPlan.h's, and
/// `why`. Error: checkProblem's.
Result<LocalPlan> planByMilp(const LocalProblem& problem, const MilpLimits& limits);

} // namespace gpusched::capacity
