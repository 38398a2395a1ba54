// ProfileRuns.cpp - probe, plan, run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched/ProfileRuns.h"

#include "tools/gpusched/ChildProcess.h"
#include "tools/gpusched/FindProgram.h"
#include "tools/gpusched/Subcommand.h"

#include "rt/counters/MetricTable.h"
#include "rt/counters/cupti/CuptiProbe.h"
#include "rt/counters/cupti/PassPlanner.h"
#include "rt/device/cuda/CudaDriver.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

namespace gpusched::tool {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kActivity = "activity";

std::vector<std::string> countersOf(MetricGroup group, uint32_t chip) {
  std::vector<std::string> counters;
  for (const Metric& metric : metricsOf(group, chip))
    counters.push_back(metric.counter);
  return counters;
}

/// The sets of one group as runs; counters that this chip cannot count in one pass are named.
void addSets(std::vector<ProfileRun>& runs, const ProfilerHost& host, const std::string& source,
             const std::string& group, const std::vector<std::string>& counters,
             uint64_t intervalNs) {
  PassPlan plan = planPasses(host, counters);
  for (size_t i = 0; i < plan.sets.size(); ++i)
    runs.push_back(
        {.label = source + "-" + group + (plan.sets.size() > 1 ? "-" + std::to_string(i + 1) : ""),
         .request = {source, plan.sets[i], intervalNs}});
  for (const std::string& counter : plan.leftOut)
    std::cerr << "gpusched: profile: " << counter << " needs several passes here and is left out\n";
}

bool has(const std::vector<std::string>& sources, const char* source) {
  return std::find(sources.begin(), sources.end(), source) != sources.end();
}

Status planCounters(std::vector<ProfileRun>& runs, const MeasuredDevice& device,
                    uint64_t intervalNs) {
  if (!has(device.sources, "range") && !has(device.sources, "pm"))
    return {};
  Result<Cupti> cupti = Cupti::open(CuptiDriver::Answers);
  if (!cupti)
    return cupti.status();
  const uint32_t chip = chipBit(device.chip);
  if (has(device.sources, "range")) {
    Result<ProfilerHost> host = ProfilerHost::open(*cupti, device.chip, ProfilerKind::Range);
    if (!host)
      return host.status();
    for (MetricGroup group :
         {MetricGroup::Saturation, MetricGroup::Stalls, MetricGroup::Pipes, MetricGroup::Memory})
      addSets(runs, *host, "range", name(group), countersOf(group, chip), 0);
  }
  if (has(device.sources, "pm")) {
    Result<ProfilerHost> host = ProfilerHost::open(*cupti, device.chip, ProfilerKind::PmSampling);
    if (!host)
      return host.status();
    addSets(runs, *host, "pm", "timeline", countersOf(MetricGroup::Timeline, chip), intervalNs);
    addSets(runs, *host, "pm", "temporal", temporalCounters(chip), intervalNs);
  }
  return {};
}

/// FNV-1a over what makes results incomparable; not for security.
std::string fingerprint(const std::vector<std::string>& words, const MeasuredDevice& device) {
  uint64_t hash = 0xcbf29ce484222325ull;
  auto add = [&hash](const char* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i)
      hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3ull;
  };
  auto addFile = [&add](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> block(1 << 16);
    while (file.read(block.data(), std::streamsize(block.size())) || file.gcount())
      add(block.data(), size_t(file.gcount()));
  };
  for (const std::string& word : words)
    add(word.c_str(), word.size() + 1);
  add(device.description.name.c_str(), device.description.name.size() + 1);
  const StartedProgram program = startedProgram(words);
  addFile(program.executable);
  addFile(program.script);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

void becomeMeasured(const ProfileRun& run, const std::vector<std::string>& words,
                    const std::string& output) {
  // Whoever ends gpusched profile ends its measurement too: two at once spoil each other.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool telemetry = run.request.source == kTelemetry;
  if (telemetry) {
    setenv("GPUSCHED_TELEMETRY", "1", 1);
    setenv("GPUSCHED_TELEMETRY_OUTPUT", output.c_str(), 1);
  } else {
    setenv("CUDA_INJECTION64_PATH", ownFile("lib/libgpusched_profiler.so").c_str(), 1);
    setenv("GPUSCHED_MEASURE", run.request.text().c_str(), 1);
    setenv("GPUSCHED_MEASURE_OUTPUT", output.c_str(), 1);
  }
  setenv("GPUSCHED_RT", ownFile("lib/libgpusched_rt.so").c_str(), 1);
  for (const char* ours :
       {"GPUSCHED", "GPUSCHED_VARIANT", "GPUSCHED_BLOCKS_PER_SM", "GPUSCHED_FUSE"})
    unsetenv(ours);
  if (run.oneAtATime)
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  if (run.fused) {
    setenv("GPUSCHED", "1", 1);
    setenv("GPUSCHED_VARIANT", "native", 1);
    setenv("GPUSCHED_FUSE", "always", 1);
  }
  if (run.budget || telemetry) {
    setenv("GPUSCHED", "1", 1);
    setenv("GPUSCHED_VARIANT", "persistent", 1);
    (void)preload("libgpusched_modules.so"); // without it only kernels of modules are not measured
  }
  if (run.budget)
    setenv("GPUSCHED_BLOCKS_PER_SM", std::to_string(run.budget).c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(errno == ENOENT ? kNotFound : kCannotExecute);
}

/// Waits at most `seconds`; kills the child then. -1: it was killed by us.
int waitAtMost(pid_t child, uint32_t seconds) {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  int status = 0;
  for (pid_t done = 0; (done = waitpid(child, &status, WNOHANG)) != child;) {
    if (done < 0 && errno != EINTR)
      return kToolFailed;
    if (Clock::now() >= end) {
      kill(child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Result<MeasurementFile> measure(const ProfileRun& run, const std::vector<std::string>& words,
                                const std::string& path, const RunLimits& limits) {
  // The child writes beside the result, which appears only when it is whole and usable.
  const std::string unfinished = path + ".part";
  std::error_code ignored;
  fs::remove(unfinished, ignored);
  pid_t child = fork();
  if (child == 0)
    becomeMeasured(run, words, unfinished);
  if (child < 0)
    return Status::error("cannot start a process");
  const int code = waitAtMost(child, limits.timeoutSeconds);
  if (code < 0)
    return Status::error("stopped after " + std::to_string(limits.timeoutSeconds) +
                         " s (--timeout); do its kernels wait for each other?");
  if (code != 0)
    return Status::error("'" + words[0] + "' ended with code " + std::to_string(code));
  Result<MeasurementFile> file = readMeasurement(unfinished);
  if (!file)
    return Status::error("no measurements: did the program use a GPU? (" + file.message() + ")");
  if (!file->problem.empty())
    return Status::error(file->problem);
  fs::rename(unfinished, path, ignored);
  return file;
}

/// What the program's run for `path` gives: what is there already, or what is measured now.
Result<MeasurementFile> resultOf(const ProfileRun& run, const std::vector<std::string>& words,
                                 const MeasuredDevice& device, const std::string& path,
                                 const RunLimits& limits) {
  if (Result<MeasurementFile> kept = readMeasurement(path); kept && !limits.again) {
    std::cerr << ": kept from before\n";
    return kept;
  }
  const Clock::time_point begin = Clock::now();
  Result<MeasurementFile> file = measure(run, words, path, limits);
  if (!file)
    return file;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  char took[32];
  std::snprintf(took, sizeof took, "%.1f s", seconds);
  std::cerr << ": " << file->kernels.size() << " kernels, " << took << "\n";
  file->device = device.description.name;
  file->sms = device.description.sms;
  if (Status written = writeMeasurement(path, *file); !written)
    std::cerr << "gpusched: profile: " << written.message() << "; measured, but not kept\n";
  return file;
}

/// The run that gives the times of native kernels.
bool timesKernels(const ProfileRun& run) {
  return run.label == kActivity && !run.budget && !run.fused;
}

/// Behind that run: what is left is measured one launch at a time, and this run again, where it
/// saw kernels beside others only; not where launches that wait for each other do not work, as of
/// kernels that wait for each other. Says whether.
bool replan(std::vector<ProfileRun>& left, const ProfileRun& run,
            const Result<MeasurementFile>& file) {
  const bool together =
      file && std::any_of(file->kernels.begin(), file->kernels.end(),
                          [](const KernelMeasurement& kernel) { return kernel.neverAlone(); });
  if (!run.oneAtATime && together) {
    std::cerr << "gpusched: profile: kernels ran beside others only; from here on one at a time\n";
    left.insert(left.begin(), run);
  }
  const bool yes = run.oneAtATime ? file.ok() : together;
  launchOneAtATime(left, yes);
  return yes;
}

} // namespace

std::string ProfileRun::name() const {
  return label + (budget ? "-b" + std::to_string(budget) : "") + (fused ? "-fused" : "") +
         (oneAtATime ? "-alone" : "");
}

MeasuredDevice probeDevice(const std::vector<std::string>& wanted) {
  MeasuredDevice found;
  std::vector<std::string> sources = wanted;
  auto allMissing = [&](const std::string& why) {
    for (const std::string& source : sources)
      found.missing.push_back(source + ": " + why);
    return found;
  };
  Result<CudaDriver> driver = CudaDriver::open();
  if (!driver)
    return allMissing(driver.message());
  Result<CudaDevice> device = driver->describe(0);
  if (!device)
    return allMissing(device.message());
  found.description = device->description;
  if (std::erase(sources, kTelemetry))
    found.sources.push_back(kTelemetry); // needs no CUPTI
  if (sources.empty())
    return found;
  Result<Cupti> cupti = Cupti::open(CuptiDriver::Answers);
  if (!cupti)
    return allMissing(cupti.message());
  CuptiProbe probe = probeCupti(*cupti, *driver, 0);
  found.chip = probe.chip;
  for (const std::string& source : sources) {
    if (source == kActivity || (probe.counters.ok() && (source == "pc" || chipBit(probe.chip))))
      found.sources.push_back(source);
    else
      found.missing.push_back(source + ": " +
                              (probe.counters.ok() ? "no table of counters for chip " + probe.chip
                                                   : probe.counters.message()));
  }
  return found;
}

Result<std::vector<ProfileRun>> planRuns(const MeasuredDevice& device, uint64_t intervalNs) {
  std::vector<ProfileRun> runs;
  if (has(device.sources, kActivity))
    runs.push_back({.label = kActivity, .request = {kActivity, {}, 0}});
  if (has(device.sources, kTelemetry))
    runs.push_back({.label = kTelemetry, .request = {kTelemetry, {}, 0}});
  if (Status status = planCounters(runs, device, intervalNs); !status)
    return status;
  if (has(device.sources, "pc"))
    runs.push_back({.label = "pc", .request = {"pc", {}, 0}});
  return runs;
}

std::vector<ProfileRun> atBudgets(const std::vector<ProfileRun>& native,
                                  const std::vector<uint32_t>& budgets) {
  std::vector<ProfileRun> runs;
  for (uint32_t budget : budgets)
    for (const ProfileRun& run : native)
      if (run.label == kActivity || run.label == kTelemetry ||
          run.label.rfind("range-saturation", 0) == 0) {
        runs.push_back(run);
        runs.back().budget = budget;
      }
  return runs;
}

std::vector<ProfileRun> withPairsFused(const std::vector<ProfileRun>& native) {
  std::vector<ProfileRun> runs;
  for (const ProfileRun& run : native)
    if (run.label == kActivity) {
      runs.push_back(run);
      runs.back().fused = true;
    }
  return runs;
}

void launchOneAtATime(std::vector<ProfileRun>& runs, bool yes) {
  for (ProfileRun& run : runs)
    run.oneAtATime = yes && run.request.source != "range";
}

Result<MeasuredRuns> executeRuns(const std::vector<ProfileRun>& runs,
                                 const std::vector<std::string>& words,
                                 const MeasuredDevice& device, const std::string& folder,
                                 const RunLimits& limits) {
  const fs::path place = fs::path(folder) / fingerprint(words, device);
  std::error_code error;
  fs::create_directories(place, error);
  if (error)
    return Status::error("cannot make " + place.string() + ": " + error.message());
  MeasuredRuns measured;
  std::vector<ProfileRun> left = runs;
  for (size_t made = 1; !left.empty(); ++made) {
    const ProfileRun run = left.front();
    std::cerr << "gpusched: profile: [" << made << "/" << made + left.size() - 1 << "] "
              << run.name();
    left.erase(left.begin());
    Result<MeasurementFile> file =
        resultOf(run, words, device, (place / (run.name() + ".json")).string(), limits);
    if (timesKernels(run))
      measured.oneAtATime = replan(left, run, file);
    if (file)
      measured.files.push_back(std::move(*file));
    else
      std::cerr << ": " << file.message() << "\n";
  }
  if (measured.files.empty() && !runs.empty())
    return Status::error("no run gave a measurement; the lines above say why");
  return measured;
}

} // namespace gpusched::tool
