// Main.cpp - gpusched-cc, the drop-in for nvcc. Read it as the table of contents of a compile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   arguments -> our own options -> nvcc's command line -> plan
//     nothing for us to do: become nvcc
//     else, in a guarded child: transform -> nvcc on the copies -> diagnostics and dependencies
//          mapped back -> static profile -> exit code
//
// Invariants: the exit code and the diagnostics are nvcc's; whatever goes wrong on our side ends
// in plain nvcc; nothing is written beside the user's sources.
#include "tools/gpusched-cc/BuildReport.h"
#include "tools/gpusched-cc/Compile.h"
#include "tools/gpusched-cc/DryRun.h"
#include "tools/gpusched-cc/Guard.h"
#include "tools/gpusched-cc/NvccLocation.h"
#include "tools/gpusched-cc/ProfileOutput.h"
#include "tools/gpusched-cc/ProgramPath.h"

#include <cstdio>

using namespace gpusched;
using namespace gpusched::cc;

namespace {

constexpr int kUsageExitCode = 1; // nvcc's own for a wrong option

int complain(const std::string& message) {
  std::fprintf(stderr, "gpusched-cc: %s\n", message.c_str());
  return kUsageExitCode;
}

int complainUnless(const Status& status) {
  return status.ok() ? 0 : complain(status.message());
}

/// As a compiler launcher our first argument is the compiler: take it off and use it.
std::string takeLaunchedCompiler(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0][0] == '-' || !looksLikeNvcc(arguments[0]))
    return "";
  std::string compiler = arguments[0];
  arguments.erase(arguments.begin());
  return isThisProgram(compiler) ? "" : compiler;
}

int printVersion(const std::string& nvcc) {
  std::printf("gpusched-cc %s, in front of %s\n", GPUSCHED_VERSION, nvcc.c_str());
  std::fflush(stdout);
  return replaceWith({nvcc, "--version"});
}

Command originalCommand(const std::string& nvcc, const std::vector<std::string>& arguments) {
  Command command{nvcc};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

/// nvcc alone, with a line about why when asked for.
int passThrough(const OwnOptions& own, const Command& original, const std::string& why) {
  if (own.explain)
    std::fprintf(stderr, "gpusched-cc: nvcc alone: %s\n", why.c_str());
  return replaceWith(original);
}

int compileGuarded(const CompileRequest& request, TemporaryFolder& folder) {
  GuardResult result = runGuarded(folder, [&] { return compile(request); });
  if (!result.crashed)
    return result.value;
  std::fprintf(stderr,
               "gpusched-cc: remark: compiled by nvcc alone: the transform ended by signal "
               "%d (a fault of gpusched-cc, or no memory left)\n",
               result.value);
  int code = runAttached(request.original);
  return code == 0 && request.own.strict ? kStrictExitCode : code;
}

/// A crash of the parser leaves nvcc's own list.
int listCommands(const OwnOptions& own, const CommandLine& line, const Command& original) {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder)
    return replaceWith(original);
  GuardResult result =
      runGuarded(*folder, [&] { return runAttached(dryRunCommand(own, line, original)); });
  return result.crashed ? runAttached(original) : result.value;
}

} // namespace

int main(int argc, char** argv) {
  // 1. Arguments: ours, then the rest.
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::string launched = takeLaunchedCompiler(arguments);
  Result<OwnOptions> own = takeOwnOptions(arguments);
  if (!own)
    return complain(own.message());
  if (own->help)
    return std::fputs(ownHelp().c_str(), stdout) < 0;
  if (own->options)
    return std::fputs(optionTable().c_str(), stdout) < 0;
  if (own->report && arguments.empty())
    return complainUnless(reportBuild(staticProfileFolder(*own)));

  // 2. The real nvcc.
  Result<std::string> nvcc = findNvcc(launched.empty() ? own->nvcc : launched);
  if (!nvcc)
    return complain(nvcc.message());
  if (own->version)
    return printVersion(*nvcc);

  // 3. The plan, from the arguments alone.
  Command original = originalCommand(*nvcc, arguments);
  if (own->off)
    return passThrough(*own, original, "switched off");
  CommandLine line = CommandLine::parse(arguments);
  makeDivisible(line);
  if (listsOurCommands(*own, line))
    return listCommands(*own, line, original);
  Plan plan = makePlan(line);
  if (!plan.transforms())
    return passThrough(*own, original, plan.passThrough);

  // 4. The compile, in a folder that goes away whatever happens.
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) {
    std::fprintf(stderr, "gpusched-cc: remark: compiled by nvcc alone: %s\n",
                 folder.message().c_str());
    return replaceWith(original);
  }
  return compileGuarded({*own, line, plan, original, folder->path()}, *folder);
}
