// Oracle.h - the best that pairs and budgets can give, by trying all of them. At most 8 kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every pair: every two budgets that fit on an SM together, run on the sim device to the end
// (the survivor gets its best budget alone). For every kernel: every budget alone. Then the
// cheapest division of the list into pairs and single kernels, by dynamic programming over
// subsets. Pairs in which a kernel takes more than `maxSlowdown` of its time alone are left out.
// Cost: pairs * budgets^2 runs, and 3^n / 2^n subset steps; for measuring selectors, not for
// scheduling.
#pragma once

#include "rt/device/sim/Simulator.h"

namespace gpusched::sim {

inline constexpr size_t kOracleKernels = 8;

class Oracle {
public:
  explicit Oracle(Simulator& simulator, double maxSlowdown = 1e9)
      : sim_(simulator), maxSlowdown_(maxSlowdown) {}

  struct Best {
    double timeUs = 0;
    std::vector<uint32_t> budgets; // in the order asked; 0 = native
  };
  /// Alone, with the best budget.
  const Best& alone(size_t kernel);
  /// Both at once, with the best budgets; an infinite time when no two budgets fit.
  const Best& together(size_t first, size_t second);
  /// The least time for a list of kernels; error above kOracleKernels.
  Result<double> bestTimeUs(const std::vector<size_t>& kernels);

private:
  Simulator& sim_;
  double maxSlowdown_;
  std::unordered_map<uint64_t, Best> known_;
};

} // namespace gpusched::sim
