// Main.cpp - gpusched-ptxas, in front of ptxas: holds twins to their kernels' registers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   nvcc --ptxas-prefix gpusched-ptxas
//     runs gpusched-ptxas ptxas -arch=sm_90 -v k.ptx -o k.cubin
//
//     no twin in the PTX: ptxas as asked
//     else: ptxas on the twins' native kernels -> their registers
//           a long text, and a cubin that we understand:
//             ptxas on the twins, .maxnreg at each -> no twin spills for it: the two cubins merged
//             the twins again, with more registers for those that do, or where ptxas asks for some
//             and with one register less for those that spill a few words, where that helps
//           else:
//             ptxas on all, .maxnreg at each twin -> no twin spills for it: done
//             all again, as above; in a long text not for the sake of few that spill little
//           (one or two large kernels of a text that cannot be merged: all at once, since often no
//           limit is needed)
//
// Small kernels cost ptxas less than their twins, so asking for them first is cheaper than to
// compile all and then all again. ptxas uses two threads, one for the twins' work, where there is
// memory for them; its code is the same with any number. Whatever goes wrong ends in ptxas as
// asked. PTX that nvcc embeds stays as it is.
#include "tools/gpusched-cc/Process.h"
#include "tools/gpusched-cc/PtxasReport.h"
#include "tools/gpusched-ptxas/CubinMerge.h"
#include "tools/gpusched-ptxas/FunctionAddresses.h"
#include "tools/gpusched-ptxas/RegisterBounds.h"

#include "rt/schema/TextFile.h"
#include "rt/support/Environment.h"
#include "rt/support/TemporaryFolder.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unistd.h>

using namespace gpusched;
using namespace gpusched::ptxas;

