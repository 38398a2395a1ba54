// Profile.cpp - gpusched profile: runs a program once and learns its kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   run the program natively on the cpu device, counting    gpusched run --counters
//   join the counters with gpusched-cc's static profiles    rt/profile/JoinProfiles.h
//   model times, rates and stalls; find saturation and class
//   write $GPUSCHED_HOME/dynamic/<program>.json             read by the runtime
//
// The program's output and exit code stay its own; what is said about the profile goes to
// stderr. Measuring on a GPU (CUPTI) is not there yet and says so.
#include "tools/gpusched/Subcommand.h"

#include "rt/profile/JoinProfiles.h"
#include "rt/profile/ProfileStore.h"
#include "rt/support/Environment.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>

namespace gpusched::tool {
namespace {

struct ProfileOptions {
  std::string device = "cpu", output, gpu = "h200";
  JoinParameters parameters;
  const Command* command = nullptr;
  const CLI::App* app = nullptr;
};

/// A file of ours in a fresh temporary folder; both go away with it.
class TemporaryFile {
public:
  TemporaryFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpusched-XXXXXX").string();
    if (mkdtemp(pattern.data()))
      folder_ = pattern;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    if (!folder_.empty())
      std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  bool ok() const { return !folder_.empty(); }
  std::string path() const { return (folder_ / "counters.json").string(); }

private:
  std::filesystem::path folder_;
};

/// Runs `words` and waits; the exit code, or 128 + the signal that ended it.
int runAndWait(std::vector<std::string> words) {
  pid_t child = fork();
  if (child == 0) {
    std::vector<char*> arguments;
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    unsetenv("GPUSCHED"); // counters are of the native kernels
    unsetenv("GPUSCHED_VARIANT");
    execv(arguments[0], arguments.data());
    _exit(kCannotExecute);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0)
    return kToolFailed;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<std::string> runCommand(const ProfileOptions& options, const std::string& counters,
                                    const std::vector<std::string>& words) {
  std::vector<std::string> all = {std::filesystem::read_symlink("/proc/self/exe").string(),
                                  "run",
                                  "--device=cpu",
                                  "--gpu=" + options.gpu,
                                  "--counters=" + counters,
                                  "--"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

void sayWhatIsMissing(const JoinedProfiles& joined) {
  for (const std::string& symbol : joined.withoutStatic)
    std::cerr << "gpusched: profile: no static profile of '" << symbol
              << "': registers are unknown, so its budget may be too high; compile the program "
                 "with gpusched-cc and the same GPUSCHED_HOME\n";
}

int writeJoined(const ProfileOptions& options, const std::string& program,
                const ProfileFile& counters, const DeviceDescription& device) {
  JoinedProfiles joined = joinProfiles(loadProfiles(ProfileStore::staticFolder(profileHome())),
                                       counters, device, options.parameters);
  joined.file.producer = "gpusched profile";
  sayWhatIsMissing(joined);
  std::string path =
      options.output.empty() ? ProfileStore::dynamicPath(profileHome(), program) : options.output;
  if (Status written = writeProfile(path, joined.file); !written)
    return fail(kToolFailed, "profile: " + written.message());
  std::cerr << "gpusched: profile: " << joined.file.kernels.size() << " kernels, modelled for "
            << device.name << ", written to " << path << "\n";
  return 0;
}

int profile(const ProfileOptions& options) {
  std::vector<std::string> words = options.app->remaining();
  if (!words.empty() && (words[0].rfind("-", 0) == 0 || options.command->hasDashes))
    return fail(kUsageError,
                "profile: unknown option " + words[0] + "; see gpusched profile --help");
  if (options.command->hasDashes)
    words = options.command->wordsAfterDashes;
  if (words.empty())
    return fail(kUsageError,
                "profile: no program given; write gpusched profile -- ./app arguments");
  if (options.device != "cpu")
    return fail(kUsageError, "profile: --device=cuda is not available yet: it needs a CUPTI "
                             "source; use --device=cpu, which models a GPU");
  Result<DeviceDescription> device = loadDeviceDescription(options.gpu);
  if (!device)
    return fail(kUsageError, "profile: --gpu=" + options.gpu + ": " + device.message());
  TemporaryFile counters;
  if (!counters.ok())
    return fail(kToolFailed, std::string("profile: cannot make a temporary folder: ") +
                                 std::strerror(errno) + "; set TMPDIR");
  int code = runAndWait(runCommand(options, counters.path(), words));
  if (code != 0)
    return fail(code, "profile: '" + words[0] + "' ended with code " + std::to_string(code) +
                          "; no profile written");
  Result<ProfileFile> counted = readProfile(counters.path());
  if (!counted)
    return fail(kToolFailed, "profile: '" + words[0] + "' left no counters (" + counted.message() +
                                 "); did it launch a kernel, and end through exit or main?");
  std::string program = std::filesystem::path(words[0]).filename().string();
  return writeJoined(options, program, *counted, *device);
}

} // namespace

void addProfile(Command& command) {
  std::shared_ptr<ProfileOptions> options = std::make_shared<ProfileOptions>();
  options->gpu = environment("GPUSCHED_GPU");
  CLI::App& sub = command.add(
      "profile", "Profile a program: gpusched profile [OPTIONS] -- PROGRAM [ARGUMENTS...]",
      [options] { return profile(*options); });
  options->command = &command;
  options->app = &sub;
  sub.prefix_command();
  sub.add_option("--device", options->device, "cpu: count on our engine, model a GPU")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  sub.add_option("-o,--output", options->output, "File to write; default: the profile store");
  sub.add_option("--gpu", options->gpu, "Device description to model, a name or a .json file")
      ->capture_default_str();
  sub.add_option("--stall-threshold", options->parameters.stallThresholdPercent,
                 "Classifier: percent of stalls that make a kernel memory or l1")
      ->capture_default_str();
  sub.add_option("--rate", options->parameters.ratePerBlock,
                 "Saturation: gain per block that one more block must bring")
      ->capture_default_str();
  sub.add_option("--window", options->parameters.window, "Saturation: blocks to look ahead")
      ->capture_default_str();
}

} // namespace gpusched::tool
