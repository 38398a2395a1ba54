// StaticProfile.cpp - one KernelProfile per kernel of a compiled file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Occupancy is for the device of $GPUSCHED_GPU when it has the target's compute capability, else
// for a shipped device that has, else for the former all the same. Its block size is the kernel's
// bound, or 256 threads where it has none.
#include "tools/gpusched-cc/StaticProfile.h"

#include "rt/schema/DeviceDescription.h"
#include "rt/support/Environment.h"
#include "rt/support/KernelName.h"
#include "rt/support/Log.h"
#include "tools/gpusched-cc/CompiledKernels.h"
#include "tools/gpusched-cc/PtxasReport.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace gpusched::cc {
namespace {

constexpr uint32_t kTypicalThreads = 256;

/// The user's GPU, if it is of that target; else the nearest that we ship.
std::optional<DeviceDescription> deviceFor(const std::string& target) {
  const uint32_t number = static_cast<uint32_t>(std::atoi(target.c_str() + 3));
  const uint32_t major = number / 10, minor = number % 10;
  const Result<DeviceDescription> own = loadDeviceDescription(environment("GPUSCHED_GPU"));
  if (own && own->computeMajor == major && own->computeMinor == minor)
    return *own;
  const Result<DeviceDescription> nearest =
      loadDeviceDescription(nearestShippedDevice(major, minor).name);
  return nearest ? std::optional(*nearest) : std::nullopt;
}

/// By target.
using Devices = std::map<std::string, std::optional<DeviceDescription>>;

void addOccupancy(VariantProfile& variant, Devices& devices) {
  variant.occupancyThreads =
      variant.maxThreadsPerBlock ? variant.maxThreadsPerBlock : kTypicalThreads;
  const auto [known, isNew] = devices.try_emplace(variant.target);
  if (isNew)
    known->second = deviceFor(variant.target);
  const std::optional<DeviceDescription>& device = known->second;
  if (!device || variant.registersPerThread == 0)
    return;
  Occupancy limit = occupancy(*device, variant.occupancyThreads, variant.registersPerThread,
                              variant.staticSharedBytes);
  variant.occupancyBlocksPerSm = limit.blocksPerSm;
  variant.occupancyLimiter = limit.limiter;
}

void addSpills(CompiledKernels& kernels, const std::string& ptxasText) {
  for (const PtxasFunction& function : readPtxasReport(ptxasText)) {
    auto found = kernels.find(function.symbol);
    if (found == kernels.end())
      continue;
    for (VariantProfile& variant : found->second)
      if (variant.target == function.architecture) {
        variant.spillStoreBytes = function.spillStoreBytes;
        variant.spillLoadBytes = function.spillLoadBytes;
      }
  }
}

using IsCompiled = std::function<bool(const std::string&)>;

/// The variants of the kernel with that symbol, or that `isCompiled` knows by nvcc's, which is
/// noted.
std::vector<VariantProfile> variantsOf(const CompiledKernels& kernels, std::string& symbol,
                                       const IsCompiled& isCompiled) {
  if (symbol.empty())
    return {};
  CompiledKernels::const_iterator found = kernels.find(symbol);
  if (found == kernels.end())
    found = std::find_if(kernels.begin(), kernels.end(),
                         [&](const auto& kernel) { return isCompiled(kernel.first); });
  if (found == kernels.end())
    return {};
  symbol = found->first;
  return found->second;
}

KernelProfile fromRecord(const passes::KernelRecord& record, const CompiledKernels& kernels) {
  KernelProfile profile;
  StaticProfile& fixed = profile.fixed;
  fixed.kernel = record.qualifiedName;
  fixed.symbol = record.symbol;
  fixed.persistentSymbol = record.persistentSymbol;
  fixed.file = record.where.file;
  fixed.line = record.where.line;
  if (record.refusal)
    fixed.refusal = record.refusal->code + ": " + record.refusal->title;
  fixed.native = variantsOf(kernels, fixed.symbol,
                            [&](const std::string& name) { return record.isNative(name); });
  fixed.persistent = variantsOf(kernels, fixed.persistentSymbol,
                                [&](const std::string& name) { return record.isPersistent(name); });
  return profile;
}

/// By its parameter; those of C linkage are always found by their names.
bool isTwin(const std::string& symbol) {
  return symbol.find("15gpusched_params") != std::string::npos;
}

/// The runtime does not find it either.
void logUnclaimed(const std::string& twin, const std::string& source) {
  log(LogLevel::Warning,
      "%s: no kernel is known by the twin '%s': its kernel runs natively; please report it",
      source.c_str(), twin.c_str());
}

KernelProfile fromLibrary(const std::string& symbol, const std::string& source,
                          const std::vector<VariantProfile>& variants) {
  KernelProfile profile;
  profile.fixed.kernel = kernelName(symbol);
  profile.fixed.symbol = symbol;
  profile.fixed.file = source;
  profile.fixed.native = variants;
  return profile;
}

/// A kernel that runs the blocks of two launches has the name that the runtime calls it by.
void namePair(const std::vector<passes::PairRecord>& pairs, StaticProfile& fixed) {
  if (fixed.symbol.find("8gpusched13pairedKernelsI") == std::string::npos)
    return;
  for (const passes::PairRecord& pair : pairs)
    if (!pair.className.empty() && fixed.symbol.find(std::to_string(pair.className.size()) +
                                                     pair.className + 'E') != std::string::npos) {
      fixed.kernel = pairName(pair.names[0], pair.names[1]);
      fixed.line = pair.where.line;
    }
}

} // namespace

Result<std::vector<KernelProfile>> makeStaticProfile(const ProfileInput& input) {
  Result<CompiledKernels> kernels = readCompiledKernels(input.object);
  if (!kernels)
    return kernels.status();
  addSpills(*kernels, input.ptxasText);
  Devices devices;
  for (auto& [symbol, variants] : *kernels)
    for (VariantProfile& variant : variants)
      addOccupancy(variant, devices);
  std::vector<KernelProfile> profiles;
  std::set<std::string> described;
  for (const passes::KernelRecord& record : input.kernels) {
    if (record.isTemplate)
      continue;
    profiles.push_back(fromRecord(record, *kernels));
    described.insert({profiles.back().fixed.symbol, profiles.back().fixed.persistentSymbol});
  }
  for (const auto& [symbol, variants] : *kernels) {
    if (described.count(symbol))
      continue;
    if (isTwin(symbol)) {
      logUnclaimed(symbol, input.source);
      continue;
    }
    profiles.push_back(fromLibrary(symbol, input.source, variants));
    namePair(input.pairs, profiles.back().fixed);
  }
  return profiles;
}

} // namespace gpusched::cc
