// PeakRates.h - what a GPU reaches at most, from clocks and widths.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/schema/DeviceDescription.h"

#include <cstdint>

namespace gpusched {

/// GB/s (1e9 bytes) of memory with two transfers a clock; 0 where clock or bus is 0, not known.
inline double peakDramGbPerSecond(uint32_t memoryClockKhz, uint32_t memoryBusBits) {
  return 2.0 * memoryClockKhz * memoryBusBits / 8 / 1e6;
}

/// FP32: one fused multiply-add per lane and cycle.
inline double peakGflops(const DeviceDescription& device) {
  return 2.0 * device.fp32LanesPerSm * device.sms * device.clockMhz / 1000;
}

} // namespace gpusched
