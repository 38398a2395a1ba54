// BulkModes.h - what MicroOp::detail of a bulk copy says.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With kBulkReduces the immediate is an AtomicOp << 8 | a ptx::Type.
#pragma once

#include <cstdint>

namespace gpusched::cpu {

inline constexpr uint16_t kBulkToShared = 1, kBulkFromShared = 2, kBulkSignals = 4,
                          kBulkMulticast = 8, kBulkReduces = 16;

} // namespace gpusched::cpu
