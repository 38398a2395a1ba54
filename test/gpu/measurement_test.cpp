// measurement_test - Nsight Compute's tables in their four dialects, measurements as JSON, and
// which launches ran beside others.
#include "rt/counters/KernelSpans.h"
#include "rt/counters/NcuTable.h"
#include "test/Check.h"

#include <limits>

using namespace gpusched;

static const char* const kRaw = R"csv(==PROF== Connected to process 4711 (/home/me/app)
"ID","oops": the program printed this
==PROF== Profiling "scale" - 0: 0%....50%....100% - 8 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","gpu__time_duration.sum","smsp__warps_eligible.avg.per_cycle_active","dram__throughput.avg.pct_of_peak_sustained_elapsed","launch__registers_per_thread","my__counter.sum"
"","","","","","","","","","","","us","warp","%","register/thread","byte"
"0","4711","app","127.0.0.1","void ns::scale<float>(float *, int (*)(int))","1","7","(256, 1, 1)","(128, 2, 1)","0","9.0","10.50","1.25","61.00","32","1,024"
"1","4711","app","127.0.0.1","void ns::scale<float>(float *, int (*)(int))","1","7","(256, 1, 1)","(128, 2, 1)","0","9.0","11.50","1.75","n/a","32","1,024"
"2","4711","app","127.0.0.1","other(int)","1","7","(64, 1, 1)","(1, 1, 1)","0","9.0","1.00","nan","3.00","8","0"
)csv";

/// The same launch as the European details page prints it.
static const char* const kDetails = R"csv(==PROF== Disconnected
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"
"0","4711","app","127.0.0.1","ns::scale(float *)","1","7","(256, 1, 1)","(128, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","msecond","1.234,50","","",""
"0","4711","app","127.0.0.1","ns::scale(float *)","1","7","(256, 1, 1)","(128, 1, 1)","0","9.0","Scheduler Statistics","Eligible Warps Per Scheduler","warp","0,125","","",""
"0","4711","app","127.0.0.1","ns::scale(float *)","1","7","(256, 1, 1)","(128, 1, 1)","0","9.0","SpeedOfLight","","","","SOLBottleneck","OPT","a rule, with a comma"
)csv";

static void rawPage() {
  Result<MeasurementFile> file = measurementFromNcu(kRaw);
  CHECK(file.ok());
  CHECK_EQUAL(file->kernels.size(), 2u);
  const KernelMeasurement& scale = file->kernels[0];
  CHECK_EQUAL(scale.kernel, "ns::scale<float>");
  CHECK_EQUAL(scale.threadsPerBlock, 256u);
  CHECK_EQUAL(scale.blocks, 256u);
  CHECK_EQUAL(scale.launches, 2u);
  CHECK_NEAR(scale.values.at("time_ns"), 11000, 1e-6);
  CHECK_NEAR(scale.values.at("epc_per_scheduler"), 1.5, 1e-9);
  CHECK_NEAR(scale.values.at("dram_pct"), 61, 1e-9); // n/a does not count
  CHECK_NEAR(scale.values.at("registers_per_thread"), 32, 1e-9);
  CHECK_NEAR(scale.values.at("my__counter.sum"), 1024, 1e-9);
  CHECK_EQUAL(file->kernels[1].kernel, "other");
  CHECK_EQUAL(file->kernels[1].values.count("epc_per_scheduler"), 0u);
}

static void detailsPage() {
  Result<MeasurementFile> file = measurementFromNcu(kDetails);
  CHECK(file.ok());
  CHECK_EQUAL(file->kernels.size(), 1u);
  CHECK_EQUAL(file->kernels[0].kernel, "ns::scale");
  CHECK_NEAR(file->kernels[0].values.at("time_ns"), 1234.5e6, 1);
  CHECK_NEAR(file->kernels[0].values.at("epc_per_scheduler"), 0.125, 1e-9);
  CHECK_EQUAL(file->kernels[0].launches, 1u);
}

