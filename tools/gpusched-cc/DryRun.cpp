// DryRun.cpp - copies that stay, and the nvcc command over them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder's name hashes the command without what changes from run to run (--keep-dir names a
// fresh folder each time): paths inside preprocessed text must repeat for a cache to hit. Copies
// are replaced by rename, and equal commands write equal text, so nobody reads half a file.
#include "tools/gpusched-cc/DryRun.h"

#include "rt/support/Environment.h"
#include "tools/gpusched-cc/Plan.h"
#include "tools/gpusched-cc/ProfileOutput.h"
#include "tools/gpusched-cc/Resources.h"
#include "tools/gpusched-cc/Rewrite.h"
#include "tools/gpusched-cc/Steps.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace gpusched::cc {
namespace fs = std::filesystem;
namespace {

using Id = OptionId;

bool startedBySccache() {
  std::ifstream file("/proc/" + std::to_string(::getppid()) + "/comm");
  std::string name;
  return std::getline(file, name) && name == "sccache";
}

/// The compile that is being asked about.
std::vector<std::string> compileArguments(const CommandLine& line) {
  std::vector<std::string> arguments;
  for (const Argument& argument : line.arguments())
    if (argument.origin == Argument::Origin::Command && argument.id != Id::DryRun &&
        argument.id != Id::Keep && argument.id != Id::SaveTemps && argument.id != Id::KeepDirectory)
      arguments.insert(arguments.end(), argument.tokens.begin(), argument.tokens.end());
  return arguments;
}

std::string stableFolder(const std::vector<std::string>& arguments, const std::string& nvcc) {
  std::error_code ignored;
  std::string identity = fs::current_path(ignored).string() + "\n" + nvcc;
  for (const std::string& argument : arguments)
    identity += "\n" + argument;
  return profileHome() + "/dryrun/" + hexHash(identity);
}

} // namespace

bool listsOurCommands(const OwnOptions& own, const CommandLine& line) {
  return line.has(Id::DryRun) && (own.dryrun || startedBySccache());
}

Command dryRunCommand(const OwnOptions& own, const CommandLine& line, const Command& original) {
  const std::vector<std::string> arguments = compileArguments(line);
  const CommandLine compile = CommandLine::parse(arguments);
  const Plan plan = makePlan(compile);
  const Result<std::string> headers = includeFolder();
  if (!plan.transforms() || plan.product != Product::Object || plan.files.size() != 1 ||
      compile.inputs().size() != 1 || !headers)
    return original;
  StepContext context{line,
                      plan,
                      original[0],
                      stableFolder(arguments, original[0]),
                      *headers + "/gpusched/Launch.h",
                      "",
                      "",
                      own.telemetry,
                      false};
  std::error_code error;
  fs::create_directories(folderOf(context, 0), error);
  const Rewrite rewrite = std::move(rewriteFiles(context, own)[0]);
  if (rewrite.trouble.empty())
    return makeStep(context, 0, rewrite.copy, rewrite.result.quoteFolders).command;
  std::fprintf(stderr, "gpusched-cc: remark: --dryrun of the original: %s\n",
               rewrite.trouble.c_str());
  return original;
}

} // namespace gpusched::cc
