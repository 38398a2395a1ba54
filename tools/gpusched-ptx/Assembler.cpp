// Assembler.cpp - puts another input into ptxas's command.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptx/Assembler.h"

#include "tools/gpusched-cc/ProgramPath.h"
#include "tools/gpusched-ptx/ModuleTwins.h"

#include "rt/schema/TextFile.h"
#include "rt/support/Environment.h"
#include "rt/support/Log.h"
#include "rt/support/TemporaryFolder.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gpusched::twins {
namespace {

namespace fs = std::filesystem;

constexpr int kNotFoundExitCode = 127;

fs::path own() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

/// "" for none.
std::string findPtxas() {
  const std::string named = environment("GPUSCHED_PTXAS");
  return named.empty() ? cc::findOtherInPath("ptxas") : named;
}

/// Place of the one word that is a file of PTX.
std::optional<size_t> inputOf(const cc::Command& command) {
  std::optional<size_t> found;
  for (size_t i = 1; i < command.size(); ++i) {
    if (!command[i].ends_with(".ptx") || command[i].starts_with('-') || command[i - 1] == "-o" ||
        command[i - 1] == "--output-file")
      continue;
    if (found)
      return std::nullopt;
    found = i;
  }
  return found;
}

/// The command on a text with twins; none where there are none, or it fails.
std::optional<int> withTwins(cc::Command command, size_t input) {
  const Result<std::string> ptx = readTextFile(command[input]);
  const Result<TwinText> text = ptx ? addTwins(*ptx) : Result<TwinText>(ptx.status());
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!text || !folder) {
    log(LogLevel::Info, "'%s' gets no twins: %s", command[input].c_str(),
        (text ? folder.status() : text.status()).message().c_str());
    return std::nullopt;
  }
  sayNotes(*text);
  if (text->ptx == *ptx)
    return std::nullopt;
  command[input] = folder->file("twins.ptx");
  if (!writeTextFile(command[input], text->ptx).ok())
    return std::nullopt;
  if (const fs::path bounds = own().parent_path() / "gpusched-ptxas"; fs::exists(bounds))
    command.insert(command.begin(), bounds.string());
  const cc::ProcessResult result = cc::runCollected(command);
  if (!result.ok()) {
    log(LogLevel::Warning, "ptxas does not take a text with twins; it gets the text itself: %s",
        result.errors.substr(0, result.errors.find('\n')).c_str());
    return std::nullopt;
  }
  std::fputs(result.output.c_str(), stdout);
  std::fputs(result.errors.c_str(), stderr);
  return result.exitCode;
}

} // namespace

bool isAssembler(const char* program) {
  return fs::path(program).filename() == "ptxas";
}

int assemble(const cc::Command& command) {
  cc::Command real = command;
  real[0] = findPtxas();
  if (real[0].empty()) {
    std::fputs("gpusched-ptx: error: no ptxas but this one in PATH; name one in GPUSCHED_PTXAS\n",
               stderr);
    return kNotFoundExitCode;
  }
  if (const std::optional<size_t> input = inputOf(real))
    if (const std::optional<int> code = withTwins(real, *input))
      return *code;
  return cc::replaceWith(real);
}

} // namespace gpusched::twins
