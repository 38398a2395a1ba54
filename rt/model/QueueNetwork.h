// QueueNetwork.h - approximate mean-value analysis of warps that share SM and device resources.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Model (research/cpu-exec.md 8.2). Warps are customers of a closed queueing network; one round is
// one warp's whole life (a warp-task). Centres are resources with one queue: those of an SM
// (issue, pipes, load/store) and those all SMs share (L2, DRAM, block dispatch). A population is n
// identical warps of one kernel on each of m identical SMs; populations of one group are on the
// same SMs. Z is a warp-task's latency without any waiting, D its service demand per centre,
// cycles.
//
// Algorithm: Bard-Schweitzer fixed point (P. Schweitzer 1979; Y. Bard 1979).
//     R_kr = D_kr (1 + sum_{j != k} Q_jr + Q_kr (n_k - 1) / n_k)     SM-local centre r, same group
//     R_kr = D_kr (1 + sum_j m_j Q_jr - Q_kr / n_k)                  shared centre r
//     X_k  = n_k / (Z_k + sum_r R_kr)         Q_kr = X_k R_kr
// The published text has a group index on the shared sum; here each population carries its m.
// Convergence: iterated until no X moves by more than 1e-8 relative, at most 20,000 rounds,
// with damping 1/2. Accuracy of such models against hardware: 20 to 30 % (8.5). Pure.
#pragma once

#include "rt/schema/Profile.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpusched {

/// The resources of a profile, in its order, and the device's block dispatcher.
inline constexpr size_t kDispatcher = kResources;
inline constexpr size_t kCentres = kResources + 1;
inline constexpr bool sharedByAllSms(size_t centre) {
  return centre == kL2Bandwidth || centre == kDramBandwidth || centre == kDispatcher;
}

/// Cycles of one warp-task.
struct WarpTask {
  double latency = 0;                       // Z
  std::array<double, kCentres> demand = {}; // D
  double totalDemand() const;
};

struct Population {
  WarpTask task;
  double warpsPerSm = 0; // n
  double sms = 1;        // m
  uint32_t group = 0;    // populations with equal group are on the same SMs
};

struct PopulationResult {
  double warpTasksPerCycle = 0;                // X, of one SM
  std::array<double, kCentres> residence = {}; // R, cycles per warp-task
  std::array<double, kCentres> queue = {};     // Q, warps of one SM at the centre
  std::array<double, kCentres> demand = {};    // D that was solved for
};

std::vector<PopulationResult> solve(const std::vector<Population>& populations);

} // namespace gpusched
