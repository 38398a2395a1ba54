// LocalMilp.cpp - P1/P2, family by family.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/capacity/LocalMilp.h"

#include "rt/capacity/GreedyPlan.h"

namespace gpusched::capacity {

LocalMilp::LocalMilp(const LocalProblem& problem)
    : problem_(problem), types_(problem.types->size()) {
  addChoices();
  addStates();
  linkNodes();
  linkPlacements();
  linkTardiness();
  linkPrices();
  linkFirst();
}

/// Returns the first.
size_t LocalMilp::addColumns(size_t count, bool binary, double cost) {
  const size_t first = model_.columns.size();
  for (size_t i = 0; i < count; ++i)
    model_.addColumn(binary, cost);
  return first;
}

/// x_jnvg, with the GPUs that it keeps from being idle.
void LocalMilp::addChoices() {
  for (size_t job = 0; job < problem_.jobs.size(); ++job)
    for (size_t node = 0; node < problem_.nodes; ++node)
      for (size_t type = 0; type < types_; ++type)
        for (size_t gpus = 1; gpus <= (*problem_.types)[type].gpus; ++gpus)
          if (problem_.seconds(job, type, gpus) != kNever) {
            choices_.push_back({job, node, type, gpus});
            model_.addColumn(true, problem_.usd(job, type, gpus) -
                                       problem_.weights.usdPerIdleGpu * double(gpus));
          }
}

void LocalMilp::addStates() {
  const size_t jobs = problem_.jobs.size(), nodes = problem_.nodes;
  used_ = addColumns(nodes, true, 0);
  hosts_ = addColumns(nodes * types_, true, 0);
  for (size_t node = 0; node < nodes; ++node)
    for (size_t type = 0; type < types_; ++type)
      model_.columns[hosts(node, type)].cost =
          problem_.weights.usdPerIdleGpu * double((*problem_.types)[type].gpus);
  runs_ = addColumns(jobs, true, 0);
  first_ = addColumns(jobs * nodes, true, 0);
  late_ = addColumns(jobs, false, 0);
  lateLater_ = addColumns(jobs, false, 0);
  for (size_t job = 0; job < jobs; ++job) {
    const double weight = problem_.jobs[job].job->usdPerLateSecond;
    model_.columns[late(job)].cost = weight;
    model_.columns[lateLater(job)].cost = problem_.weights.postponed * weight;
  }
  price_ = addColumns(jobs * nodes, false, 0);
  firstPrice_ = addColumns(jobs * nodes, false, 0);
  nodePrice_ = addColumns(nodes, false, 1);
}

/// sum_n w_n = min(|N|, |J|); sum_v y_nv = w_n.
void LocalMilp::linkNodes() {
  const size_t all = model_.addRow(Relation::Equal, double(problem_.usedNodes()), {});
  for (size_t node = 0; node < problem_.nodes; ++node) {
    model_.rows[all].terms.push_back({used(node), 1});
    const size_t row = model_.addRow(Relation::Equal, 0, {{used(node), -1}});
    for (size_t type = 0; type < types_; ++type)
      model_.rows[row].terms.push_back({hosts(node, type), 1});
  }
}

/// sum_nvg x_jnvg = z_j; sum_g x_jnvg <= y_nv; sum_jg g x_jnvg <= s_v y_nv.
void LocalMilp::linkPlacements() {
  const size_t once = model_.rows.size();
  for (size_t job = 0; job < problem_.jobs.size(); ++job)
    model_.addRow(Relation::Equal, 0, {{runs(job), -1}});
  const size_t hosted = model_.rows.size();
  for (size_t job = 0; job < problem_.jobs.size(); ++job)
    for (size_t node = 0; node < problem_.nodes; ++node)
      for (size_t type = 0; type < types_; ++type)
        model_.addRow(Relation::AtMost, 0, {{hosts(node, type), -1}});
  const size_t room = model_.rows.size();
  for (size_t node = 0; node < problem_.nodes; ++node)
    for (size_t type = 0; type < types_; ++type)
      model_.addRow(Relation::AtMost, 0,
                    {{hosts(node, type), -double((*problem_.types)[type].gpus)}});
  for (size_t x = 0; x < choices_.size(); ++x) {
    const Placement& choice = choices_[x];
    const size_t place = choice.node * types_ + choice.type;
    model_.rows[once + choice.job].terms.push_back({x, 1});
    model_.rows[hosted + choice.job * problem_.nodes * types_ + place].terms.push_back({x, 1});
    model_.rows[room + place].terms.push_back({x, double(choice.gpus)});
  }
}

/// sum t_jvg x_jnvg <= d_j + theta_j; (H + M_j)(1 - z_j) <= d_j + thetahat_j.
void LocalMilp::linkTardiness() {
  const size_t tardy = model_.rows.size();
  for (size_t job = 0; job < problem_.jobs.size(); ++job)
    model_.addRow(Relation::AtMost, problem_.deadlineSeconds(job), {{late(job), -1}});
  for (size_t x = 0; x < choices_.size(); ++x) {
    const Placement& choice = choices_[x];
    model_.rows[tardy + choice.job].terms.push_back(
        {x, problem_.seconds(choice.job, choice.type, choice.gpus)});
  }
  for (size_t job = 0; job < problem_.jobs.size(); ++job) {
    const double worst = problem_.horizonSeconds + problem_.worstSeconds(job);
    model_.addRow(Relation::AtMost, problem_.deadlineSeconds(job) - worst,
                  {{runs(job), -worst}, {lateLater(job), -1}});
  }
}

/// sum_vg t_jvg c_v x_jnvg <= pi_jn; alpha_jn <= sum_vg x_jnvg.
void LocalMilp::linkPrices() {
  const size_t prices = model_.rows.size();
  for (size_t job = 0; job < problem_.jobs.size(); ++job)
    for (size_t node = 0; node < problem_.nodes; ++node)
      model_.addRow(Relation::AtMost, 0, {{price(job, node), -1}});
  const size_t present = model_.rows.size();
  for (size_t job = 0; job < problem_.jobs.size(); ++job)
    for (size_t node = 0; node < problem_.nodes; ++node)
      model_.addRow(Relation::AtMost, 0, {{first(job, node), 1}});
  for (size_t x = 0; x < choices_.size(); ++x) {
    const Placement& choice = choices_[x];
    const size_t row = at(choice.job, choice.node);
    model_.rows[prices + row].terms.push_back(
        {x, problem_.seconds(choice.job, choice.type, choice.gpus) *
                (*problem_.types)[choice.type].usdPerSecond});
    model_.rows[present + row].terms.push_back({x, -1});
  }
}

/// sum_j alpha_jn = w_n; xi_n >= sum_j gamma_jn, where gamma_jn = alpha_jn pi_jn by three rows.
void LocalMilp::linkFirst() {
  for (size_t node = 0; node < problem_.nodes; ++node) {
    const size_t one = model_.addRow(Relation::Equal, 0, {{used(node), -1}});
    const size_t sum = model_.addRow(Relation::AtMost, 0, {{nodePrice(node), -1}});
    for (size_t job = 0; job < problem_.jobs.size(); ++job) {
      const size_t alpha = first(job, node), pi = price(job, node), gamma = firstPrice(job, node);
      const double largest = largestPrice(job);
      model_.rows[one].terms.push_back({alpha, 1});
      model_.rows[sum].terms.push_back({gamma, 1});
      model_.addRow(Relation::AtMost, 0, {{gamma, 1}, {pi, -1}});
      model_.addRow(Relation::AtMost, 0, {{gamma, 1}, {alpha, -largest}});
      model_.addRow(Relation::AtMost, largest, {{pi, 1}, {alpha, largest}, {gamma, -1}});
    }
  }
}

double LocalMilp::largestPrice(size_t job) const {
  double largest = 0;
  for (size_t type = 0; type < types_; ++type)
    for (size_t gpus = 1; gpus <= (*problem_.types)[type].gpus; ++gpus)
      if (const double seconds = problem_.seconds(job, type, gpus); seconds != kNever)
        largest = std::max(largest, seconds * (*problem_.types)[type].usdPerSecond);
  return largest;
}

std::vector<Placement> LocalMilp::placements(const std::vector<double>& values) const {
  std::vector<Placement> chosen;
  for (size_t x = 0; x < choices_.size(); ++x)
    if (values[x] > 0.5)
      chosen.push_back(choices_[x]);
  return chosen;
}

namespace {

/// `why` the MILP has no plan.
Result<LocalPlan> fallBack(const LocalProblem& problem, const std::string& why) {
  Result<LocalPlan> plan = planGreedily(problem);
  if (plan)
    plan->why = "the MILP of " + std::to_string(problem.jobs.size()) + " jobs on " +
                std::to_string(problem.nodes) + " nodes has no plan (" + why +
                "), so jobs are placed greedily; allow more time, or make more queues";
  return plan;
}

} // namespace

Result<LocalPlan> planByMilp(const LocalProblem& problem, const MilpLimits& limits) {
  if (Status status = checkProblem(problem); !status)
    return status;
  if (problem.jobs.empty())
    return LocalPlan{{}, PlanOrigin::Milp, ""};
  const LocalMilp milp(problem);
  const MilpSolution solution = solve(milp.model(), limits);
  if (solution.values.empty())
    return fallBack(problem, solution.why);
  LocalPlan plan{milp.placements(solution.values),
                 solution.status == MilpStatus::WithinGap ? PlanOrigin::Milp
                                                          : PlanOrigin::MilpUnfinished,
                 solution.why};
  // What rounding could break.
  if (const Status status = checkPlan(problem, plan); !status)
    return fallBack(problem, status.message());
  return plan;
}

} // namespace gpusched::capacity
