// Main.cpp - the gpusched command: parses the command line and runs one sub-command.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing of any sub-command is here; SubcommandList.def names them.
#include "tools/gpusched/Subcommand.h"

#include <cstring>
#include <iostream>
#include <utility>

namespace gpusched::tool {

int fail(int exitCode, const std::string& message) {
  std::cerr << "gpusched: " << message << "\n";
  return exitCode;
}

CLI::App& Command::add(const std::string& name, const std::string& help, std::function<int()> run) {
  CLI::App* sub = app_.add_subcommand(name, help);
  sub->final_callback([this, run = std::move(run)] { exitCode_ = run(); });
  return *sub;
}

/// Cuts "-- words" off the end of the command line; returns how many arguments are left.
static int cutAtDashes(Command& command, int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--") != 0)
      continue;
    command.hasDashes = true;
    command.wordsAfterDashes.assign(arguments + i + 1, arguments + count);
    return i;
  }
  return count;
}

static int runCommandLine(int count, char** arguments) {
  CLI::App app("gpusched: run, profile and schedule CUDA programs, with or without a GPU.");
  app.require_subcommand(1);
  Command command(app);
#define GPUSCHED_SUBCOMMAND(NAME) add##NAME(command);
#include "tools/gpusched/SubcommandList.def"
  try {
    app.parse(cutAtDashes(command, count, arguments), arguments);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return fail(kUsageError, std::string(error.what()) + "; see gpusched --help");
  }
  return command.exitCode();
}

} // namespace gpusched::tool

int main(int count, char** arguments) {
  return gpusched::tool::runCommandLine(count, arguments);
}
