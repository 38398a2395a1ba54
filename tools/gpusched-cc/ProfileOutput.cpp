// ProfileOutput.cpp - writes and prints static profiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash in a file name is 64-bit FNV-1a: it only has to be stable and to keep apart the few
// hundred files of a build.
#include "tools/gpusched-cc/ProfileOutput.h"

#include "rt/support/Environment.h"
#include "rt/support/Log.h"
#include "tools/gpusched-cc/ParseArguments.h"
#include "tools/gpusched-cc/Plan.h"

#include <cstdio>
#include <filesystem>

namespace gpusched::cc {
namespace fs = std::filesystem;
namespace {

constexpr const char* kProducer = "gpusched-cc " GPUSCHED_VERSION;

void logFailure(const Status& status) {
  if (!status.ok())
    log(LogLevel::Warning, "static profile not written: %s", status.message().c_str());
}

void printVariant(const char* kind, const VariantProfile& variant) {
  std::fprintf(stderr,
               "    %-10s %-8s %3u registers, %5llu B shared%s, %llu B stack, %llu B spilled, "
               "%u blocks per SM of %u threads (%s)\n",
               kind, variant.target.c_str(), variant.registersPerThread,
               static_cast<unsigned long long>(variant.staticSharedBytes),
               variant.usesDynamicShared ? " + dynamic" : "",
               static_cast<unsigned long long>(variant.stackBytes),
               static_cast<unsigned long long>(variant.spillStoreBytes),
               variant.occupancyBlocksPerSm, variant.occupancyThreads,
               variant.occupancyLimiter.empty() ? "not known" : variant.occupancyLimiter.c_str());
}

void print(const std::vector<KernelProfile>& kernels) {
  for (const KernelProfile& kernel : kernels) {
    const StaticProfile& fixed = kernel.fixed;
    std::fprintf(stderr, "%s:%u: kernel '%s'%s%s\n", fixed.file.c_str(), fixed.line,
                 fixed.kernel.c_str(), fixed.refusal.empty() ? "" : ": native only, ",
                 fixed.refusal.c_str());
    for (const VariantProfile& variant : fixed.native)
      printVariant("native", variant);
    for (const VariantProfile& variant : fixed.persistent)
      printVariant("persistent", variant);
  }
}

} // namespace

std::string hexHash(const std::string& text) {
  uint64_t hash = 14695981039346656037ull;
  for (unsigned char c : text)
    hash = (hash ^ c) * 1099511628211ull;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

std::string staticProfileFolder(const OwnOptions& own) {
  if (own.profile.empty())
    return profileHome() + "/static";
  return fs::path(own.profile).extension() == ".json" ? "" : own.profile;
}

std::string profileFileName(const CommandLine& line, const std::string& source) {
  std::error_code error;
  std::string identity = fs::absolute(source, error).string();
  for (OptionId id : {OptionId::Define, OptionId::Undefine})
    for (const std::string& value : line.values(id))
      identity += "\n" + value;
  for (const std::string& architecture : architecturesOf(line))
    identity += "\n" + architecture;
  return stemOf(source) + "-" + hexHash(identity) + ".json";
}

void writeStaticProfiles(const OwnOptions& own, const CommandLine& line,
                         const std::vector<ProfileInput>& inputs) {
  const bool write = own.profile != "none";
  if (!write && !own.report)
    return;
  const std::string folder = staticProfileFolder(own);
  ProfileFile all;
  all.producer = kProducer;
  for (const ProfileInput& input : inputs) {
    Result<std::vector<KernelProfile>> kernels = makeStaticProfile(input);
    if (!kernels) {
      logFailure(kernels.status());
      continue;
    }
    if (own.report)
      print(*kernels);
    if (write && !folder.empty())
      logFailure(writeProfile(folder + "/" + profileFileName(line, input.source),
                              {kProfileVersion, kProducer, *kernels, ""}));
    all.kernels.insert(all.kernels.end(), kernels->begin(), kernels->end());
  }
  if (write && folder.empty())
    logFailure(writeProfile(own.profile, all));
}

} // namespace gpusched::cc
