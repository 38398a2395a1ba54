// KernelModel.h - what a GPU would make of a kernel, from the cpu device's counters. Modelled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   KernelCounters + DeviceDescription -> KernelDemand (one warp-task) -> QueueNetwork -> times
//
// Model: research/cpu-exec.md 8.2. Demands come from instruction and transaction counts and the
// device's rates; latency Z from a serial chain of instructions and memory epochs. What counters
// cannot say is a named assumption below: change it there. Nothing here has been measured;
// whatever is shown to a user from it is labelled "modelled". Good for order (which budget,
// which partner), not for microseconds: plan for 20 to 30 % error and more for kernels with
// dependent loads (pointer chases), whose epochs are underestimated.
#pragma once

#include "rt/model/QueueNetwork.h"
#include "rt/schema/Counters.h"
#include "rt/schema/DeviceDescription.h"
#include "rt/schema/Profile.h"

#include <vector>

namespace gpusched {

/// Assumptions, all ours where no source is named.
struct ModelAssumptions {
  double instructionsInFlight = 2; // independent instructions of one warp: hides ALU latency
  double loadsInFlight = 4;        // loads of one warp before it waits: what unrolling by 4 gives
  double l1HitOfReuse = 0.5;       // part of repeated accesses that L1 keeps
  double dramEfficiency = 0.92;    // of peak (8.4, H200)
  double barrierCycles = 20;       // wait for the slowest warp, without contention
  double launchCycles = 3000;      // Accel-Sim's H200 configuration (8.2)
};

/// A warp-task split into what the stall reasons need.
struct KernelDemand {
  WarpTask task;
  double aluLatency = 0, memoryLatency = 0, l1Latency = 0, syncLatency = 0; // they add up to Z
  double dramBytes = 0, flops = 0, l1Transactions = 0;                      // per warp
  double warpsPerBlock = 0, blocks = 0;                                     // of one launch
};

KernelDemand kernelDemand(const KernelCounters& counters, const DeviceDescription& device,
                          const ModelAssumptions& assumptions = {});

/// All modelled; rates are for the whole device.
struct KernelEstimate {
  double timeUs = 0;
  double eligibleWarpsPerCycle = 0;
  double dramGbPerSecond = 0, gflops = 0, l1TransactionsPerSecond = 0;
  double stallExecution = 0, stallMemory = 0, stallSync = 0, stallTexture = 0, stallOther = 0;
};

/// One kernel alone with `blocksPerSm` on every SM.
KernelEstimate estimate(const KernelDemand& demand, const DeviceDescription& device,
                        uint32_t blocksPerSm, const ModelAssumptions& assumptions = {});

/// Kernels on the same SMs, each with its budget: progress of each relative to running alone
/// with `aloneBlocksPerSm`. Their sum above 1 is a gain over running one after the other.
struct CoRunner {
  KernelDemand demand;
  uint32_t blocksPerSm = 0, aloneBlocksPerSm = 0;
};
std::vector<double> normalisedProgress(const std::vector<CoRunner>& runners,
                                       const DeviceDescription& device);

/// Fills times, rates, stalls, EPC, curve, saturation point and class from
/// `profile.counters`. `occupancyBlocksPerSm` is the last point of the curve.
void fillModelled(DynamicProfile& profile, const DeviceDescription& device,
                  uint32_t occupancyBlocksPerSm);

} // namespace gpusched
