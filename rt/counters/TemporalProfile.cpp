// TemporalProfile.cpp - counters to metrics, bin by bin.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/counters/TemporalProfile.h"

#include "rt/counters/MetricTable.h"

#include <map>
#include <tuple>

namespace gpusched {
namespace {

using Key = std::tuple<std::string, uint32_t, uint64_t>;

struct Sampled {
  KernelMeasurement kernel;
  std::map<std::string, std::vector<double>> counters;
};

std::vector<double> combine(const TemporalMetric& metric, const std::vector<double>& first,
                            const std::vector<double>* second) {
  std::vector<double> values = first;
  for (size_t i = 0; i < values.size(); ++i)
    values[i] *= metric.factor * (second && i < second->size() ? (*second)[i] : 1);
  return values;
}

void addSeries(KernelMeasurement& kernel, const Sampled& sampled, const TemporalMetric& metric) {
  auto first = sampled.counters.find(metric.counter);
  auto second = sampled.counters.find(metric.second);
  if (first == sampled.counters.end() ||
      (!metric.second.empty() && second == sampled.counters.end()))
    return;
  kernel.series.push_back(
      {metric.name, metric.second.empty() ? metric.counter : metric.counter + " * " + metric.second,
       metric.exact,
       combine(metric, first->second, metric.second.empty() ? nullptr : &second->second)});
}

} // namespace

MeasurementFile temporalProfile(const std::vector<MeasurementFile>& files) {
  MeasurementFile profile;
  std::map<Key, Sampled> kernels;
  for (const MeasurementFile& file : files) {
    if (file.source != "pm")
      continue;
    profile.program = file.program;
    profile.device = file.device;
    profile.chip = file.chip;
    profile.cuptiVersion = file.cuptiVersion;
    profile.dropped += file.dropped;
    for (const KernelMeasurement& kernel : file.kernels) {
      Sampled& sampled =
          kernels[{kernel.kernel, kernel.threadsPerBlock, kernel.dynamicSharedBytes}];
      sampled.kernel = kernel;
      for (const MeasuredSeries& series : kernel.series)
        sampled.counters[series.counter] = series.values;
    }
  }
  profile.source = "temporal";
  for (auto& [key, sampled] : kernels) {
    KernelMeasurement kernel = sampled.kernel;
    kernel.series.clear();
    for (const TemporalMetric& metric : temporalMetrics(chipBit(profile.chip)))
      addSeries(kernel, sampled, metric);
    if (!kernel.series.empty())
      profile.kernels.push_back(std::move(kernel));
  }
  return profile;
}

} // namespace gpusched
