// GreedyPlan.h - a plan without a solver: by deadline, each job where it is cheapest in time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ours; what a queue falls back on when the solver has no plan in time, and what the MILP has to
// beat. As many jobs as there are nodes open a node each: of all VM types and numbers of GPUs with
// which the job meets its deadline the cheapest, and of equally cheap ones the largest VM, whose
// other GPUs are for others; where it meets it nowhere, the fastest. The jobs after these take GPUs
// that are left, by the same rule, or wait. Cost: jobs x nodes x (VM type, number of GPUs).
#pragma once

#include "rt/capacity/LocalProblem.h"

namespace gpusched::capacity {

/// Error: checkProblem's.
Result<LocalPlan> planGreedily(const LocalProblem& problem);

} // namespace gpusched::capacity
