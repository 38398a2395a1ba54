// Report.cpp - gpusched report: what is known of each kernel and what was decided, one table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are kernels of the given profiles (default: all of the store's), one per block size, and
// kernels that only the trace knows. Decision and reason come from the trace: one line per
// distinct decision of a kernel, with the number of launches and, where the trace has times, the
// median of theirs. Class, saturation budget and
// what they rest on are modelled when the profile's source is "cpu"; the foot line says so. Blocks
// per SM are of the GPU that a kernel was measured on or modelled for, unless the user names one
// for all. Below the table: how many block slots budgets free for others, from the curves.
#include "tools/gpusched/Subcommand.h"

#include "rt/profile/JoinProfiles.h"
#include "rt/profile/ProfileStore.h"
#include "rt/saturation/SaturationPoint.h"
#include "rt/schema/TextFile.h"
#include "rt/schema/Trace.h"
#include "rt/schema/TraceEvents.h"
#include "rt/support/Environment.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace gpusched::tool {
namespace {

constexpr double kSlowdown = 0.02; // that a budget may cost where slots are counted as freed

struct ReportOptions {
  std::string trace, events, gpu;
  std::vector<std::string> profiles;
  bool details = false;
};

/// The GPU that each kernel's row is of.
class RowDevices {
public:
  /// `wanted`: the user's for all, or "". An error when that or the default cannot be read.
  Status load(const std::string& wanted, const ProfileFile& profiles) {
    Result<DeviceDescription> all =
        loadDeviceDescription(wanted.empty() ? environment("GPUSCHED_GPU") : wanted);
    if (!all)
      return Status::error(all.message());
    all_ = *all;
    if (wanted.empty() && !environmentIsSet("GPUSCHED_GPU"))
      for (const KernelProfile& kernel : profiles.kernels)
        loadOwn(deviceOf(kernel));
    return {};
  }

  const DeviceDescription& of(const KernelProfile& kernel) const {
    const auto own = own_.find(deviceOf(kernel));
    return own == own_.end() ? all_ : own->second;
  }

private:
  static std::string deviceOf(const KernelProfile& kernel) {
    return kernel.dynamic ? kernel.dynamic->device : "";
  }

  void loadOwn(const std::string& device) {
    if (const ShippedDevice* shipped = shippedModel(device))
      if (Result<DeviceDescription> own = loadDeviceDescription(shipped->name))
        own_.emplace(device, *own);
  }

