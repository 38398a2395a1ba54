// MeasuredKernels.h - kernels that gpusched-cc has not compiled, from what launches of them tell.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   measured: softmax (32 registers, 4096 bytes), softmax__gs (34 registers)
//     -> static profile of softmax: its name, its twin's, both forms for the GPU at hand
//
// What gpusched-ptx gives a kernel is called as the kernel with __gs behind, in its symbol
// (docs/gpusched-ptx.md); twins of gpusched-cc are named in their kernels' static profiles.
#pragma once

#include "rt/schema/DeviceDescription.h"
#include "rt/schema/Measurement.h"
#include "rt/schema/Profile.h"

#include <vector>

namespace gpusched {

/// `statics`, and behind them a static profile of each measured kernel that is in none of them and
/// whose registers a source has said. `twinsExpected`: of those a twin is believed in that no
/// launch has shown yet.
ProfileFile withMeasuredKernels(const ProfileFile& statics,
                                const std::vector<MeasurementFile>& measured,
                                const DeviceDescription& device, bool twinsExpected = false);

} // namespace gpusched
