// Run.cpp - gpusched run: start a program on a device, under a policy.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns options into the environment variables that the runtime and the cpu device read, then
// becomes the program (exec), so its exit code, signals and terminal are its own; only with
// --check it waits for the program, to give its findings an exit code. On the cpu device it
// also preloads libgpusched_cudart.so, our CUDA runtime; there, and where the runtime may be
// wanted, libgpusched_modules.so, for programs that launch through the driver or compile while they
// run.
//
// Only the program's environment changes; an unset option leaves its variable as it was.
#include "tools/gpusched/ChildProcess.h"
#include "tools/gpusched/DeviceProbe.h"
#include "tools/gpusched/Schedules.h"
#include "tools/gpusched/Subcommand.h"
#include "tools/gpusched/TwinOptions.h"

#include "rt/include/gpusched/LaunchAbi.h"
#include "rt/schema/DeviceDescription.h"
#include "rt/sharing/Board.h"
#include "rt/sharing/Mps.h"
#include "rt/support/ByKernel.h"
#include "rt/support/Environment.h"
#include "rt/support/TemporaryFolder.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace gpusched::tool {
namespace {

constexpr const char* kExhaustive = "exhaustive-small";

struct RunOptions {
  std::string device = "auto", variant, policy, blocksPerSm, sms, fuse, trace, gpu, counters, check,
              checkReport, schedule, workers, priority;
  uint32_t devices = 0;
  bool strict = false, share = false;
  TwinOptions twins;
  const Command* command = nullptr;
  std::optional<Options> line;
  bool given(const char* option) const { return line->given(option); }
};

} // namespace

static void setVariable(const char* name, const std::string& value) {
  setenv(name, value.c_str(), /*overwrite=*/1);
}

static std::optional<uint64_t> budgetIn(const std::string& text) {
  const std::optional<uint64_t> blocks = parseNumber(text, 64);
  return blocks && *blocks > 0 ? blocks : std::nullopt;
}

static std::optional<std::vector<uint32_t>> smsIn(const std::string& text) {
  return parseRanges(text, GPUSCHED_MAX_SMS - 1);
}

static Status checkOptions(const RunOptions& options) {
  if (options.given("--check") && options.check != "memory" && options.check != "race" &&
      options.check != "memory,race" && options.check != "race,memory")
    return Status::error("--check=" + options.check + ": expected memory, race or memory,race");
  if (options.given("--check-report") && !options.given("--check"))
    return Status::error("--check-report needs --check=memory or --check=race");
  if (options.given("--blocks-per-sm") && !readByKernel(options.blocksPerSm, budgetIn))
    return Status::error("--blocks-per-sm=" + options.blocksPerSm +
                         ": expected 1 to 64, for all kernels or some: 4, or 4;stencil=8;spmv=2");
  if (options.given("--sms") && !readByKernel(options.sms, smsIn))
    return Status::error("--sms=" + options.sms + ": expected a list of SM ids below " +
                         std::to_string(GPUSCHED_MAX_SMS) +
                         ", for all kernels or some: 0-3,7, or stencil=0-65;spmv=66-131");
  if (options.given("--schedule") && options.schedule != kExhaustive &&
      options.schedule.find_first_not_of("0123456789") != std::string::npos)
    return Status::error("--schedule=" + options.schedule +
                         ": expected a number or exhaustive-small");
  if (options.schedule == kExhaustive && options.given("--check"))
    return Status::error("--schedule=exhaustive-small and --check do not go together; check under "
                         "some seeds instead");
  const std::string set = environment("GPUSCHED");
  if (options.share && !options.given("--policy") && (set == "0" || set == "1"))
    return Status::error("--share needs --policy: it is policies that look at other processes");
  if (options.given("--priority") && !options.share && environment("GPUSCHED_SHARE") == "0")
    return Status::error("--priority needs --share: it is over kernels of other processes");
  if (options.given("--gpu")) {
    Result<DeviceDescription> device = loadDeviceDescription(options.gpu);
    if (!device.ok())
      return Status::error("--gpu=" + options.gpu + ": " + device.message());
  }
  return {};
}

/// "cpu" or "cuda", for --device=auto too.
static Result<std::string> chooseDevice(const RunOptions& options) {
  if (options.device == "cpu")
    return options.device;
  Result<int> devices = cudaDevices();
  if (devices.ok())
    return std::string("cuda");
  if (options.device == "auto")
    return std::string("cpu");
  return Status::error("--device=cuda: " + devices.message() +
                       "; use --device=cpu to run without a GPU");
}

