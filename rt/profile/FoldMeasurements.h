// FoldMeasurements.h - measurements of many runs to dynamic profiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   measurement files (any source, native and by budget) + static profiles
//     -> one kernel a block size: time, EPC, stalls, rates, busy shares, budget curve
//     -> saturation point, class
//
// A measured name is a kernel when it is its symbol, its twin's symbol, or its name in the source.
// Times are medians. The curve comes from runs of the twin with a budget, and ends with the
// kernel's own time where no such run had all blocks that fit; budgets between are interpolated and
// measuredBudgets says which were measured. Where two sources give the same value
// the later file wins, except that counted stalls win over sampled ones, times of a kernel alone
// over those beside others, and telemetry's times, which are of twins, count only where there are
// no others. What no file has stays at its default: nothing is modelled here.
#pragma once

#include "rt/profile/JoinProfiles.h"
#include "rt/schema/Measurement.h"

#include <set>

namespace gpusched {

JoinedProfiles foldMeasurements(const ProfileFile& statics,
                                const std::vector<MeasurementFile>& measured,
                                const DeviceDescription& device, const JoinParameters& parameters);

/// Lays what workers wrote over kernels of the same name and block size.
void addTelemetry(ProfileFile& profiles, const MeasurementFile& telemetry);

/// The budgets at which the search of SaturationSearch.h, of at most five a kernel, wants times
/// that `measured` has not; empty when every curve is known. Kernels without a twin ask for none.
/// `twinsExpected`: kernels that gpusched-cc has not compiled may get one when they are loaded,
/// which the first run with a budget shows.
std::set<uint32_t> budgetsToMeasure(const ProfileFile& statics,
                                    const std::vector<MeasurementFile>& measured,
                                    const DeviceDescription& device,
                                    const JoinParameters& parameters, bool twinsExpected = false);

/// Were two kernels measured whose launches gpusched-cc may have made one of?
bool hasPairs(const ProfileFile& statics, const std::vector<MeasurementFile>& measured);

/// Every measurement that `path` holds: a .json file, a .csv table of Nsight Compute, or a folder
/// of both, in order of name.
Result<std::vector<MeasurementFile>> loadMeasurements(const std::string& path);

} // namespace gpusched
