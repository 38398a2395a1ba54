// DeviceRates.h - peak rates and cache sizes of a device, for rule 2 and the model.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They are those of the device's model where there is a description of it: the one that
// GPUSCHED_GPU names, or a shipped one. A model is known by its compute capability, SMs and memory
// bus. Of another model, clocks, bus and L2 cache are what the runtime says, lanes and L1 cache
// those of the nearest shipped description of that major compute capability; without one, or where
// the runtime does not say the clock, rates stay 0, which means "not known". What DRAM reaches is
// always the runtime's answer where it has one: memory of one model comes at several clocks.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"
#include "rt/policy/Policy.h"

namespace gpusched {

/// Sets the rates of `limits`, whose other members are read. Logs why where there are none.
void findRates(const gpusched_cudart& runtime, int device, DeviceLimits& limits);

} // namespace gpusched
