// Residency.h - how many blocks of which kernel are resident on which SMs at one moment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to rt/device/sim. Kernels are added in order of start and take what is left. SMs with
// the same residents are one group; blocks per SM may be fractions in a kernel's last wave. Fewer
// blocks than SMs stand one on an SM, first where the fewest threads are, as the hardware spreads
// them: so they leave the other SMs to others.
#pragma once

#include "rt/device/sim/Simulator.h"

#include <cstdint>
#include <vector>

namespace gpusched::sim {

/// SMs that the same kernels may use, and what is taken of each of them.
struct SmGroup {
  uint64_t members = 0; // bit i: the i-th active kernel may use them
  double sms = 0;
  double registers = 0, sharedBytes = 0, blocks = 0, threads = 0;
  bool whole = true; // no fractions of blocks
};

class Residency {
public:
  Residency(const Simulator& simulator, std::vector<SmGroup> groups)
      : sim_(simulator), groups_(std::move(groups)) {}

  /// Blocks of `kernel` that fit on an SM of each group that member `active` may use, at most
  /// `most`.
  std::vector<double> room(size_t active, size_t kernel, double most) const;
  double slots(const std::vector<double>& room) const;
  /// `blocks` of them, at most slots(room). `room` is as before the call.
  void add(size_t active, size_t kernel, std::vector<double> room, double blocks);

  struct Resident {
    size_t active = 0, kernel = 0, group = 0;
    double blocksPerSm = 0;
  };
  const std::vector<Resident>& residents() const { return residents_; }
  const SmGroup& groupOf(const Resident& resident) const { return groups_[resident.group]; }

private:
  void occupy(const Resident& resident);
  void split(size_t group, double sms);

  const Simulator& sim_;
  std::vector<SmGroup> groups_;
  std::vector<Resident> residents_;
};

} // namespace gpusched::sim
