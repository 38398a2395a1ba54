// MetricTable.h - which hardware counters are read on which chip, as data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines are in MetricTable.def and TemporalMetrics.def. No CUPTI here: whoever plans, imports a
// table or shows names uses this; rt/counters/cupti turns names into configurations.
//
// Five chips are in the tables, one for each generation from sm_75 to sm_90; another chip of the
// same compute capability (GA103, AD104, ...) takes the table of its generation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpusched {

enum ChipBit : uint32_t {
  kTu102 = 1u << 0, // sm_75
  kGa100 = 1u << 1, // sm_80
  kGa102 = 1u << 2, // sm_86
  kAd102 = 1u << 3, // sm_89
  kGh100 = 1u << 4, // sm_90: H100, H200
  kEveryChip = (1u << 5) - 1,
};

/// The chips of the tables, by CUPTI's name.
struct Chip {
  const char* name;
  uint32_t bit;
};
const std::vector<Chip>& tableChips();
/// Bit of "GH100"; of another chip, the bit of its generation; 0 when there is no table for it.
uint32_t chipBit(const std::string& chip);

enum class MetricGroup : uint8_t { Saturation, Stalls, Pipes, Memory, Timeline };
inline constexpr MetricGroup kMetricGroups[] = {MetricGroup::Saturation, MetricGroup::Stalls,
                                                MetricGroup::Pipes, MetricGroup::Memory,
                                                MetricGroup::Timeline};
const char* name(MetricGroup group);

struct Metric {
  std::string name;    ///< ours
  std::string counter; ///< perfworks'
};

std::vector<Metric> metricsOf(MetricGroup group, uint32_t chip);

/// One of the fifteen metrics of the temporal profiler on one chip.
struct TemporalMetric {
  std::string name;
  bool exact;
  double factor;
  std::string counter, second; ///< second may be empty
};

std::vector<TemporalMetric> temporalMetrics(uint32_t chip);
/// Every counter that they need, once each.
std::vector<std::string> temporalCounters(uint32_t chip);

/// Our name of a perfworks counter in any group; "" when the tables do not have it.
std::string nameOfCounter(const std::string& counter);

} // namespace gpusched
