// PairFusion.h - is one launch with the blocks of two worth more than the two?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a kernel whose blocks are those of two launches, mixed evenly, lets the two share every
// SM from the first block to the last, without budgets. But it needs the registers and the shared
// memory of the needier one in each block, so fewer blocks may fit, and kernels that want the same
// resource gain nothing. Both times have to be known before it is launched.
//
// Model, fused: if the pair's own kernel was profiled, that time. Else R blocks of it fit on an SM,
// of which x are the first's and R - x the second's. Predictor.h says how fast both are then. Even
// mixing makes them progress at one rate, in parts of their grids, whatever their blocks cost: a
// kernel with slow blocks comes to have more of the R places. So x is where the rates
//     progress_k(x) / time_k
// meet, and the time is 1 / that rate. x need not be whole: the SMs are then between two mixes, and
// their rates between those of the two, in proportion. With R = 1 this is one after the other.
// Where all blocks of both fit at once there is no mix to choose: ceil(blocks / SMs) of each run
// from the beginning, and who is left at last has the SMs for itself.
// A block of the pair is one of the native form, so what a twin costs is not counted.
//
// Otherwise: of one stream the sum of the times alone; of two streams what the two take beside each
// other as twins with their best budgets, if both have twins, and never more than the sum.
//
// Cost: R predictions, some 100 microseconds; the runtime asks once per pair of configurations. The
// times are those of the profiles, so of their grids. It knows nothing of launch overhead, of which
// the fused launch has half. Pure.
#pragma once

#include "rt/policy/Policy.h"

#include <string>

namespace gpusched {

struct FusionQuestion {
  const PolicyKernel* first = nullptr;
  const PolicyKernel* second = nullptr;
  /// The kernel that runs the blocks of both; of a profile of it, its time counts.
  const PolicyKernel* pair = nullptr;
  /// Blocks of `pair` that fit on an SM.
  uint32_t residentBlocks = 0;
  DeviceLimits limits;
  bool oneStream = false; ///< unfused, they run one after the other
};

struct FusionAnswer {
  bool fuse = false;
  double fusedUs = 0, otherwiseUs = 0; ///< 0 = not known
  std::string reason;
};

FusionAnswer decideFusion(const FusionQuestion& question);

} // namespace gpusched