  DeviceDescription all_;
  std::map<std::string, DeviceDescription> own_; // by the name in profiles
};

using Row = std::vector<std::string>;

const Row kHeader = {"kernel",          "class",  "registers", "shared",
                     "occupancy limit", "budget", "decision",  "reason"};

std::string blocksPerSm(uint32_t blocks) {
  return std::to_string(blocks) + "/SM";
}

/// "persistent 4/SM" -> its reason; in order of first use.
struct TracedDecision {
  std::string decision, reason;
  size_t launches = 0;
  std::vector<double> us; // of those with times
};

/// "persistent 4/SM x12, 45.2 us"
std::string inWords(TracedDecision decision) {
  std::string text = decision.decision + " x" + std::to_string(decision.launches);
  if (decision.us.empty())
    return text;
  const auto middle = decision.us.begin() + std::ptrdiff_t(decision.us.size() / 2);
  std::nth_element(decision.us.begin(), middle, decision.us.end());
  char median[32];
  std::snprintf(median, sizeof median, ", %.1f us", *middle);
  return text + median;
}

std::string without(const std::string& text, char removed) {
  std::string out = text;
  std::erase(out, removed);
  return out;
}

/// Decisions of `kernel`; launches that differ only in the partners' order count together.
std::vector<TracedDecision> decisionsOf(const TraceFile& trace, const std::string& kernel,
                                        uint32_t threads) {
  std::vector<TracedDecision> found;
  for (const TraceLaunch& launch : trace.launches) {
    if (without(launch.kernel, ' ') != without(kernel, ' ') ||
        (threads && launch.blockX * launch.blockY * launch.blockZ != threads))
      continue;
    std::string decision = launch.variant;
    if (launch.blocksPerSm)
      decision += " " + blocksPerSm(launch.blocksPerSm);
    if (!launch.after.empty())
      decision += ", waits";
    auto known = std::find_if(found.begin(), found.end(), [&](const TracedDecision& other) {
      return other.decision == decision && other.reason == launch.reason;
    });
    if (known == found.end())
      known = found.insert(found.end(), {decision, launch.reason, 0, {}});
    ++known->launches;
    if (hasTimes(launch))
      known->us.push_back(launch.completedUs - launch.startedUs);
  }
  return found;
}

/// Registers, shared memory and what limits residency, at the profiled launch shape.
void addStatic(Row& row, const KernelProfile& kernel, const DeviceDescription& device) {
  const VariantProfile* variant = variantFor(kernel.fixed, device);
  uint32_t threads = kernel.dynamic ? kernel.dynamic->threadsPerBlock : 0;
  uint64_t dynamicShared = kernel.dynamic ? kernel.dynamic->dynamicSharedBytes : 0;
  if (!variant) {
    row.insert(row.end(), {"?", "?", "?"});
    return;
  }
  row.push_back(std::to_string(variant->registersPerThread));
  row.push_back(std::to_string(variant->staticSharedBytes + dynamicShared) + " B");
  Occupancy fits{variant->occupancyBlocksPerSm, variant->occupancyLimiter.c_str()};
  if (threads)
    fits = occupancy(device, threads, variant->registersPerThread,
                     variant->staticSharedBytes + dynamicShared);
  row.push_back(blocksPerSm(fits.blocksPerSm) + " of " +
                std::to_string(threads ? threads : variant->occupancyThreads) + " (" +
                fits.limiter + ")");
}

std::vector<Row> rowsOf(const KernelProfile& kernel, const DeviceDescription& device,
                        const TraceFile& trace) {
  Row row;
  row.push_back(kernel.fixed.kernel);
  row.push_back(kernel.dynamic ? name(kernel.dynamic->kernelClass) : "unknown");
  addStatic(row, kernel, device);
  bool known = kernel.dynamic && kernel.dynamic->saturationBlocksPerSm;
  row.push_back(known ? blocksPerSm(kernel.dynamic->saturationBlocksPerSm) : "?");
  std::vector<Row> rows;
  for (const TracedDecision& decision : decisionsOf(
           trace, kernel.fixed.kernel, kernel.dynamic ? kernel.dynamic->threadsPerBlock : 0)) {
    Row line = rows.empty() ? row : Row(row.size());
    line.push_back(inWords(decision));
    line.push_back(decision.reason);
    rows.push_back(line);
  }
  if (rows.empty()) {
    row.push_back(kernel.fixed.refusal.empty() ? "-" : "native");
    row.push_back(kernel.fixed.refusal);
    rows.push_back(row);
  }
  return rows;
}

/// Of libraries' templates; such a name has a line of its own.
bool isLong(const std::string& kernel) {
  return kernel.size() > 40;
}

void print(const std::vector<Row>& rows) {
  std::vector<size_t> widths(kHeader.size());
  for (const Row& row : rows)
    for (size_t i = isLong(row[0]) ? 1 : 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (Row row : rows) {
    if (isLong(row[0]))
      std::cout << std::exchange(row[0], "") << "\n";
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line.append(i ? "  " : "").append(row[i]).append(widths[i] - row[i].size(), ' ');
    std::cout << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
  }
}

/// Block slots per SM that the native form fills at the profiled launch shape, a grid that is
/// smaller than the device included; 0 = not known.
uint32_t slotsFilled(const KernelProfile& kernel, const DeviceDescription& device) {
  StaticProfile native = kernel.fixed;
  native.persistent.clear();
  const VariantProfile* variant = variantFor(native, device);
  if (!variant || !kernel.dynamic || kernel.dynamic->threadsPerBlock == 0)
    return 0;
  const uint64_t blocks = kernel.dynamic->blocks;
  const uint64_t perSm = blocks ? (blocks + device.sms - 1) / device.sms : UINT32_MAX;
  const uint32_t fit =
      occupancy(device, kernel.dynamic->threadsPerBlock, variant->registersPerThread,
                variant->staticSharedBytes + kernel.dynamic->dynamicSharedBytes)
          .blocksPerSm;
  return uint32_t(std::min<uint64_t>(fit, perSm));
}

/// What saturation budgets are for: block slots that others can have.
void printFreedSlots(const ProfileFile& profiles, const RowDevices& devices, bool modelled) {
  double freed = 0, kernels = 0;
  for (const KernelProfile& kernel : profiles.kernels)
    if (uint32_t most = slotsFilled(kernel, devices.of(kernel));
        most && !kernel.dynamic->budgetCurve.empty())
      freed += slotsFreed(kernel.dynamic->budgetCurve, most, kSlowdown), kernels += 1;
  char text[160];
  std::snprintf(text, sizeof text,
                "block slots freed at <= %.0f %% slowdown: %.0f %%, mean of %.0f kernels%s\n",
                100 * kSlowdown, 100 * freed / kernels, kernels, modelled ? ", modelled" : "");
  if (kernels > 0)
    std::cout << text;
}

/// Speed at the budgets that were measured, or at powers of two of a modelled curve.
std::string curveText(const DynamicProfile& dynamic) {
  std::vector<uint32_t> budgets = dynamic.measuredBudgets;
  const uint32_t most = uint32_t(dynamic.budgetCurve.size());
  for (uint32_t blocks = 1; dynamic.measuredBudgets.empty() && blocks < 2 * most; blocks *= 2)
    budgets.push_back(std::min(blocks, most));
  std::string text;
  for (uint32_t blocks : budgets)
    if (blocks <= most) {
      char point[32];
      std::snprintf(point, sizeof point, " %u: %.2f", blocks, dynamic.budgetCurve[blocks - 1]);
      text += point;
    }
  return text;
}

void printDetails(const ProfileFile& profiles) {
  std::cout
      << "time, EPC (eligible warps per cycle and SM), stalls in percent, speed by blocks per SM, "
         "twin with all blocks that fit\n";
  for (const KernelProfile& kernel : profiles.kernels) {
    if (!kernel.dynamic)
      continue;
    const DynamicProfile& seen = *kernel.dynamic;
    char text[256];
    std::snprintf(text, sizeof text,
                  "  %-24s %8.1f us  EPC %5.2f  execution %.0f memory %.0f L1 %.0f sync %.0f fetch "
                  "%.0f other %.0f  speed",
                  kernel.fixed.kernel.substr(0, 24).c_str(), seen.timeUs,
                  seen.eligibleWarpsPerCycle, seen.stallExecution, seen.stallMemory,
                  seen.stallTexture, seen.stallSync, seen.stallFetch, seen.stallOther);
    std::cout << text << curveText(seen);
    if (seen.persistentTimeUs > 0 && seen.timeUs > 0) {
      std::snprintf(text, sizeof text, "  twin %.2f of the time",
                    seen.persistentTimeUs / seen.timeUs);
      std::cout << text;
    }
    std::cout << (seen.source == "cpu" ? "  (modelled)\n" : "\n");
  }
}

/// What the workers of twins wrote: where they ran, and how evenly blocks were divided.
void printTelemetry(const ProfileFile& profiles) {
  for (const KernelProfile& kernel : profiles.kernels) {
    if (!kernel.dynamic || !kernel.dynamic->telemetry)
      continue;
    const TelemetryProfile& seen = *kernel.dynamic->telemetry;
    char text[256];
    std::snprintf(text, sizeof text,
                  ": %.0f workers on %.0f SMs, at most %.0f on one; %.0f to %.0f blocks each, "
                  "busiest SM %.2f x the mean",
                  seen.workers, seen.sms, seen.workersPerSm, seen.blocksPerWorkerMin,
                  seen.blocksPerWorkerMax, seen.smLoadMaxOverMean);
    std::cout << "telemetry of " << kernel.fixed.kernel << text;
    if (seen.blockUs > 0) {
      std::snprintf(text, sizeof text, "; %.2f us a block, workers busy %.0f %% of %.1f us",
                    seen.blockUs, 100 * seen.busyShare, seen.timeUs);
      std::cout << text;
    }
    std::cout << "\n";
  }
}

/// Kernels of the trace that no profile describes, as profiles with a name only.
void addTracedOnly(ProfileFile& profiles, const TraceFile& trace) {
  for (const TraceLaunch& launch : trace.launches) {
    bool known = std::any_of(
        profiles.kernels.begin(), profiles.kernels.end(), [&](const KernelProfile& kernel) {
          return without(kernel.fixed.kernel, ' ') == without(launch.kernel, ' ');
        });
    if (!known)
      profiles.kernels.emplace_back().fixed.kernel = launch.kernel;
  }
}

Result<ProfileFile> loadAll(const ReportOptions& options, const TraceFile& trace) {
  if (options.profiles.empty() && !trace.program.empty()) {
    Result<ProfileFile> own = readProfile(ProfileStore::dynamicPath(profileHome(), trace.program));
    return own ? own : Result<ProfileFile>(ProfileFile{});
  }
  if (options.profiles.empty())
    return loadProfiles(ProfileStore::dynamicFolder(profileHome()));
  return readProfiles(options.profiles);
}

Status writeEvents(const ReportOptions& options, const TraceFile& trace) {
  if (options.trace.empty())
    return Status::error("--events needs --trace=FILE");
  const std::string events = traceEvents(trace);
  if (events.empty())
    return Status::error("--events: no launch in " + options.trace +
                         " has times; runs on a GPU and gpusched sched write them "
                         "(GPUSCHED_TRACE_TIMES)");
  return writeTextFile(options.events, events);
}

int report(const ReportOptions& options) {
  TraceFile trace;
  if (!options.trace.empty()) {
    Result<TraceFile> read = readTrace(options.trace);
    if (!read)
      return fail(kToolFailed, "report: " + read.message());
    trace = std::move(*read);
  }
  if (!options.events.empty())
    if (Status written = writeEvents(options, trace); !written.ok())
      return fail(kToolFailed, "report: " + written.message());
  Result<ProfileFile> profiles = loadAll(options, trace);
  if (!profiles)
    return fail(kToolFailed, "report: " + profiles.message());
  RowDevices devices;
  if (Status loaded = devices.load(options.gpu, *profiles); !loaded.ok())
    return fail(kUsageError,
                "report: " + (options.gpu.empty() ? "GPUSCHED_GPU" : "--gpu=" + options.gpu) +
                    ": " + loaded.message());
  addTracedOnly(*profiles, trace);
  if (profiles->kernels.empty())
    return fail(kToolFailed, "report: no profile in " + profileHome() +
                                 " and no launch in the trace; run gpusched profile -- PROGRAM");
  std::vector<Row> rows = {kHeader};
  std::set<std::string> modelledFor;
  for (const KernelProfile& kernel : profiles->kernels) {
    if (kernel.dynamic && kernel.dynamic->source == "cpu")
      modelledFor.insert(devices.of(kernel).name);
    std::vector<Row> more = rowsOf(kernel, devices.of(kernel), trace);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  print(rows);
  if (options.details)
    printDetails(*profiles);
  printFreedSlots(*profiles, devices, !modelledFor.empty());
  printTelemetry(*profiles);
  for (const std::string& device : modelledFor)
    std::cout << "class and budget: modelled for " << device
              << " from the cpu device's counters, not measured\n";
  if (trace.dropped)
    std::cout << trace.dropped << " launches past the trace's limit are not shown\n";
  return 0;
}

} // namespace

void addReport(Command& command) {
  std::shared_ptr<ReportOptions> options = std::make_shared<ReportOptions>();
  Options sub = command.add("report", "Show kernels, budgets and decisions in one table",
                            [options] { return report(*options); });
  sub.add("--trace", options->trace, "Trace of a run (gpusched run --trace=FILE)");
  sub.add("--events", options->events,
          "Writes the trace's launches there for Perfetto or chrome://tracing");
  sub.add("--gpu", options->gpu,
          "Device description for the occupancy column; default: $GPUSCHED_GPU, or of the GPU "
          "that a kernel was measured on");
  sub.addFlag("--details", options->details, "Time, EPC, stalls and budget curve of each kernel");
  sub.add("profiles", options->profiles, "Profile files; default: the profile store's");
}

} // namespace gpusched::tool
