// Metrics.cpp - one loop over the jobs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/sim/Metrics.h"

#include <algorithm>

namespace gpusched::sim {

Metrics metricsOf(Simulator& simulator, const std::vector<Job>& jobs, const Run& run,
                  double idleWatts) {
  Metrics metrics;
  if (jobs.empty())
    return metrics;
  double aloneSum = 0, least = 0, largest = 0, joules = idleWatts * run.makespanUs * 1e-6;
  double firstArrival = jobs.front().arrivalUs;
  bool powerKnown = idleWatts > 0;
  const int32_t highest =
      std::max_element(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) {
        return a.priority < b.priority;
      })->priority;
  double urgentJobs = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const JobRun& job = run.jobs[i];
    double alone = simulator.aloneUs(jobs[i].kernel);
    double speedup = alone / (job.endUs - job.startUs);
    double turnaround = job.endUs - jobs[i].arrivalUs;
    aloneSum += alone;
    metrics.antt += 1 / speedup;
    metrics.anttQueued += turnaround / alone;
    metrics.stp += alone / turnaround;
    if (jobs[i].priority == highest)
      metrics.urgent += turnaround / alone, ++urgentJobs;
    metrics.meanJctUs += turnaround;
    least = i ? std::min(least, speedup) : speedup;
    largest = std::max(largest, speedup);
    firstArrival = std::min(firstArrival, jobs[i].arrivalUs);
    const SimKernel& kernel = simulator.kernels()[jobs[i].kernel];
    powerKnown = powerKnown && kernel.watts > 0;
    joules += kernel.watts * alone * 1e-6;
  }
  double count = double(jobs.size());
  metrics.makespanUs = run.makespanUs - firstArrival;
  metrics.weightedSpeedup = aloneSum / metrics.makespanUs;
  metrics.antt /= count;
  metrics.anttQueued /= count;
  metrics.meanJctUs /= count;
  metrics.urgent /= urgentJobs;
  metrics.fairness = least / largest;
  if (powerKnown)
    metrics.energyJoules = joules - idleWatts * firstArrival * 1e-6;
  return metrics;
}

} // namespace gpusched::sim
