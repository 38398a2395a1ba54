// PairTruth.h - what two synthetic applications do to each other on the sim device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both begin together; the other begins again whenever it is over, until the job has ended. Host
// time and copies pass beside anything (copies of both at once: at half the rate each, one link).
// Kernels, at the rates that the sim device gives both when resident together: the one that began
// first has what it needs and the other what is left over, as under MPS; where nothing is left it
// waits. Or both have the budgets of a policy of ours, where it puts them together. So memory
// phases that meet cost more than memory phases that miss each other.
#pragma once

#include "benchmarks/papers/applications/SyntheticApplications.h"

#include "rt/cluster/LearntPairs.h"
#include "rt/device/sim/Simulator.h"

#include <map>

namespace gpusched::papers {

/// Keeps references to all it is made of. Not thread-safe: it remembers.
class PairTruth final : public cluster::PairModel {
public:
  /// `inside`: what divides each GPU's SMs; null = the hardware.
  PairTruth(sim::Simulator& simulator, const std::vector<SyntheticApplication>& applications,
            const Policy* inside = nullptr);

  /// By the applications' places in the vector given.
  double slowdown(size_t job, size_t other) const;
  /// REQUIRES: applications of that vector.
  double slowdown(const cluster::Application& job,
                  const cluster::Application& other) const override;

  /// Every application beside every other one and itself.
  std::vector<cluster::MeasuredPair> all() const;

private:
  struct Rates {
    double first = 1, second = 1; // of alone
  };
  const Rates& ratesOf(size_t firstKernel, size_t secondKernel) const;
  std::vector<Member> placed(size_t firstKernel, size_t secondKernel) const;

  sim::Simulator& simulator_;
  const std::vector<SyntheticApplication>& applications_;
  const Policy* inside_;
  std::map<const cluster::Application*, size_t> places_;
  mutable std::map<std::pair<size_t, size_t>, Rates> rates_;
  mutable std::map<std::pair<size_t, size_t>, double> slowdowns_;
  friend class PairRun;
};

} // namespace gpusched::papers
