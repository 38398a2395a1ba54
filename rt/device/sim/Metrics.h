// Metrics.h - how good a schedule is, in the field's usual figures.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   weighted speedup  sum of times alone / makespan        the thesis' (spec/kscheduler.md); with
//                     arrivals over time a gap in the work counts as the schedule's
//   ANTT              mean of (end - start) / alone        the thesis': serial is 1
//   ANTT, queued      mean of (end - arrival) / alone      Eyerman and Eeckhout 2008, with waiting
//   STP               sum of alone / (end - arrival)
//   urgent            ANTT, queued, of the jobs of the highest priority
//   fairness          least / largest of alone / (end - start)
//   JCT               mean of end - arrival
//   energy            idle watts * makespan + sum of watts * alone: the work's own energy does not
//                     depend on when it is done. Only where all of these are known.
#pragma once

#include "rt/device/sim/Simulator.h"

#include <optional>

namespace gpusched::sim {

struct Metrics {
  double weightedSpeedup = 0, antt = 0, anttQueued = 0, stp = 0, fairness = 0;
  double makespanUs = 0, meanJctUs = 0;
  double urgent = 0;
  std::optional<double> energyJoules;
};

Metrics metricsOf(Simulator& simulator, const std::vector<Job>& jobs, const Run& run,
                  double idleWatts = 0);

} // namespace gpusched::sim
