// FoldMeasurements.cpp - matching by name, then unit by unit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stall reasons become the six of the thesis, as percent of all stalls (an issued warp, `selected`,
// is none): execution = short scoreboard and fixed latency, memory = long scoreboard, texture = the
// L1's two queues (tex and lg throttle), sync = barriers, fetch = no instruction and branches.
#include "rt/profile/FoldMeasurements.h"

#include "rt/counters/NcuTable.h"
#include "rt/profile/MeasuredKernels.h"
#include "rt/saturation/BlockTimes.h"
#include "rt/saturation/Classifier.h"
#include "rt/saturation/SaturationPoint.h"
#include "rt/saturation/SaturationSearch.h"
#include "rt/schema/TextFile.h"
#include "rt/support/KernelName.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

namespace gpusched {
namespace {

namespace fs = std::filesystem;
using Values = std::map<std::string, double>;
constexpr const char* kTelemetry = "telemetry";

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The later of two times, but that of a kernel alone before one of a kernel beside others.
struct MeasuredTime {
  double us = 0; ///< 0 = none
  bool alone = false;

  /// REQUIRES: a time.
  void take(double time, bool wasAlone) {
    if (alone && !wasAlone)
      return;
    us = time;
    alone = wasAlone;
  }
};

/// What all files say of one kernel at one block size.
struct Gathered {
  const StaticProfile* fixed = nullptr;
  std::string name, source, device;
  uint32_t threadsPerBlock = 0;
  uint32_t sms = 0; ///< of the device that measured; 0 = not known
  uint64_t dynamicSharedBytes = 0, blocks = 0, launches = 0;
  MeasuredTime time;
  Values values, sampled; ///< sampled: shares of program counters
  std::map<uint32_t, MeasuredTime> timeByBudget, tellingByBudget; ///< the second: by telemetry
  std::optional<TelemetryProfile> telemetry;

  /// Of one clock only: workers' times leave out the launch, which an activity's has.
  const std::map<uint32_t, MeasuredTime>& budgetTimes() const {
    return timeByBudget.empty() ? tellingByBudget : timeByBudget;
  }
};

TelemetryProfile telemetryOf(const KernelMeasurement& kernel) {
  auto value = [&](const char* name) {
    auto found = kernel.values.find(name);
    return found == kernel.values.end() ? 0 : found->second;
  };
  TelemetryProfile telemetry;
  telemetry.launches = kernel.launches;
  telemetry.blocksPerSm = kernel.blocksPerSm;
  telemetry.timeUs = median(kernel.timesUs);
  telemetry.blockUs = value("block_us");
  telemetry.blockCycles = value("block_cycles");
  telemetry.busyShare = value("busy_share");
  telemetry.workers = value("workers");
  telemetry.sms = value("sms");
  telemetry.workersPerSm = value("workers_per_sm_max");
  telemetry.smLoadMaxOverMean = value("sm_load_max_over_mean");
  telemetry.blocksPerWorkerMin = value("blocks_per_worker_min");
  telemetry.blocksPerWorkerMean = value("blocks_per_worker_mean");
  telemetry.blocksPerWorkerMax = value("blocks_per_worker_max");
  telemetry.claimsLost = value("claims_lost");
  telemetry.blocksBySm = kernel.blocksBySm;
  return telemetry;
}

class Gatherer {
public:
  /// `statics` outlive it and what it gathers.
  explicit Gatherer(const ProfileFile& statics) {
    for (const KernelProfile& kernel : statics.kernels)
      for (const std::string& name :
           {kernel.fixed.symbol, kernel.fixed.persistentSymbol, kernel.fixed.kernel})
        if (!name.empty())
          byName_[name] = &kernel.fixed;
  }

  void add(const MeasurementFile& file) {
    for (const KernelMeasurement& kernel : file.kernels)
      if (file.source == "pc")
        addSampled(kernel);
      else if (file.source == kTelemetry)
        addTelemetry(file, kernel);
      else
        addCounted(file, kernel);
  }

  std::vector<Gathered>& kernels() { return kernels_; }

private:
  const StaticProfile* find(const std::string& name) const {
    auto found = byName_.find(name);
    return found == byName_.end() ? nullptr : found->second;
  }

  Gathered& of(const KernelMeasurement& kernel) {
    const StaticProfile* fixed = find(kernel.kernel);
    const std::string& name = fixed ? fixed->symbol : kernel.kernel;
    for (Gathered& known : kernels_)
      if (known.name == name && known.threadsPerBlock == kernel.threadsPerBlock)
        return known;
    Gathered& added = kernels_.emplace_back();
    added.fixed = fixed;
    added.name = name;
    added.threadsPerBlock = kernel.threadsPerBlock;
    added.dynamicSharedBytes = kernel.dynamicSharedBytes;
    return added;
  }

