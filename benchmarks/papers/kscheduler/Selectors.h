// Selectors.h - how good a policy's choices are, against trying everything.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pair is a choice with a sign: together or apart. It is wrong when
//   harmful  together, and slower than 0.98 of one after the other as launched: what the
//            no-regret rule would forbid
//   missed   apart, though the best budgets together, each kernel within the limit, save 5 % of
//            the time of the best budgets apart
// The limit is the policy's own: the largest slowdown it may cost a kernel. A plan above 1.05 times
// that limit is counted too.
#pragma once

#include "benchmarks/papers/kscheduler/Workloads.h"

#include "rt/device/sim/Simulator.h"
#include "rt/policy/Policy.h"

#include <memory>
#include <string>
#include <vector>

namespace gpusched::thesis {

inline constexpr const char* kPolicies[] = {"bottleneck", "kscheduler", "warped-slicer", "even",
                                            "fifo",       "left-over",  "serial"};

struct SelectorOptions {
  std::string set;          // POLICY.NAME=VALUE,...
  double noise = 0;         // of the utilisations and EPC that policies see
  double maxSlowdown = 1e9; // of the oracle's pairs
};

/// The policy with its parameters of `options.set`.
std::unique_ptr<Policy> policyFor(const std::string& name, const SelectorOptions& options);

/// What a policy sees of a kernel: its profile, measured with an error of up to `noise`.
PolicyKernel seen(const sim::Simulator& simulator, size_t kernel, double noise);

struct SelectorQuality {
  double pairs = 0, quality = 0, least = 1; // quality: sum of oracle's time / policy's
  double together = 0, harmful = 0, missed = 0, overLimit = 0;
  void add(const SelectorQuality& other);
};
/// All pairs of the simulator's kernels.
SelectorQuality qualityOnPairs(sim::Simulator& simulator, const Policy& policy,
                               const SelectorOptions& options);
void printQuality(const std::string& name, const SelectorQuality& quality);

/// Whole lists against the oracle over pairs and budgets.
void printLists(sim::Simulator& simulator, const std::vector<Workload>& all,
                const SelectorOptions& options);

/// How far predicted speeds beside a partner are from the sim's, over all pairs.
std::vector<double> predictionErrors(sim::Simulator& simulator, const SelectorOptions& options);
void printErrors(std::vector<double> errors);

} // namespace gpusched::thesis
