// BuildReport.cpp - counts over the profiles of a build.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel compiled into several files (a template in a header) is counted once, by its symbol and
// place. Kernels without a place in a source file are those of libraries such as CUB and thrust:
// they are listed as a number and are in no share.
#include "tools/gpusched-cc/BuildReport.h"

#include "passes/Refusals.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

namespace gpusched::cc {
namespace fs = std::filesystem;
namespace {

struct Growth {
  int registers = 0;
  std::string kernel;
  bool operator<(const Growth& other) const { return registers < other.registers; }
};

struct Totals {
  size_t kernels = 0, converted = 0, libraries = 0;
  std::map<std::string, size_t> refusals; // by code
  std::vector<Growth> growth;             // one per twin and target
  std::vector<std::string> lostBlocks;    // kernels whose twin has fewer resident blocks
};

std::string label(const StaticProfile& kernel) {
  return kernel.kernel + " (" + kernel.file + ":" + std::to_string(kernel.line) + ")";
}

void compareVariants(const StaticProfile& kernel, Totals& totals) {
  for (const VariantProfile& native : kernel.native)
    for (const VariantProfile& twin : kernel.persistent) {
      if (twin.target != native.target)
        continue;
      totals.growth.push_back(
          {static_cast<int>(twin.registersPerThread) - static_cast<int>(native.registersPerThread),
           label(kernel)});
      if (twin.occupancyBlocksPerSm < native.occupancyBlocksPerSm)
        totals.lostBlocks.push_back(label(kernel));
    }
}

void count(const StaticProfile& kernel, Totals& totals) {
  if (kernel.line == 0 && kernel.refusal.empty()) {
    ++totals.libraries;
    return;
  }
  ++totals.kernels;
  if (kernel.persistentSymbol.empty())
    ++totals.refusals[kernel.refusal.substr(0, kernel.refusal.find(':'))];
  else
    ++totals.converted;
  compareVariants(kernel, totals);
}

Totals countAll(const std::vector<ProfileFile>& profiles) {
  Totals totals;
  std::set<std::tuple<std::string, std::string, uint32_t>> seen;
  for (const ProfileFile& profile : profiles)
    for (const KernelProfile& kernel : profile.kernels)
      if (seen.emplace(kernel.fixed.symbol, kernel.fixed.file, kernel.fixed.line).second)
        count(kernel.fixed, totals);
  std::sort(totals.growth.begin(), totals.growth.end());
  return totals;
}

std::string titleOf(const std::string& code) {
  for (const passes::RefusalDescription& refusal : passes::refusalDescriptions())
    if (code == refusal.code)
      return refusal.title;
  return "";
}

std::string line(const char* what, size_t number, const std::string& rest = "") {
  char text[64];
  std::snprintf(text, sizeof text, "%-22s %6zu", what, number);
  return text + (rest.empty() ? "" : "  " + rest) + "\n";
}

std::string registersLine(const std::vector<Growth>& growth) {
  if (growth.empty())
    return "";
  const Growth& tail = growth[std::min(growth.size() - 1, growth.size() * 95 / 100)];
  char text[160];
  std::snprintf(text, sizeof text,
                "registers a thread, persistent minus native: median %+d, 95th percentile %+d, "
                "most %+d in ",
                growth[growth.size() / 2].registers, tail.registers, growth.back().registers);
  return text + growth.back().kernel + "\n";
}

} // namespace

std::string reportText(const std::vector<ProfileFile>& profiles) {
  const Totals totals = countAll(profiles);
  std::string text = line("kernels", totals.kernels);
  text += line("  persistent variant", totals.converted);
  text += line("  native only", totals.kernels - totals.converted);
  for (const auto& [code, number] : totals.refusals)
    text += line(("    " + code).c_str(), number, titleOf(code));
  if (totals.libraries)
    text += line("  of libraries", totals.libraries, "(not in the numbers above)");
  text += registersLine(totals.growth);
  if (!totals.growth.empty())
    text += "twins with fewer resident blocks per SM: " + std::to_string(totals.lostBlocks.size()) +
            " of " + std::to_string(totals.growth.size()) + "\n";
  for (const std::string& kernel : totals.lostBlocks)
    text += "  " + kernel + "\n";
  return text;
}

Status reportBuild(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json")
      paths.push_back(entry.path().string());
  if (paths.empty())
    return Status::error("no static profile in '" + folder +
                         "': nothing was compiled with gpusched-cc yet, or it wrote elsewhere; "
                         "give that folder with --gpusched-profile=DIR");
  std::sort(paths.begin(), paths.end());
  std::vector<ProfileFile> profiles;
  for (const std::string& path : paths) {
    Result<ProfileFile> profile = readProfile(path);
    if (profile)
      profiles.push_back(std::move(*profile));
    else
      log(LogLevel::Warning, "left out of the report: %s", profile.message().c_str());
  }
  std::printf("%zu static profiles in %s\n%s", profiles.size(), folder.c_str(),
              reportText(profiles).c_str());
  return Status();
}

} // namespace gpusched::cc