namespace {

constexpr int kUsageExitCode = 1;
constexpr const char* kThreads = "2";
constexpr size_t kThreadBytes = 52; // of memory for a byte of PTX, ptxas 13.0; with one thread 28
constexpr size_t kWorthMerging = 16 * 1024; // of PTX: ptxas needs 0.04 s or more

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

/// Is there memory for two threads, if all cores compile such texts? By what the machine has, so
/// that the same text is compiled in the same way again.
bool hasMemoryForThreads(size_t ptxBytes) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  const long cores = std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L);
  return pages <= 0 || ptxBytes * kThreadBytes <= size_t(pages) * size_t(page) / size_t(cores);
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
  static constexpr const char *kFirst = "first.cubin", *kTwins = "twins.cubin";

  static cc::ProcessResult failure() { return {1, "", ""}; }

  cc::ProcessResult assembleBounded() const {
    const Result<TemporaryFolder> folder = TemporaryFolder::make();
    if (!folder)
      return failure();
    const bool merges = mayMerge();
    const bool atOnce = !merges && areFewAndLarge(pairs_, ptx_);
    cc::ProcessResult first = atOnce ? assembleWith({}, *folder) : assembleFirst(merges, *folder);
    if (!first.ok())
      return failure();
    const Report made = cc::readPtxasReport(first.errors);
    const Bounds bounds = boundsFor(pairs_, made);
    if (atOnce && areKept(bounds, made))
      return first;
    if (std::optional<AllParts> others = merges ? partsIn(folder->file(kFirst)) : std::nullopt)
      if (cc::ProcessResult merged = assembleTwins(first, std::move(*others), bounds, *folder);
          merged.ok())
        return merged;
    return assembleReviewed(bounds, made,
                            [&](const Bounds& limits) { return assembleWith(limits, *folder); });
  }

  using Report = std::vector<cc::PtxasFunction>;
  using Attempt = std::function<cc::ProcessResult(const Bounds&)>;

  /// Tries again with more, where ptxas asks for that or twins lack some. `made`: of the natives.
  cc::ProcessResult assembleReviewed(Bounds bounds, Report made, const Attempt& attempt) const {
    cc::ProcessResult result = attempt(bounds);
    if (const Bounds raised = raisedBounds(bounds, result.errors); !result.ok() && raised != bounds)
      result = attempt(bounds = raised);
    const Report report = cc::readPtxasReport(result.errors);
    made.insert(made.end(), report.begin(), report.end());
    const Bounds next = reviewedBounds(bounds, pairs_, made);
    if (result.ok() && isWorthARun(bounds, next, pairs_, made, ptx_, entries_))
      result = attempt(bounds = next);
    return result.ok() ? assembleRelieved(bounds, made, std::move(result), attempt) : result;
  }

  /// `made` with `bounds`: twins that spill a few words try with one register less, and keep that
  /// where they do not spill then. ptxas spills at limits where it does not at lower ones.
  cc::ProcessResult assembleRelieved(const Bounds& bounds, const Report& natives,
                                     cc::ProcessResult made, const Attempt& attempt) const {
    const Bounds spilling =
        spillingTwins(bounds, pairs_, natives, cc::readPtxasReport(made.errors));
    if (spilling.empty() || isLong(ptx_))
      return made;
    const Bounds lower = lowered(bounds, spilling);
    cc::ProcessResult relieved = attempt(lower);
    const Bounds still =
        relieved.ok() ? spillingTwins(lower, pairs_, natives, cc::readPtxasReport(relieved.errors))
                      : spilling;
    return still.empty() ? relieved : attempt(withSome(lower, still, bounds));
  }

  /// Tables of functions whose address is taken are the whole text's, and no cubin of a part shows
  /// that they are missing.
  bool mayMerge() const {
    return environmentFlag("GPUSCHED_CC_MERGE") && linkageOf(command_) == Linkage::Whole &&
           ptx_.size() >= kWorthMerging && callsByNameOnly(ptx_);
  }

  /// Of kernels without limits: all, to be merged, or those of which the registers are wanted.
  cc::ProcessResult assembleFirst(bool merges, const TemporaryFolder& folder) const {
    std::set<std::string> symbols;
    for (const Entry& entry : entries_)
      if (merges && !pairs_.count(entry.symbol))
        symbols.insert(entry.symbol);
    for (const auto& [twin, pair] : pairs_)
      symbols.insert(pair.native);
    return assemble(onlyEntries(ptx_, entries_, symbols), folder.file(kFirst), folder);
  }

  /// The twins alone, merged with `others`, which the run `first` made. Fails where that cannot be.
  cc::ProcessResult assembleTwins(const cc::ProcessResult& first, AllParts others,
                                  const Bounds& bounds, const TemporaryFolder& folder) const {
    std::set<std::string> symbols;
    for (const auto& [twin, pair] : pairs_)
      symbols.insert(twin);
    const std::string alone = onlyEntries(ptx_, entries_, symbols);
    const std::vector<Entry> entries = findEntries(alone);
    cc::ProcessResult result =
        assembleReviewed(bounds, cc::readPtxasReport(first.errors), [&](const Bounds& limits) {
          return assemble(withBounds(alone, entries, limits), folder.file(kTwins), folder);
        });
    if (!result.ok() || !writeMerged(std::move(others), folder.file(kTwins)))
      return failure();
    result.output = first.output + result.output;
    result.errors = cc::joinedReports(first.errors, result.errors);
    return result;
  }

  /// None where the cubin is not understood.
  static std::optional<AllParts> partsIn(const std::string& path) {
    const Result<std::string> bytes = readTextFile(path);
    Result<AllParts> parts = bytes ? partsOf(*bytes) : Result<AllParts>(bytes.status());
    return parts ? std::optional(std::move(*parts)) : std::nullopt;
  }

  bool writeMerged(AllParts others, const std::string& path) const {
    std::optional<AllParts> twins = partsIn(path);
    if (!twins)
      return false;
    std::vector<std::string> order;
    for (const Entry& entry : entries_)
      order.push_back(entry.symbol);
    const Result<std::string> merged = mergedCubin(std::move(others), std::move(*twins), order);
    if (!merged)
      return false;
    // Not writeTextFile, which puts a new file there: the output may be /dev/null.
    std::ofstream file(command_[files_.output], std::ios::binary);
    file << *merged;
    file.close();
    return !file.fail();
  }

  cc::ProcessResult assembleWith(const Bounds& bounds, const TemporaryFolder& folder) const {
    return assemble(withBounds(ptx_, entries_, bounds), command_[files_.output], folder);
  }

  cc::ProcessResult assemble(const std::string& text, const std::string& cubin,
                             const TemporaryFolder& folder) const {
    cc::Command command = command_;
    command[files_.input] = folder.file("bounded.ptx");
    command[files_.output] = cubin;
    const size_t given = command.size();
    if (takesThreads_ && !hasThreads(command) && hasMemoryForThreads(text.size()))
      command.insert(command.end(), {"-split-compile", kThreads});
    std::ofstream(command[files_.input], std::ios::binary) << text;
    cc::ProcessResult result = cc::runCollected(command);
    if (!result.ok() && result.errors.find("Unknown option 'split-compile'") != std::string::npos) {
      takesThreads_ = false; // up to CUDA 12.6
      command.resize(given);
      result = cc::runCollected(command);
    }
    for (size_t at; (at = result.errors.find(command[files_.input])) != std::string::npos;)
      result.errors.replace(at, command[files_.input].size(), command_[files_.input]);
    return result;
  }

  const cc::Command command_;
  const Files files_;
  const std::string ptx_;
  const std::vector<Entry> entries_;
  const Pairs pairs_;
  mutable bool takesThreads_ = true;
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
