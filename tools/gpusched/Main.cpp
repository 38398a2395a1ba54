// Main.cpp - the gpusched command: parses the command line with CLI11 and runs one sub-command.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing of any sub-command is here; SubcommandList.def names them.
#include "tools/gpusched/Subcommand.h"

#include <CLI/CLI.hpp>

#include <cstring>
#include <iostream>
#include <utility>

namespace gpusched::tool {

int fail(int exitCode, const std::string& message) {
  std::cerr << "gpusched: " << message << "\n";
  return exitCode;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::oneOf(std::vector<std::string> values) {
  option_->check(CLI::IsMember(std::move(values)));
  return *this;
}

Option& Option::inRange(uint32_t least, uint32_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::positive() {
  // CLI11's own names the largest double, in all of its 309 digits.
  const auto wrong = [](const std::string& text) -> std::string {
    double value = 0;
    return CLI::detail::lexical_cast(text, value) && value > 0 ? "" : text + " is not above 0";
  };
  option_->check(CLI::Validator(wrong, "POSITIVE"));
  return *this;
}

Option& Option::separatedBy(char delimiter) {
  option_->delimiter(delimiter);
  return *this;
}

Option& Option::showDefault() {
  option_->capture_default_str();
  return *this;
}

Option Options::add(const std::string& names, std::string& value, const std::string& help) {
  return Option(*app_->add_option(names, value, help));
}

Option Options::add(const std::string& names, std::vector<std::string>& value,
                    const std::string& help) {
  return Option(*app_->add_option(names, value, help));
}

Option Options::add(const std::string& names, uint32_t& value, const std::string& help) {
  return Option(*app_->add_option(names, value, help));
}

Option Options::add(const std::string& names, double& value, const std::string& help) {
  return Option(*app_->add_option(names, value, help));
}

void Options::addFlag(const std::string& names, bool& value, const std::string& help) {
  app_->add_flag(names, value, help);
}

void Options::endAtProgram() {
  app_->prefix_command();
}

bool Options::given(const char* name) const {
  return app_->count(name) != 0;
}

std::vector<std::string> Options::left() const {
  return app_->remaining();
}

Options Command::add(const std::string& name, const std::string& help, std::function<int()> run) {
  CLI::App* sub = app_.add_subcommand(name, help);
  sub->final_callback([this, run = std::move(run)] { exitCode_ = run(); });
  return Options(*sub);
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
