// BulkModes.h - what MicroOp::detail of a bulk copy says.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With kBulkReduces the immediate is an AtomicOp << 8 | a ptx::Type. A copy of a tensor's box has
// its number of dimensions above all.
#pragma once

#include <cstdint>

namespace gpusched::cpu {

inline constexpr uint16_t kBulkToShared = 1, kBulkFromShared = 2, kBulkSignals = 4,
                          kBulkMulticast = 8, kBulkReduces = 16;
inline constexpr unsigned kTensorDimensions = 8; // shift

} // namespace gpusched::cpu