/// Options that only our own device understands.
static Status checkDeviceOptions(const RunOptions& options, const std::string& device) {
  for (const char* option :
       {"--gpu", "--schedule", "--counters", "--workers", "--check", "--devices", "--strict"})
    if (device == "cuda" && options.given(option))
      return Status::error(std::string(option) + " belongs to the cpu device, but the program " +
                           "would run on a GPU; add --device=cpu");
  return {};
}

/// The runtime is opened only when asked for.
static bool wantsRuntime(const RunOptions& options) {
  return options.given("--policy") || options.given("--blocks-per-sm") || options.given("--sms") ||
         options.given("--trace") || options.variant == "persistent" || options.fuse == "always";
}

static bool isOff(const char* set) {
  return !set || std::strcmp(set, "") == 0 || std::strcmp(set, "0") == 0;
}

/// "1" asks for the runtime without a policy; who has set a policy keeps it.
static void askForRuntime(const RunOptions& options) {
  if (!options.policy.empty())
    setVariable("GPUSCHED", options.policy);
  else if (isOff(std::getenv("GPUSCHED")) && wantsRuntime(options))
    setVariable("GPUSCHED", "1");
}

/// There is no MPS that processes on the cpu device would need. A folder that the user has set
/// stays.
static std::string shareFolder(const RunOptions& options, const std::string& device) {
  if (!options.share || !Board::namedFolder().empty())
    return "";
  return device == "cpu" ? Board::defaultFolder() : "1";
}

/// Streams that share a connection to the GPU wait for each other's work, and some of the runtime's
/// wait for kernels to end. CUDA gives a process 8. Clients of MPS share those that there are.
static void askForConnections() {
  if (!isOff(std::getenv("GPUSCHED")) && mpsFolder().empty())
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", /*overwrite=*/0);
}

static void exportOptions(const RunOptions& options, const std::string& device) {
  askForRuntime(options);
  askForConnections();
  const std::pair<const char*, std::string> kVariables[] = {
      {"GPUSCHED_VARIANT", options.variant},
      {"GPUSCHED_BLOCKS_PER_SM", options.blocksPerSm},
      {"GPUSCHED_SMS", options.sms},
      {"GPUSCHED_FUSE", options.fuse},
      {"GPUSCHED_TRACE", options.trace},
      {"GPUSCHED_SHARE", shareFolder(options, device)},
      {"GPUSCHED_PRIORITY", options.priority},
      {"GPUSCHED_GPU", options.gpu},
      {"GPUSCHED_SCHEDULE", options.schedule == kExhaustive ? "" : options.schedule},
      {"GPUSCHED_WORKERS", options.workers},
      {"GPUSCHED_DEVICE_COUNT", options.devices ? std::to_string(options.devices) : ""},
      {"GPUSCHED_COUNTERS", options.counters},
      {"GPUSCHED_CHECK", options.check},
      {"GPUSCHED_STRICT", options.strict ? "1" : ""},
  };
  for (const std::pair<const char*, std::string>& variable : kVariables)
    if (!variable.second.empty())
      setVariable(variable.first, variable.second);
  if (options.priority == "low") // of what has no budget, MPS runs the others' blocks first
    setenv("CUDA_MPS_CLIENT_PRIORITY", "1", /*overwrite=*/0);
  const std::filesystem::path runtime = ownFile("lib/libgpusched_rt.so");
  if (std::filesystem::exists(runtime))
    setVariable("GPUSCHED_RT", runtime.string());
}

/// Runs the program, and says by the exit code whether the checks found something.
static int runChecked(std::vector<std::string>& words, const RunOptions& options) {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder)
    return fail(kToolFailed, "run: " + folder.message());
  const std::string report =
      options.checkReport.empty() ? folder->file("findings") : options.checkReport;
  setVariable("GPUSCHED_CHECK_REPORT", report);
  std::error_code error;
  std::filesystem::remove(report, error);
  const int code = runAndWait(words);
  const auto bytes = std::filesystem::file_size(report, error);
  if (code != 0)
    return code;
  if (error)
    return fail(kToolFailed, "run: --check: '" + words[0] +
                                 "' used no CUDA runtime of ours, or ended without exit()");
  return bytes == 0 ? 0 : kFindings;
}

