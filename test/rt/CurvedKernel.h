// CurvedKernel.h - a profiled kernel that one resource limits, for tests of predictions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/policy/Policy.h"

#include <algorithm>

inline const gpusched::DeviceLimits kTitanXp = {30, 65536, 98304, 32, 2048, 547.6, 12150};

/// It fills `busy` of `limit` at its best budget, and is as fast at `knee` of its 16 blocks.
inline gpusched::PolicyKernel curvedKernel(const char* name, gpusched::Resource limit, double busy,
                                           double knee, double timeUs = 1000) {
  gpusched::PolicyKernel made;
  made.name = name;
  made.hasPersistent = made.profiled = true;
  made.threadsPerBlock = 128;
  made.registersPerBlock = 4096;
  made.occupancyBlocksPerSm = 16;
  made.timeUs = timeUs;
  for (int blocks = 1; blocks <= 16; ++blocks)
    made.budgetCurve.push_back(std::min(1.0, blocks / knee));
  made.utilisation[limit] = busy;
  return made;
}
