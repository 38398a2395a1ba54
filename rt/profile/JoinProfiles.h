// JoinProfiles.h - static profiles and execution counters to complete, modelled profiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   counters (cpu device, one entry per kernel symbol and launch shape)
//     + static profile of the same symbol (gpusched-cc, may be missing)
//     -> occupancy of the variant that the runtime would start, at this launch shape
//     -> model: time, rates, stalls, EPC, curve -> saturation point -> class
//
// The persistent variant's registers count where there is one: budgets are for it. Of several
// targets the newest that the device can run is taken. Everything modelled has source "cpu";
// whoever shows it says "modelled".
#pragma once

#include "rt/schema/DeviceDescription.h"
#include "rt/schema/Profile.h"

#include <set>
#include <string>
#include <vector>

namespace gpusched {

struct JoinParameters {
  double stallThresholdPercent = 33; // S of the classifier
  double ratePerBlock = 0.05;        // Rate_tb of the saturation search
  uint32_t window = 14;              // its W_SIZE
};

struct JoinedProfiles {
  ProfileFile file;
  std::set<std::string> withoutStatic; // symbols of unknown registers
  std::set<std::string> neverAlone;    // whose time was measured beside other kernels only
};

JoinedProfiles joinProfiles(const ProfileFile& statics, const ProfileFile& counters,
                            const DeviceDescription& device, const JoinParameters& parameters);

/// The variant profile for `device`, persistent before native; null when there is none.
const VariantProfile* variantFor(const StaticProfile& fixed, const DeviceDescription& device);

} // namespace gpusched
