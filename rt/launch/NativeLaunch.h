// NativeLaunch.h - a kernel as the program launched it, or before the blocks of others.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   cudaLaunchKernelExC(kernel, grid, block, {cudaLaunchAttributePriority = highest})
//
// Blocks that run stay; of those that wait for room the hardware takes the urgent ones first. A
// program that gives its stream a priority of its own has said what goes first, and is not
// contradicted. Where the attribute is refused, the launch is one like any other.
#pragma once

#include "rt/launch/LaunchDevice.h"

namespace gpusched {

/// As the program asked for it. The error, of both, is the launch's own, for the program.
int launchNatively(const gpusched_launch_request& request);

int launchUrgently(LaunchDevice& device, const gpusched_launch_request& request);

} // namespace gpusched