  void addCounted(const MeasurementFile& file, const KernelMeasurement& kernel) {
    Gathered& all = of(kernel);
    bool twin = all.fixed && kernel.kernel == all.fixed->persistentSymbol;
    const double time = median(kernel.timesUs);
    if (kernel.blocksPerSm && twin && time > 0 && file.source == "activity")
      all.timeByBudget[kernel.blocksPerSm].take(time, !kernel.neverAlone());
    if (kernel.blocksPerSm || twin)
      return; // counters of a budget are in its file, the profile holds those of the full kernel
    const bool afterTelemetry = all.source == kTelemetry;
    all.source = file.source == "ncu" ? "ncu" : "cupti";
    all.device = file.device;
    all.sms = file.sms;
    all.blocks = kernel.blocks;
    all.launches = afterTelemetry ? kernel.launches : std::max(all.launches, kernel.launches);
    for (const auto& [metric, value] : kernel.values)
      all.values[metric] = value;
    if (afterTelemetry && time > 0)
      all.time = {};
    if (time > 0 && (all.time.us == 0 || file.source == "activity"))
      all.time.take(time, !kernel.neverAlone());
  }

  /// Of the twin, whose full form is the one with most blocks. Where nothing else was measured, its
  /// time stands for the kernel's.
  void addTelemetry(const MeasurementFile& file, const KernelMeasurement& kernel) {
    Gathered& all = of(kernel);
    const double time = median(kernel.timesUs);
    if (time > 0)
      all.tellingByBudget[kernel.blocksPerSm].take(time, true);
    if (all.telemetry && all.telemetry->blocksPerSm > kernel.blocksPerSm)
      return;
    all.telemetry = telemetryOf(kernel);
    if (!all.source.empty() && all.source != kTelemetry)
      return;
    all.source = kTelemetry;
    all.device = file.device;
    all.blocks = kernel.blocks;
    all.launches = kernel.launches;
    all.time = {time, true};
  }

  void addSampled(const KernelMeasurement& kernel) {
    const StaticProfile* fixed = find(kernel.kernel);
    const std::string& name = fixed ? fixed->symbol : kernel.kernel;
    for (Gathered& known : kernels_) // samples have no block size: they are for all of them
      if (known.name == name && (!fixed || kernel.kernel == fixed->symbol))
        known.sampled = kernel.values;
  }

