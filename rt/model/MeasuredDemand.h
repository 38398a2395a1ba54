// MeasuredDemand.h - demands of a kernel from a measured profile: the model turned round.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile of source "cupti" or "table" has time, EPC, stall mix and utilisation of one run alone
// with n warps on each SM. From these (docs/devices/sim.md, "From measured values"):
//     X = warp-tasks / (time * SMs)      n / X  = cycles of one warp-task (Little)
//     (n - EPC) / X = cycles stalled, divided among the reasons as measured
//     D_r = U_r / X                      R_r = D_r / (1 - U_r (n - 1) / n), the queue included
//     Z_reason = stalled_reason - sum of R_r of the reason's resources
// The run that was measured comes out again exactly; every other budget and every partner is a
// prediction. A utilisation that would need more waiting than was measured is lowered to fit.
// Where runs at budgets were measured too, Z is found for each of them (followCurve), so they come
// out again as well: what warps do to their own caches and queues is in no formula here. A kernel
// that is faster than its demands allow has Z = 0 there.
#pragma once

#include "rt/model/KernelModel.h"

namespace gpusched {

/// `blocksPerSm`: resident blocks of the measured run. Error: what the profile lacks.
Result<KernelDemand> measuredDemand(const DynamicProfile& profile, const DeviceDescription& device,
                                    uint32_t blocksPerSm);

/// Fills `latencyByBlocks` so that alone at j blocks per SM launches take what the profile's curve
/// says, the full one its time, when they run in waves (rt/saturation/BlockTimes.h). `blocksPerSm`
/// as above. Nothing where there is no curve.
void followCurve(KernelDemand& demand, const DynamicProfile& profile,
                 const DeviceDescription& device, uint32_t blocksPerSm,
                 const ModelAssumptions& assumptions = {});

/// Instructions per cycle and SM for a number of eligible warps, when each scheduler finds them
/// independently: s (1 - exp(-EPC / s)).
double issueRateOf(double eligibleWarpsPerCycle, uint32_t schedulers);

} // namespace gpusched
