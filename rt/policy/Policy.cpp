// Policy.cpp - the table of policies, and what they share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PolicyList.def is included twice: for the factories' declarations and for the table.
#include "rt/policy/Policy.h"

#include <algorithm>

namespace gpusched {

#define GPUSCHED_POLICY(type, name, help) std::unique_ptr<Policy> make##type();
#include "rt/policy/PolicyList.def"

namespace {

using Factory = std::unique_ptr<Policy> (*)();
struct Known {
  const char* name;
  Factory factory;
};
constexpr Known kFactories[] = {
#define GPUSCHED_POLICY(type, name, help) {name, make##type},
#include "rt/policy/PolicyList.def"
};

} // namespace

void PolicyKernel::learn(const DynamicProfile& profile) {
  profiled = true;
  kernelClass = profile.kernelClass;
  saturationBlocksPerSm = profile.saturationBlocksPerSm;
  blocks = profile.blocks;
  timeUs = profile.timeUs;
  persistentTimeUs = profile.persistentTimeUs;
  dramGbPerSecond = profile.dramGbPerSecond;
  gflops = profile.gflops;
  eligibleWarpsPerCycle = profile.eligibleWarpsPerCycle;
  l1TransactionsPerSecond = profile.l1TransactionsPerSecond;
  budgetCurve = profile.budgetCurve;
  utilisation = profile.utilisation;
  stallMemory = profile.stallMemory;
  l1Hits = profile.l1Hits, l1BytesPerWarp = profile.l1BytesPerWarp;
  l2Hits = profile.l2Hits, l2BytesPerWarp = profile.l2BytesPerWarp;
}

bool runInTurn(const RunningKernel& a, const RunningKernel& b) {
  return a.kernel == b.kernel && a.stream == b.stream && a.set == b.set &&
         a.blocksPerSm == b.blocksPerSm;
}

void addRunning(std::vector<RunningKernel>& running, const RunningKernel& launch) {
  for (RunningKernel& known : running)
    if (runInTurn(known, launch)) {
      known.lastSequence = launch.lastSequence;
      return;
    }
  running.push_back(launch);
}

bool mayRunBeside(const RunningKernel& running, uint64_t stream, const std::vector<uint64_t>& after,
                  const std::vector<RunningKernel>& all) {
  if (running.stream == stream)
    return false;
  for (const RunningKernel& other : all)
    if (other.stream == running.stream && other.lastSequence >= running.lastSequence &&
        std::find(after.begin(), after.end(), other.lastSequence) != after.end())
      return false;
  return true;
}

const std::vector<PolicyEntry>& policyTable() {
  static const std::vector<PolicyEntry> kTable = {
#define GPUSCHED_POLICY(type, name, help) {name, help},
#include "rt/policy/PolicyList.def"
  };
  return kTable;
}

Result<std::unique_ptr<Policy>> makePolicy(const std::string& name) {
  std::string names;
  for (const Known& known : kFactories) {
    if (name == known.name)
      return known.factory();
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  return Status::error("no policy '" + name + "'; there are: " + names);
}

} // namespace gpusched
