// Subcommand.h - what a sub-command of gpusched is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To add one: write Name.cpp with `void addName(Command& command)`, which calls command.add(...)
// and gives it options, and put GPUSCHED_SUBCOMMAND(Name) in SubcommandList.def. What it returns
// is the exit code; a failure first prints a message with fail().
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI { // all inline, and seconds to compile: in Main.cpp only
class App;
class Option;
} // namespace CLI

namespace gpusched::tool {

/// Exit codes of the tool itself; a program that was run gives its own.
inline constexpr int kUsageError = 2;
inline constexpr int kFindings = 99;    // --check found something in a program that ended well
inline constexpr int kToolFailed = 125; // as env(1) and timeout(1)
inline constexpr int kCannotExecute = 126;
inline constexpr int kNotFound = 127;

/// What an option takes. A value that it does not is a usage error, before the sub-command runs.
class Option {
public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required();
  Option& oneOf(std::vector<std::string> values);
  Option& inRange(uint32_t least, uint32_t most);
  Option& positive();
  Option& separatedBy(char delimiter);
  Option& showDefault(); // in --help

private:
  CLI::Option* option_;
};

/// The options of a sub-command. The values that they are given to must outlive its run. A name
/// without dashes is a word by its place.
class Options {
public:
  explicit Options(CLI::App& app) : app_(&app) {}

  /// `value` is its default, and what the user gives where that is given.
  Option add(const std::string& names, std::string& value, const std::string& help);
  Option add(const std::string& names, std::vector<std::string>& value, const std::string& help);
  Option add(const std::string& names, uint32_t& value, const std::string& help);
  Option add(const std::string& names, double& value, const std::string& help);
  void addFlag(const std::string& names, bool& value, const std::string& help);
  /// The first word that is no option, and all after it, are left as they are.
  void endAtProgram();

  bool given(const char* name) const;
  std::vector<std::string> left() const;

private:
  CLI::App* app_;
};

class Command {
public:
  explicit Command(CLI::App& app) : app_(app) {}

  /// Adds a sub-command; `run` is called after its options have been parsed.
  Options add(const std::string& name, const std::string& help, std::function<int()> run);
  int exitCode() const { return exitCode_; }

  /// The words after "--": a program and its arguments. They are not parsed.
  std::vector<std::string> wordsAfterDashes;
  bool hasDashes = false;

private:
  CLI::App& app_;
  int exitCode_ = 0;
};

/// Prints "gpusched: message" to stderr; returns `exitCode`.
int fail(int exitCode, const std::string& message);

#define GPUSCHED_SUBCOMMAND(NAME) void add##NAME(Command& command);
#include "tools/gpusched/SubcommandList.def"

} // namespace gpusched::tool
