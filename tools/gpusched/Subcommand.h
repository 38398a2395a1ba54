// Subcommand.h - what a sub-command of gpusched is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To add one: write Name.cpp with `void addName(Command& command)`, which calls command.add(...)
// and gives it options, and put GPUSCHED_SUBCOMMAND(Name) in SubcommandList.def. What it returns
// is the exit code; a failure first prints a message with fail().
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace gpusched::tool {

/// Exit codes of the tool itself; a program that was run gives its own.
inline constexpr int kUsageError = 2;
inline constexpr int kFindings = 99;    // --check found something in a program that ended well
inline constexpr int kToolFailed = 125; // as env(1) and timeout(1)
inline constexpr int kCannotExecute = 126;
inline constexpr int kNotFound = 127;

class Command {
public:
  explicit Command(CLI::App& app) : app_(app) {}

  /// Adds a sub-command; `run` is called after its options have been parsed.
  /// In Main.cpp: CLI11 is all inline, and half of it is needed to make an App.
  CLI::App& add(const std::string& name, const std::string& help, std::function<int()> run);
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