static int run(const RunOptions& options) {
  std::vector<std::string> words = options.line->left();
  if (!words.empty() && (words[0].starts_with('-') || options.command->hasDashes))
    return fail(kUsageError, "run: unknown option " + words[0] + "; see gpusched run --help");
  if (options.command->hasDashes)
    words = options.command->wordsAfterDashes;
  if (words.empty())
    return fail(kUsageError, "run: no program given; write gpusched run [options] -- ./app args");
  if (Status status = checkOptions(options); !status.ok())
    return fail(kUsageError, "run: " + status.message());
  Result<std::string> device = chooseDevice(options);
  if (!device.ok())
    return fail(kToolFailed, "run: " + device.message());
  if (Status status = checkDeviceOptions(options, *device); !status.ok())
    return fail(kUsageError, "run: " + status.message());
  exportOptions(options, *device);
  if (*device == "cpu") {
    // There is no time to measure by.
    setenv("GPUSCHED_PAIRS", "none", /*overwrite=*/0);
    setenv("GPUSCHED_TELEMETRY_TIMES", "0", /*overwrite=*/0);
    setenv("GPUSCHED_TRACE_TIMES", "0", /*overwrite=*/0);
    setenv("GPUSCHED_PTX_CODE", "1", /*overwrite=*/0); // nothing else runs
    for (const char* library : {"driver/libcuda.so.1", "driver/libcuda.so", "libgpusched_cudart.so",
                                "libgpusched_cudart12.so"})
      if (Status status = preload(library); !status.ok())
        return fail(kToolFailed, "run: " + status.message());
    searchFirst("lib/driver");
    prepareCompilers();
  }
  options.twins.exportAll();
  if (*device == "cpu" || wantsRuntime(options)) // in front of what the driver's functions are
    if (Status status = preload("libgpusched_modules.so"); !status.ok())
      return fail(kToolFailed, "run: " + status.message());
  if (options.schedule == kExhaustive)
    return runUnderAllOrders(words);
  return options.given("--check") ? runChecked(words, options) : become(words);
}

void addRun(Command& command) {
  std::shared_ptr<RunOptions> options = std::make_shared<RunOptions>();
  Options sub =
      command.add("run", "Run a program: gpusched run [OPTIONS] -- PROGRAM [ARGUMENTS...]",
                  [options] { return run(*options); });
  options->command = &command;
  options->line = sub;
  sub.endAtProgram();
  sub.add("--device", options->device,
          "cpu: our engine, no GPU; cuda: the GPU; auto: the GPU if there is one")
      .oneOf({"cpu", "cuda", "auto"})
      .showDefault();
  sub.add("--variant", options->variant, "Force one variant of every rewritten kernel")
      .oneOf({"native", "persistent", "auto"});
  sub.add("--blocks-per-sm", options->blocksPerSm,
          "Budget of persistent kernels, per SM: 4, or 4;stencil=8 for some by name");
  sub.add("--sms", options->sms,
          "SMs that persistent kernels may use: 0-3,7, or stencil=0-65;spmv=66-131");
  sub.add("--fuse", options->fuse, "Launches that stand side by side become one")
      .oneOf({"auto", "never", "always"});
  sub.add("--policy", options->policy, "Scheduling policy");
  sub.addFlag("--share", options->share,
              "The policy sees the kernels of all processes that were started so; on a GPU, under "
              "MPS");
  sub.add("--priority", options->priority,
          "Of this program's kernels: lower ones step back while higher ones run")
      .oneOf({"low", "normal", "high"});
  options->twins.addTo(sub);
  sub.add("--trace", options->trace, "Write launches and decisions to this file");
  sub.add("--gpu", options->gpu, "cpu device: description to obey, a name or a .json file");
  sub.add("--devices", options->devices, "cpu device: how many the program sees, all alike")
      .inRange(1, 16);
  sub.add("--schedule", options->schedule,
          "cpu device: seed of the order of blocks and warps, 0 = in order; or "
          "exhaustive-small: all block orders of small launches, one run each");
  sub.add("--workers", options->workers, "cpu device: host threads; 0 = one per core")
      .inRange(0, 1024);
  sub.add("--counters", options->counters, "cpu device: write kernel counters to this file");
  sub.addFlag("--strict", options->strict,
              "cpu device: round the product of every fma.rn, so that original and transformed "
              "kernels must give equal bits whatever the compiler contracted");
  sub.add("--check", options->check,
          "cpu device: memory, race, or both; exit code 99 when something was found");
  sub.add("--check-report", options->checkReport,
          "cpu device: write the findings there, sorted, one a line");
}

} // namespace gpusched::tool
