// ProgramName.cpp - reads a command as Python does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/support/ProgramName.h"

#include <fstream>
#include <string_view>

namespace gpusched {
namespace {

namespace fs = std::filesystem;

/// "python3.13t", "pypy3"; other programs' names may begin so, too.
bool isPython(std::string_view program) {
  for (const std::string_view name : {"python", "pypy"})
    if (program.starts_with(name))
      return program.find_first_not_of("0123456789.dt", name.size()) == std::string_view::npos;
  return false;
}

/// What the command's first word that is no option, or its option -m, names.
ProgramName namedByPython(const std::vector<std::string>& command) {
  for (size_t at = 1; at < command.size(); ++at) {
    const std::string_view word = command[at];
    if (word == "-") // the script comes by standard input
      return {};
    if (!word.starts_with('-'))
      return {fs::path(word).filename().string(), command[at]};
    if (word == "--check-hash-based-pycs")
      ++at;
    if (word.starts_with("--"))
      continue;
    // Letters of one word, of which these take the rest of it, or the next one.
    const size_t letter = word.find_first_of("cmWX", 1);
    if (letter == std::string_view::npos)
      continue;
    const bool isNext = letter + 1 == word.size();
    if (word[letter] == 'c')
      return {};
    if (word[letter] == 'm' && isNext)
      return {at + 1 < command.size() ? command[at + 1] : "", ""};
    if (word[letter] == 'm')
      return {std::string(word.substr(letter + 1)), ""};
    at += isNext;
  }
  return {};
}

} // namespace

ProgramName programName(const fs::path& executable, const std::vector<std::string>& command) {
  const std::string file = executable.filename().string();
  ProgramName named = isPython(file) ? namedByPython(command) : ProgramName();
  if (named.name.empty() || named.name.find('/') != std::string::npos)
    named.name = file;
  return named;
}

std::string runningProgram() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error)
    return "program";
  std::vector<std::string> command;
  std::ifstream words("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(words, word, '\0');)
    command.push_back(word);
  return programName(executable, command).name;
}

} // namespace gpusched