  std::map<std::string, const StaticProfile*> byName_;
  std::vector<Gathered> kernels_;
};

double valueOf(const Values& values, const char* metric) {
  auto found = values.find(metric);
  return found == values.end() ? 0 : found->second;
}

double sumOf(const Values& values, std::initializer_list<const char*> reasons) {
  double sum = 0;
  for (const char* reason : reasons)
    sum += valueOf(values, (std::string("stall_") + reason).c_str());
  return sum;
}

void fillStalls(DynamicProfile& profile, const Values& values) {
  double all = 0;
  for (const auto& [metric, value] : values)
    if (metric.rfind("stall_", 0) == 0 && metric != "stall_selected" &&
        metric.find("_not_issued") == std::string::npos)
      all += value;
  if (all <= 0)
    return;
  const double percent = 100 / all;
  profile.stallExecution = percent * sumOf(values, {"short_scoreboard", "wait"});
  profile.stallFetch =
      percent * sumOf(values, {"no_instruction", "no_instructions", "branch_resolving"});
  profile.stallMemory = percent * sumOf(values, {"long_scoreboard"});
  profile.stallSync = percent * sumOf(values, {"barrier", "membar"});
  profile.stallTexture = percent * sumOf(values, {"tex_throttle", "lg_throttle"});
  profile.stallOther = 100 - profile.stallExecution - profile.stallFetch - profile.stallMemory -
                       profile.stallSync - profile.stallTexture;
}

void fillRates(DynamicProfile& profile, const Values& values, const DeviceDescription& device) {
  profile.eligibleWarpsPerCycle = valueOf(values, "epc_per_scheduler") * device.schedulersPerSm;
  const double ns = valueOf(values, "time_ns");
  if (ns > 0) {
    profile.dramGbPerSecond =
        (valueOf(values, "dram_read_bytes") + valueOf(values, "dram_write_bytes")) / ns;
    // 32-byte sectors to 128-byte transactions.
    profile.l1TransactionsPerSecond = valueOf(values, "l1_sectors") / 4 / ns * 1e9;
  }
  const std::pair<Resource, const char*> kShares[] = {
      {kIssueSlots, "issue_active_pct"}, {kFp32Pipe, "fma_pct"},      {kInt32Pipe, "alu_pct"},
      {kFp64Pipe, "fp64_pct"},           {kSfuPipe, "xu_pct"},        {kLoadStorePipe, "lsu_pct"},
      {kL2Bandwidth, "l2_pct"},          {kDramBandwidth, "dram_pct"}};
  for (const auto& [resource, metric] : kShares)
    profile.utilisation[resource] = valueOf(values, metric) / 100;
}

/// Resident blocks per SM of the form that gets budgets; 0 = not known.
uint32_t mostBlocks(const Gathered& all, const DeviceDescription& device) {
  if (!all.fixed)
    return 0;
  const VariantProfile* variant = variantFor(*all.fixed, device);
  return occupancy(device, all.threadsPerBlock, variant ? variant->registersPerThread : 0,
                   all.dynamicSharedBytes + (variant ? variant->staticSharedBytes : 0))
      .blocksPerSm;
}

double gridPerSm(const Gathered& all, const DeviceDescription& device) {
  const uint32_t sms = all.sms ? all.sms : device.sms;
  return sms ? double(all.blocks) / sms : 0;
}

/// Blocks per SM of a launch without a budget: what fits, or fewer where its grid ends sooner.
uint32_t fullBudget(const Gathered& all, uint32_t most, const DeviceDescription& device) {
  const double perSm = std::ceil(gridPerSm(all, device));
  return perSm > 0 ? uint32_t(std::min<double>(most, perSm)) : most;
}

/// A budget above what fits is what fits.
std::map<uint32_t, double> timesThatFit(const Gathered& all, uint32_t most) {
  std::map<uint32_t, double> times;
  for (const auto& [budget, time] : all.budgetTimes())
    times.try_emplace(most ? std::min(budget, most) : budget, time.us);
  return times;
}

/// What runs at budgets tell: the curve, and the twin's time without a budget or with one that is
/// none. Budgets that end below the full one say nothing of what further blocks bring, so there the
/// kernel's own time is the last point.
void fillBudgets(DynamicProfile& dynamic, const Gathered& all, const DeviceDescription& device) {
  const uint32_t most = mostBlocks(all, device);
  const uint32_t full = fullBudget(all, most, device);
  std::map<uint32_t, double> times = timesThatFit(all, most);
  for (const auto& [budget, time] : times)
    dynamic.measuredBudgets.push_back(budget);
  if (!times.empty() && times.rbegin()->first < full && all.time.us > 0)
    times[full] = all.time.us;
  dynamic.budgetCurve = BlockTimes(times, gridPerSm(all, device)).curve();
  const auto fullTwin = all.timeByBudget.lower_bound(std::max(1u, full));
  dynamic.persistentTimeUs = fullTwin == all.timeByBudget.end() ? 0 : fullTwin->second.us;
}

KernelProfile fold(const Gathered& all, const DeviceDescription& device,
                   const JoinParameters& parameters) {
  KernelProfile kernel;
  if (all.fixed) {
    kernel.fixed = *all.fixed;
  } else {
    kernel.fixed.symbol = all.name;
    kernel.fixed.kernel = kernelName(all.name);
  }
  DynamicProfile& dynamic = kernel.dynamic.emplace();
  dynamic.source = all.source;
  dynamic.device = all.device.empty() ? device.name : all.device;
  dynamic.threadsPerBlock = all.threadsPerBlock;
  dynamic.dynamicSharedBytes = all.dynamicSharedBytes;
  dynamic.blocks = dynamic.counters.blocks = all.blocks;
  dynamic.counters.blocks *= all.launches;
  dynamic.counters.launches = all.launches;
  dynamic.timeUs = all.time.us;
  dynamic.telemetry = all.telemetry;
  fillRates(dynamic, all.values, device);
  fillStalls(dynamic, all.sampled);
  fillStalls(dynamic, all.values);
  fillBudgets(dynamic, all, device);
  dynamic.saturationBlocksPerSm =
      saturationPoint(dynamic.budgetCurve, {parameters.ratePerBlock, parameters.window});
  dynamic.kernelClass = classify(dynamic, parameters.stallThresholdPercent);
  return kernel;
}

Result<MeasurementFile> loadOne(const fs::path& path) {
  if (path.extension() != ".csv")
    return readMeasurement(path.string());
  Result<std::string> text = readTextFile(path.string());
  if (!text)
    return text.status();
  Result<MeasurementFile> table = measurementFromNcu(*text);
  if (!table)
    return Status::error("'" + path.string() + "': " + table.message());
  return table;
}

} // namespace

/// Has a run been measured in which twins were launched at a budget?
static bool anyAtBudget(const std::vector<MeasurementFile>& measured) {
  return std::any_of(measured.begin(), measured.end(), [](const MeasurementFile& file) {
    return file.source == "activity" && !file.kernels.empty() && file.kernels[0].blocksPerSm > 0;
  });
}

JoinedProfiles foldMeasurements(const ProfileFile& statics,
                                const std::vector<MeasurementFile>& measured,
                                const DeviceDescription& device, const JoinParameters& parameters) {
  const ProfileFile known = withMeasuredKernels(statics, measured, device);
  Gatherer gatherer(known);
  for (bool sampled : {false, true}) // program counters are laid over kernels that are known
    for (const MeasurementFile& file : measured)
      if ((file.source == "pc") == sampled)
        gatherer.add(file);
  JoinedProfiles joined;
  for (const Gathered& all : gatherer.kernels()) {
    if (all.source.empty())
      continue; // seen with a budget only: there is nothing to compare it with
    if (!all.fixed)
      joined.withoutStatic.insert(all.name);
    if (all.time.us > 0 && !all.time.alone)
      joined.neverAlone.insert(all.fixed ? all.fixed->kernel : all.name);
    joined.file.kernels.push_back(fold(all, device, parameters));
  }
  return joined;
}

void addTelemetry(ProfileFile& profiles, const MeasurementFile& telemetry) {
  for (KernelProfile& kernel : profiles.kernels)
    for (const KernelMeasurement& measured : telemetry.kernels)
      if (kernel.dynamic && measured.kernel == kernel.fixed.kernel &&
          measured.threadsPerBlock == kernel.dynamic->threadsPerBlock)
        kernel.dynamic->telemetry = telemetryOf(measured);
}

std::set<uint32_t> budgetsToMeasure(const ProfileFile& statics,
                                    const std::vector<MeasurementFile>& measured,
                                    const DeviceDescription& device,
                                    const JoinParameters& parameters, bool twinsExpected) {
  const ProfileFile known =
      withMeasuredKernels(statics, measured, device, twinsExpected && !anyAtBudget(measured));
  Gatherer gatherer(known);
  for (const MeasurementFile& file : measured)
    if (file.source != "pc")
      gatherer.add(file);
  std::set<uint32_t> wanted;
  for (const Gathered& all : gatherer.kernels()) {
    const uint32_t most = mostBlocks(all, device);
    if (most == 0 || all.fixed->persistentSymbol.empty())
      continue;
    const std::map<uint32_t, double> times = timesThatFit(all, most);
    auto timeAt = [&](uint32_t blocks) {
      auto found = times.find(blocks);
      if (found == times.end())
        wanted.insert(blocks);
      return found == times.end() ? 0.0 : found->second;
    };
    measureFewBudgets(most, timeAt, {parameters.ratePerBlock, parameters.window});
  }
  return wanted;
}

bool hasPairs(const ProfileFile& statics, const std::vector<MeasurementFile>& measured) {
  Gatherer gatherer(statics);
  for (const MeasurementFile& file : measured)
    if (file.source == "activity")
      gatherer.add(file);
  std::set<std::string> known;
  for (const KernelProfile& kernel : statics.kernels)
    known.insert(kernel.fixed.kernel);
  const std::vector<Gathered>& kernels = gatherer.kernels();
  return std::any_of(kernels.begin(), kernels.end(), [&](const Gathered& first) {
    return std::any_of(kernels.begin(), kernels.end(), [&](const Gathered& second) {
      return first.fixed && second.fixed &&
             known.count(pairName(first.fixed->kernel, second.fixed->kernel));
    });
  });
}

Result<std::vector<MeasurementFile>> loadMeasurements(const std::string& path) {
  std::vector<fs::path> paths = {path};
  std::error_code error;
  if (fs::is_directory(path, error)) {
    paths.clear();
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error))
      if (entry.path().extension() == ".json" || entry.path().extension() == ".csv")
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
  }
  std::vector<MeasurementFile> files;
  for (const fs::path& each : paths) {
    Result<MeasurementFile> file = loadOne(each);
    if (!file)
      return file.status();
    files.push_back(std::move(*file));
  }
  return files;
}

} // namespace gpusched
