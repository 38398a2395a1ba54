// metric_table_test - every counter of the tables against the real CUPTI, offline.
//
// Prints, for each chip, the passes of each group and how the planner divides it; the test file
// holds the golden numbers. Exit status 2: no CUPTI on this machine.
#include "rt/counters/MetricTable.h"
#include "rt/counters/cupti/PassPlanner.h"
#include "test/Check.h"

#include <cstdio>

using namespace gpusched;

static std::vector<std::string> counters(const std::vector<Metric>& metrics) {
  std::vector<std::string> names;
  for (const Metric& metric : metrics)
    names.push_back(metric.counter);
  return names;
}

static void show(const ProfilerHost& host, const char* chip, const char* group,
                 const std::vector<std::string>& names) {
  if (names.empty())
    return;
  Result<std::vector<uint8_t>> image = host.configure(names);
  if (!image) {
    checkFailed(__FILE__, __LINE__) << group << ": " << image.message() << "\n";
    return;
  }
  CHECK(*image == *host.configure(names)); // the same bytes again
  PassPlan plan = planPasses(host, names);
  CHECK(plan.leftOut.empty());
  size_t planned = 0;
  for (const std::vector<std::string>& set : plan.sets)
    planned += set.size();
  CHECK_EQUAL(planned, names.size());
  std::printf("%s %s: %zu counters, %zu passes, %zu single-pass sets\n", chip, group, names.size(),
              *host.passes(*image), plan.sets.size());
}

int main() {
  Result<Cupti> cupti = Cupti::open(CuptiDriver::Missing);
  if (!cupti) {
    std::fprintf(stderr, "%s\n", cupti.message().c_str());
    return 2;
  }
  for (const Chip& chip : tableChips()) {
    Result<ProfilerHost> range = ProfilerHost::open(*cupti, chip.name, ProfilerKind::Range);
    Result<ProfilerHost> sampling = ProfilerHost::open(*cupti, chip.name, ProfilerKind::PmSampling);
    if (!range.ok() || !sampling.ok()) {
      checkFailed(__FILE__, __LINE__)
          << chip.name << ": " << (range.ok() ? sampling : range).message() << "\n";
      continue;
    }
    for (MetricGroup group : kMetricGroups)
      show(group == MetricGroup::Timeline ? *sampling : *range, chip.name, name(group),
           counters(metricsOf(group, chip.bit)));
    CHECK_EQUAL(temporalMetrics(chip.bit).size(), 15u);
    show(*sampling, chip.name, "temporal", temporalCounters(chip.bit));
  }
  Result<ProfilerHost> host = ProfilerHost::open(*cupti, "GH100", ProfilerKind::Range);
  Result<std::vector<uint8_t>> wrong = host->configure({"gpu__time_duration.sum", "no_such.sum"});
  CHECK(!wrong.ok());
  CHECK_EQUAL(wrong.message(), std::string("chip GH100 has no metric no_such.sum"));
  CHECK(!ProfilerHost::open(*cupti, "gh100", ProfilerKind::Range).ok());
  CHECK_EQUAL(chipBit("GA103"), uint32_t(kGa102));
  CHECK_EQUAL(chipBit("GB100"), 0u);
  return checkResult();
}
