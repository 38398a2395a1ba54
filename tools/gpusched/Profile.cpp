// Profile.cpp - gpusched profile: runs a program and learns its kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   on the cpu device: one native run, counting; then join and model   rt/profile/JoinProfiles.h
//   on a GPU: a run a source, counter set and budget                   ProfileRuns.h
//     or files measured elsewhere (--import) rt/profile/FoldMeasurements.h
//   both: saturation point and class, with gpusched-cc's static profiles,
//   to $GPUSCHED_HOME/dynamic/<program>.json, which the runtime reads
//
// The program's output stays its own; what is said about the profile goes to stderr.
#include "tools/gpusched/ChildProcess.h"
#include "tools/gpusched/DeviceProbe.h"
#include "tools/gpusched/FindProgram.h"
#include "tools/gpusched/ProfileRuns.h"
#include "tools/gpusched/Subcommand.h"
#include "tools/gpusched/TwinOptions.h"

#include "rt/counters/TemporalProfile.h"
#include "rt/profile/FoldMeasurements.h"
#include "rt/profile/JoinProfiles.h"
#include "rt/profile/ProfileStore.h"
#include "rt/saturation/SaturationSearch.h"
#include "rt/support/Environment.h"
#include "rt/support/TemporaryFolder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

namespace gpusched::tool {
namespace {

constexpr const char* kSearch = "search";

struct ProfileOptions {
  std::string device = "auto", output, gpu = "h200", sources, budgets = kSearch, import;
  uint32_t intervalUs = 20;
  RunLimits limits;
  TwinOptions twins;
  JoinParameters parameters;
  const Command* command = nullptr;
  std::optional<Options> line;
};

/// Runs the program on the cpu device with one more option of gpusched run; its exit code.
int runOnCpu(const ProfileOptions& options, const std::string& option,
             const std::vector<std::string>& words) {
  std::vector<std::string> all = {std::filesystem::read_symlink("/proc/self/exe").string(), "run",
                                  "--device=cpu", "--gpu=" + options.gpu, option};
  for (const std::string& twins : options.twins.words())
    all.push_back(twins);
  all.push_back("--");
  all.insert(all.end(), words.begin(), words.end());
  return runAndWait(all);
}

int programFailed(const std::string& program, int code) {
  return fail(code, "profile: '" + program + "' ended with code " + std::to_string(code) +
                        "; no profile written");
}

void sayWhatIsMissing(const JoinedProfiles& joined) {
  for (const std::string& kernel : joined.neverAlone)
    std::cerr
        << "gpusched: profile: every launch of '" << kernel
        << "' that was timed ran beside another kernel, so its time is not that of the kernel "
           "alone; profile a program, or an input, that launches it by itself\n";
  for (const std::string& symbol : joined.withoutStatic)
    std::cerr << "gpusched: profile: no static profile of '" << symbol
              << "': registers are unknown, so its budget may be too high; compile the program "
                 "with gpusched-cc and the same GPUSCHED_HOME\n";
}

int writeProfiles(const ProfileOptions& options, const std::string& program, JoinedProfiles joined,
                  const std::string& how) {
  joined.file.producer = "gpusched profile";
  joined.file.program = program;
  sayWhatIsMissing(joined);
  std::string path =
      options.output.empty() ? ProfileStore::dynamicPath(profileHome(), program) : options.output;
  if (Status written = writeProfile(path, joined.file); !written)
    return fail(kToolFailed, "profile: " + written.message());
  std::cerr << "gpusched: profile: " << joined.file.kernels.size() << " kernels, " << how
            << ", written to " << path << "\n";
  return 0;
}

ProfileFile staticProfiles() {
  return loadProfiles(ProfileStore::staticFolder(profileHome()));
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  for (size_t start = 0; start < list.size();) {
    size_t end = std::min(list.find(',', start), list.size());
    words.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

/// The sources asked for; an unknown name is an error.
Result<std::vector<std::string>> sourcesOf(const ProfileOptions& options) {
  if (options.sources.empty())
    return std::vector<std::string>(std::begin(kDefaultSources), std::end(kDefaultSources));
  std::vector<std::string> sources;
  for (const std::string& source : split(options.sources)) {
    const bool known = std::find(std::begin(kDefaultSources), std::end(kDefaultSources), source) !=
                       std::end(kDefaultSources);
    if (!known && source != kTelemetry)
      return Status::error(
          "--sources=" + options.sources + ": '" + source +
          "' is not activity, range, pm, pc or telemetry; static profiles are always used");
    sources.push_back(source);
  }
  return sources;
}

void sayMissing(const std::vector<std::string>& missing) {
  for (const std::string& line : missing)
    std::cerr << "gpusched: profile: not available: " << line << "\n";
}

/// What the process calls itself that launched the kernels: `started` may be a script that started
/// it.
std::string launchedBy(const std::vector<MeasurementFile>& measured, const std::string& started) {
  for (const MeasurementFile& file : measured)
    if (!file.program.empty())
      return file.program;
  return started;
}

/// The time series of all kernels, where PM sampling gave any.
Status writeTemporal(const std::vector<MeasurementFile>& measured, const std::string& program) {
  MeasurementFile temporal = temporalProfile(measured);
  temporal.program = program;
  if (temporal.kernels.empty())
    return {};
  std::filesystem::path path =
      std::filesystem::path(profileHome()) / "temporal" / (program + ".json");
  std::cerr << "gpusched: profile: time series of " << temporal.kernels.size()
            << " kernels written to " << path.string() << "\n";
  return writeMeasurement(path.string(), temporal);
}

/// The runs of one program, and what they gave so far.
class GpuRuns {
public:
  GpuRuns(const ProfileOptions& options, const std::vector<std::string>& words,
          MeasuredDevice device, std::string folder)
      : options_(options), words_(words), device_(std::move(device)), folder_(std::move(folder)),
        statics_(staticProfiles()) {}

  /// Native kernels and `budgets`; the searched budgets if those are wanted; then fused pairs.
  Status make(std::vector<ProfileRun> native, const std::vector<uint32_t>& budgets, bool search) {
    std::vector<ProfileRun> runs = native;
    for (const ProfileRun& run : atBudgets(native, budgets))
      runs.push_back(run);
    Result<MeasuredRuns> made = execute(runs);
    if (!made)
      return made.status();
    launchOneAtATime(native, made->oneAtATime);
    if (search)
      if (Status found = searchBudgets(native); !found)
        return found;
    if (hasPairs(statics_, measured_))
      return execute(withPairsFused(native)).status();
    return {};
  }

  const ProfileFile& statics() const { return statics_; }
  const std::vector<MeasurementFile>& measured() const { return measured_; }
  const DeviceDescription& device() const { return device_.description; }

private:
  Result<MeasuredRuns> execute(const std::vector<ProfileRun>& runs) {
    Result<MeasuredRuns> made = executeRuns(runs, words_, device_, folder_, options_.limits);
    if (made)
      measured_.insert(measured_.end(), made->files.begin(), made->files.end());
    return made;
  }

  /// Runs at the budgets that the five-launch search asks for, of all kernels at once: each answer
  /// says what to ask next.
  Status searchBudgets(const std::vector<ProfileRun>& native) {
    std::set<uint32_t> done;
    for (uint32_t round = 0; round < kFewLaunches; ++round) {
      std::vector<uint32_t> budgets;
      for (uint32_t budget : budgetsToMeasure(statics_, measured_, device(), options_.parameters,
                                              options_.twins.any()))
        if (done.insert(budget).second)
          budgets.push_back(budget);
      const std::vector<ProfileRun> runs = atBudgets(native, budgets);
      if (runs.empty())
        return {};
      if (Result<MeasuredRuns> made = execute(runs); !made)
        return made.status();
    }
    return {};
  }

  const ProfileOptions& options_;
  const std::vector<std::string>& words_;
  MeasuredDevice device_;
  std::string folder_;
  ProfileFile statics_;
  std::vector<MeasurementFile> measured_;
};

int profileOnGpu(const ProfileOptions& options, const std::vector<std::string>& words,
                 const std::string& started) {
  Result<std::vector<std::string>> sources = sourcesOf(options);
  const bool search = options.budgets == kSearch;
  std::optional<std::vector<uint32_t>> budgets = std::vector<uint32_t>{};
  if (!search)
    budgets = parseRanges(options.budgets, 64);
  if (!sources || !budgets)
    return fail(kUsageError,
                "profile: " + (!sources ? sources.message()
                                        : "--budgets=" + options.budgets +
                                              ": expected blocks per SM like 1,2,4-8, or search"));
  options.twins.exportAll();
  MeasuredDevice device = probeDevice(*sources);
  sayMissing(device.missing);
  if (device.sources.empty())
    return fail(kToolFailed, "profile: nothing can be measured here; gpusched doctor says what is "
                             "missing, --device=cpu models a GPU");
  Result<std::vector<ProfileRun>> native = planRuns(device, uint64_t(options.intervalUs) * 1000);
  if (!native)
    return fail(kToolFailed, "profile: " + native.message());
  GpuRuns runs(options, words, std::move(device),
               (std::filesystem::path(profileHome()) / "measured" / started).string());
  if (Status made = runs.make(std::move(*native), *budgets, search); !made)
    return fail(kToolFailed, "profile: " + made.message());
  const std::string program = launchedBy(runs.measured(), started);
  if (Status written = writeTemporal(runs.measured(), program); !written)
    return fail(kToolFailed, "profile: " + written.message());
  return writeProfiles(
      options, program,
      foldMeasurements(runs.statics(), runs.measured(), runs.device(), options.parameters),
      "measured on " + runs.device().name);
}

int profileImported(const ProfileOptions& options, const std::string& program,
                    const DeviceDescription& device) {
  Result<std::vector<MeasurementFile>> measured = loadMeasurements(options.import);
  if (!measured)
    return fail(kToolFailed, "profile: --import: " + measured.message());
  if (measured->empty())
    return fail(kToolFailed, "profile: --import: no measurements in '" + options.import +
                                 "'; name a file, or the folder of one program's runs: "
                                 "measured/<program>/<fingerprint>");
  if (Status written = writeTemporal(*measured, program); !written)
    return fail(kToolFailed, "profile: " + written.message());
  return writeProfiles(options, program,
                       foldMeasurements(staticProfiles(), *measured, device, options.parameters),
                       "from " + std::to_string(measured->size()) + " imported files");
}

/// Where workers ran and what each of them did; the cpu device has no time.
Status addTelemetryOfCpu(const ProfileOptions& options, const std::vector<std::string>& words,
                         const TemporaryFolder& folder, JoinedProfiles& joined) {
  const std::string path = folder.file("telemetry.json");
  setenv("GPUSCHED_TELEMETRY", "1", 1);
  setenv("GPUSCHED_TELEMETRY_OUTPUT", path.c_str(), 1);
  if (int code = runOnCpu(options, "--variant=persistent", words); code != 0)
    return Status::error("'" + words[0] + "' ended with code " + std::to_string(code) +
                         " as persistent kernels");
  Result<MeasurementFile> telemetry = readMeasurement(path);
  if (!telemetry)
    return Status::error("no telemetry: was the program compiled with gpusched-cc, and did it end "
                         "through exit or main? (" +
                         telemetry.message() + ")");
  if (!telemetry->problem.empty())
    return Status::error(telemetry->problem);
  addTelemetry(joined.file, *telemetry);
  return {};
}

int profileOnCpu(const ProfileOptions& options, const std::vector<std::string>& words,
                 const std::string& started, const DeviceDescription& device) {
  Result<std::vector<std::string>> sources =
      options.sources.empty() ? std::vector<std::string>{} : sourcesOf(options);
  if (!sources)
    return fail(kUsageError, "profile: " + sources.message());
  for (const std::string& source : *sources)
    if (source != kTelemetry)
      sayMissing({source + ": it measures a GPU; the cpu device counts and models instead"});
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder)
    return fail(kToolFailed, "profile: " + folder.message());
  for (const char* variable : {"GPUSCHED", "GPUSCHED_VARIANT"})
    unsetenv(variable); // counters are of the native kernels
  const std::string counters = folder->file("counters.json");
  if (int code = runOnCpu(options, "--counters=" + counters, words); code != 0)
    return programFailed(words[0], code);
  Result<ProfileFile> counted = readProfile(counters);
  if (!counted)
    return fail(kToolFailed, "profile: '" + words[0] + "' left no counters (" + counted.message() +
                                 "); did it launch a kernel, and end through exit or main?");
  JoinedProfiles joined = joinProfiles(staticProfiles(), *counted, device, options.parameters);
  if (std::find(sources->begin(), sources->end(), kTelemetry) != sources->end())
    if (Status added = addTelemetryOfCpu(options, words, *folder, joined); !added)
      sayMissing({"telemetry: " + added.message()});
  return writeProfiles(options, counted->program.empty() ? started : counted->program,
                       std::move(joined), "modelled for " + device.name);
}

int profile(const ProfileOptions& options) {
  std::vector<std::string> words = options.line->left();
  if (!words.empty() && (words[0].starts_with('-') || options.command->hasDashes))
    return fail(kUsageError,
                "profile: unknown option " + words[0] + "; see gpusched profile --help");
  if (options.command->hasDashes)
    words = options.command->wordsAfterDashes;
  if (words.empty())
    return fail(kUsageError,
                "profile: no program given; write gpusched profile -- ./app arguments");
  Result<DeviceDescription> device = loadDeviceDescription(options.gpu);
  if (!device)
    return fail(kUsageError, "profile: --gpu=" + options.gpu + ": " + device.message());
  const std::string program = startedProgram(words).name;
  if (!options.import.empty())
    return profileImported(options, program, *device);
  if (options.device == "cuda" || (options.device == "auto" && cudaDevices().ok()))
    return profileOnGpu(options, words, program);
  return profileOnCpu(options, words, program, *device);
}

} // namespace

void addProfile(Command& command) {
  std::shared_ptr<ProfileOptions> options = std::make_shared<ProfileOptions>();
  options->gpu = environment("GPUSCHED_GPU");
  Options sub = command.add(
      "profile", "Profile a program: gpusched profile [OPTIONS] -- PROGRAM [ARGUMENTS...]",
      [options] { return profile(*options); });
  options->command = &command;
  options->line = sub;
  sub.endAtProgram();
  sub.add("--device", options->device,
          "cuda: measure on the GPU; cpu: count on our engine, model a GPU; auto: the GPU "
          "if there is one")
      .oneOf({"cpu", "cuda", "auto"})
      .showDefault();
  sub.add("--sources", options->sources,
          "What to measure, of activity,range,pm,pc (GPU) and telemetry (programs compiled with "
          "--gpusched-telemetry); default: all of the first four that are available");
  sub.add("--budgets", options->budgets,
          "GPU: blocks per SM to measure the curve at, like 1,2,4-8; search: at most five a "
          "kernel, chosen by what was measured")
      .showDefault();
  sub.add("--interval", options->intervalUs, "GPU: microseconds between two samples (pm)")
      .inRange(5, 1000000)
      .showDefault();
  sub.add("--timeout", options->limits.timeoutSeconds, "GPU: seconds for one run").showDefault();
  options->twins.addTo(sub);
  sub.addFlag("--again", options->limits.again, "GPU: measure what has a result too");
  sub.add("--import", options->import,
          "Measure nothing: take a measurement file, Nsight Compute's .csv, or a folder");
  sub.add("-o,--output", options->output, "File to write; default: the profile store");
  sub.add("--gpu", options->gpu, "Device description to model, a name or a .json file")
      .showDefault();
  sub.add("--stall-threshold", options->parameters.stallThresholdPercent,
          "Classifier: percent of stalls that make a kernel memory or l1")
      .showDefault();
  sub.add("--rate", options->parameters.ratePerBlock,
          "Saturation: gain per block that one more block must bring")
      .showDefault();
  sub.add("--window", options->parameters.window, "Saturation: blocks to look ahead").showDefault();
}

} // namespace gpusched::tool
