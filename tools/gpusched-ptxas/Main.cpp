// Main.cpp - gpusched-ptxas, in front of ptxas: holds twins to their kernels' registers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   nvcc --ptxas-prefix gpusched-ptxas
//     runs gpusched-ptxas ptxas -arch=sm_90 -v k.ptx -o k.cubin
//
//     no twin in the PTX: ptxas as asked
//     else: ptxas on the twins' native kernels -> their registers
//           (on all, where these are one or two large ones: often no limit is needed, and done)
//           ptxas on all, .maxnreg at each twin -> no twin spills for it: done
//           all again, with more registers for those that do, or where ptxas asks for some;
//           in a long text not for the sake of few that spill little
//
// Small kernels cost ptxas less than their twins, so asking for them first is cheaper than to
// compile all and then all again. ptxas uses two threads, one for the twins' work; its code is the
// same with any number. Whatever goes wrong ends in ptxas as asked. PTX that nvcc embeds stays as
// it is.
#include "tools/gpusched-cc/Process.h"
#include "tools/gpusched-cc/PtxasReport.h"
#include "tools/gpusched-ptxas/RegisterBounds.h"

#include "rt/schema/TextFile.h"
#include "rt/support/TemporaryFolder.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <set>
#include <string>

using namespace gpusched;
using namespace gpusched::ptxas;

namespace {

constexpr int kUsageExitCode = 1;
constexpr const char* kThreads = "2";

/// Places of the two file names in ptxas's command.
struct Files {
  size_t input = 0, output = 0;
};

/// None for a command that is not one input, one output, a report, and no debug information.
std::optional<Files> filesOf(const cc::Command& command) {
  Files files;
  bool reports = false;
  for (size_t i = 1; i < command.size(); ++i) {
    if (command[i] == "-g" || command[i] == "--device-debug")
      return std::nullopt;
    reports = reports || command[i] == "-v" || command[i] == "--verbose";
    if (command[i] == "-o" && i + 1 < command.size())
      files.output = ++i;
    else if (command[i].ends_with(".ptx"))
      files.input = files.input ? command.size() : i;
  }
  if (!reports || files.output == 0 || files.input == 0 || files.input == command.size())
    return std::nullopt;
  return files;
}

bool hasThreads(const cc::Command& command) {
  return std::any_of(command.begin(), command.end(), [](const std::string& word) {
    return word.starts_with("-split-compile") || word.starts_with("--split-compile");
  });
}

Linkage linkageOf(const cc::Command& command) {
  const bool isObject = std::any_of(command.begin(), command.end(), [](const std::string& word) {
    return word == "-c" || word == "--compile-only";
  });
  return isObject ? Linkage::Relocatable : Linkage::Whole;
}

class Assembly {
public:
  Assembly(cc::Command command, Files files, std::string ptx)
      : command_(std::move(command)), files_(files), ptx_(std::move(ptx)),
        entries_(findEntries(ptx_)), pairs_(boundablePairs(ptx_, entries_, linkageOf(command_))) {}

  int run() {
    cc::ProcessResult result = pairs_.empty() ? failure() : assembleBounded();
    if (!result.ok())
      return cc::replaceWith(command_);
    std::fputs(result.output.c_str(), stdout);
    std::fputs(result.errors.c_str(), stderr);
    return result.exitCode;
  }

private:
  static cc::ProcessResult failure() { return {1, "", ""}; }

  cc::ProcessResult assembleBounded() const {
    const Result<TemporaryFolder> folder = TemporaryFolder::make();
    if (!folder)
      return failure();
    const bool atOnce = areFewAndLarge(pairs_, ptx_);
    cc::ProcessResult first =
        atOnce ? assembleWith({}, *folder)
               : assemble(nativesAlone(), folder->file("natives.cubin"), *folder);
    if (!first.ok())
      return failure();
    const std::vector<cc::PtxasFunction> made = cc::readPtxasReport(first.errors);
    Bounds bounds = boundsFor(pairs_, made);
    if (atOnce && areKept(bounds, made))
      return first;
    cc::ProcessResult result = assembleWith(bounds, *folder);
    if (const Bounds raised = raisedBounds(bounds, result.errors); !result.ok() && raised != bounds)
      result = assembleWith(bounds = raised, *folder);
    const std::vector<cc::PtxasFunction> report = cc::readPtxasReport(result.errors);
    const Bounds next = reviewedBounds(bounds, pairs_, report);
    return result.ok() && isWorthARun(bounds, next, pairs_, report, ptx_, entries_)
               ? assembleWith(next, *folder)
               : result;
  }

  cc::ProcessResult assembleWith(const Bounds& bounds, const TemporaryFolder& folder) const {
    return assemble(withBounds(ptx_, entries_, bounds), command_[files_.output], folder);
  }

  std::string nativesAlone() const {
    std::set<std::string> natives;
    for (const auto& [twin, pair] : pairs_)
      natives.insert(pair.native);
    return onlyEntries(ptx_, entries_, natives);
  }

  cc::ProcessResult assemble(const std::string& text, const std::string& cubin,
                             const TemporaryFolder& folder) const {
    cc::Command command = command_;
    command[files_.input] = folder.file("bounded.ptx");
    command[files_.output] = cubin;
    if (!hasThreads(command))
      command.insert(command.end(), {"-split-compile", kThreads});
    std::ofstream(command[files_.input], std::ios::binary) << text;
    cc::ProcessResult result = cc::runCollected(command);
    for (size_t at; (at = result.errors.find(command[files_.input])) != std::string::npos;)
      result.errors.replace(at, command[files_.input].size(), command_[files_.input]);
    return result;
  }

  const cc::Command command_;
  const Files files_;
  const std::string ptx_;
  const std::vector<Entry> entries_;
  const Pairs pairs_;
};

} // namespace

int main(int argc, char** argv) {
  const cc::Command command(argv + 1, argv + argc);
  if (command.empty()) {
    std::fputs("usage: gpusched-ptxas PTXAS ARGUMENTS...\n"
               "nvcc runs it in front of ptxas, see docs/gpusched-cc.md\n",
               stderr);
    return kUsageExitCode;
  }
  const std::optional<Files> files = filesOf(command);
  Result<std::string> ptx = readTextFile(files ? command[files->input] : "");
  return ptx ? Assembly(command, *files, *ptx).run() : cc::replaceWith(command);
}