static void roundTrip() {
  Result<MeasurementFile> file = measurementFromNcu(kRaw);
  file->kernels[0].series.push_back(
      {"ipc", "sm__inst", false, {1, std::numeric_limits<double>::quiet_NaN(), 3}});
  file->kernels[0].values["lost"] = std::numeric_limits<double>::infinity();
  Result<MeasurementFile> again = measurementFromJson(toJson(*file));
  CHECK(again.ok());
  CHECK_EQUAL(again->kernels[0].values.count("lost"), 0u); // not measured is absent
  CHECK(std::isnan(again->kernels[0].series[0].values[1]));
  CHECK_EQUAL(again->kernels[0].series[0].exact, false);
  again->kernels[0].values["lost"] = file->kernels[0].values["lost"];
  CHECK_EQUAL(toJson(*again), toJson(*file));
}

/// Digits as locales group them: French (narrow and plain no-break space), Swiss, German, English.
static void localesOfNumbers() {
  for (const char* number :
       {"1\u202f234\u202f567,25", "1\u00a0234\u00a0567,25", "1 234 567,25", "1'234'567.25",
        "1\u2019234\u2019567.25", "1.234.567,25", "1,234,567.25", "1234567.25"}) {
    Result<MeasurementFile> file = measurementFromNcu(
        std::string("\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"a__b.sum\"\n"
                    "\"\",\"\",\"\",\"\",\"inst\"\n"
                    "\"0\",\"k(int)\",\"(128, 1, 1)\",\"(7, 1, 1)\",\"") +
        number + "\"\n");
    CHECK(file.ok());
    CHECK_EQUAL(file->kernels.at(0).values["a__b.sum"], 1234567.25);
  }
}

static void errors() {
  CHECK(!measurementFromNcu("no table here\n").ok());
  CHECK(!measurementFromNcu("\"ID\",\"Kernel Name\",\"a__b.sum\"\n").ok());
  CHECK(!measurementFromJson("{\"format\":\"gpusched-profile\",\"version\":1}").ok());
  Result<MeasurementFile> unnamed = measurementFromJson(
      "{\"format\":\"gpusched-measurements\",\"version\":1,\"kernels\":[{\"launches\":1}]}");
  CHECK_EQUAL(unnamed.message(), "kernels[0].kernel: a measurement needs a kernel's name");
}

static KernelSpan span(const char* kernel, uint64_t startNs, uint64_t endNs) {
  return {{kernel, 128, 0, 10}, startNs, endNs};
}

static void besideOthers() {
  using Flags = std::vector<bool>;
  CHECK(ranBesideOthers({}).empty());
  // One right behind the other; then a hundredth together, and three hundredths.
  CHECK(ranBesideOthers({span("a", 0, 100), span("b", 100, 200)}) == Flags({false, false}));
  CHECK(ranBesideOthers({span("a", 0, 100), span("b", 99, 199)}) == Flags({false, false}));
  CHECK(ranBesideOthers({span("a", 0, 100), span("b", 97, 197)}) == Flags({true, true}));
  // A short one inside a long one disturbs itself only. In order of end, as records come.
  CHECK(ranBesideOthers({span("b", 500, 510), span("a", 0, 1000), span("c", 1000, 1010)}) ==
        Flags({true, false, false}));
  // Three at once, by twos for one part in a hundred each: all of it counts.
  CHECK(ranBesideOthers({span("b", 0, 101), span("a", 100, 200), span("c", 199, 300)}) ==
        Flags({false, false, false}));
  CHECK(ranBesideOthers({span("b", 0, 102), span("a", 100, 200), span("c", 199, 300)}) ==
        Flags({false, true, false}));
  // A record without times takes part in nothing.
  CHECK(ranBesideOthers({span("a", 50, 0), span("b", 0, 100)}) == Flags({false, false}));
}

static void timesOfThoseAlone() {
  const std::vector<KernelMeasurement> kernels =
      sumTimes({span("a", 0, 1000), span("b", 2000, 5000), span("a", 3000, 6000)}).finish(0);
  CHECK_EQUAL(kernels.size(), 2u);
  CHECK_EQUAL(kernels[0].launches, 2u);
  CHECK_EQUAL(kernels[0].besideOthers, 1u);
  CHECK_EQUAL(kernels[0].timesUs.size(), 1u);
  CHECK_NEAR(kernels[0].timesUs.at(0), 1, 1e-9);
  CHECK(!kernels[0].neverAlone());
  CHECK_NEAR(kernels[1].timesUs.at(0), 3, 1e-9);
  CHECK(kernels[1].neverAlone());
}

int main() {
  besideOthers();
  timesOfThoseAlone();
  rawPage();
  detailsPage();
  roundTrip();
  localesOfNumbers();
  errors();
  return checkResult();
}
