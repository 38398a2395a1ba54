// MetricTable.cpp - the lines of the two tables, selected.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/counters/MetricTable.h"

#include <algorithm>

namespace gpusched {
namespace {

struct MetricLine {
  MetricGroup group;
  const char* name;
  uint32_t chips;
  const char* counter;
};

constexpr MetricLine kMetrics[] = {
#define GPUSCHED_METRIC(GROUP, NAME, CHIPS, COUNTER) {MetricGroup::GROUP, NAME, CHIPS, COUNTER},
#include "rt/counters/MetricTable.def"
};

struct TemporalLine {
  const char* name;
  uint32_t chips;
  bool exact;
  double factor;
  const char *counter, *second;
};

constexpr TemporalLine kTemporal[] = {
#define GPUSCHED_TEMPORAL(NAME, CHIPS, EXACT, FACTOR, COUNTER, SECOND)                             \
  {NAME, CHIPS, EXACT, FACTOR, COUNTER, SECOND},
#include "rt/counters/TemporalMetrics.def"
};

constexpr const char* kGroupNames[] = {"saturation", "stalls", "pipes", "memory", "timeline"};
static_assert(std::size(kGroupNames) == std::size(kMetricGroups));

} // namespace

const std::vector<Chip>& tableChips() {
  static const std::vector<Chip> kChips = {{"TU102", kTu102},
                                           {"GA100", kGa100},
                                           {"GA102", kGa102},
                                           {"AD102", kAd102},
                                           {"GH100", kGh100}};
  return kChips;
}

uint32_t chipBit(const std::string& chip) {
  for (const Chip& known : tableChips())
    if (chip == known.name)
      return known.bit;
  const std::string generation = chip.substr(0, 2);
  if (generation == "TU")
    return kTu102;
  if (generation == "GA")
    return kGa102; // GA100 was found above; the others are of its consumer line
  if (generation == "AD")
    return kAd102;
  return generation == "GH" ? uint32_t(kGh100) : 0;
}

const char* name(MetricGroup group) {
  return kGroupNames[size_t(group)];
}

std::vector<Metric> metricsOf(MetricGroup group, uint32_t chip) {
  std::vector<Metric> metrics;
  for (const MetricLine& line : kMetrics)
    if (line.group == group && (line.chips & chip))
      metrics.push_back({line.name, line.counter});
  return metrics;
}

std::vector<TemporalMetric> temporalMetrics(uint32_t chip) {
  std::vector<TemporalMetric> metrics;
  for (const TemporalLine& line : kTemporal)
    if (line.chips & chip)
      metrics.push_back({line.name, line.exact, line.factor, line.counter, line.second});
  return metrics;
}

std::vector<std::string> temporalCounters(uint32_t chip) {
  std::vector<std::string> counters;
  for (const TemporalMetric& metric : temporalMetrics(chip))
    for (const std::string& counter : {metric.counter, metric.second})
      if (!counter.empty() &&
          std::find(counters.begin(), counters.end(), counter) == counters.end())
        counters.push_back(counter);
  return counters;
}

std::string nameOfCounter(const std::string& counter) {
  for (const MetricLine& line : kMetrics)
    if (counter == line.counter)
      return line.name;
  return "";
}

} // namespace gpusched
