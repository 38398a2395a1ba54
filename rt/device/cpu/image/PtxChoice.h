// PtxChoice.h - which PTX of a fat binary a device should run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/image/FatBinary.h"

#include <optional>

namespace gpusched::image {

struct PtxChoice {
  std::size_t index = 0; // into the entries
  std::string remark;    // empty, or why this is not what the driver would take
};

/// The PTX with the highest compute_NN that is not above `computeCapability` (90 for 9.0); an
/// architecture-specific one (compute_90a) only for exactly that device. When every PTX is for
/// a newer device, the lowest, with a remark. Nothing when there is no PTX at all.
std::optional<PtxChoice> choosePtx(const std::vector<FatBinaryEntry>& entries,
                                   unsigned computeCapability);

/// For a program without PTX: what is there, and how to get PTX.
std::string explainMissingPtx(const std::vector<FatBinaryEntry>& entries);

} // namespace gpusched::image
