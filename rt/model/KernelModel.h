// KernelModel.h - what a GPU would make of a kernel, from the cpu device's counters. Modelled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   KernelCounters + DeviceDescription -> KernelDemand (one warp-task) -> QueueNetwork -> times
//
// A profile that has no counters but measured values (CUPTI, a published table) is turned round
// instead: rt/model/MeasuredDemand.h. docs/devices/sim.md has the formulas and their sources.
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
  double l1HitOfReuse = 0.5;       // part of repeated accesses that an L1 of its own keeps
  double fetchCycles = 0.3;        // wait for the instruction cache, per instruction
  double eligibleShare = 0.08;     // of warps queued for issue: the rest is held by busy pipes
  double dispatchCycles = 0.5;     // of the device's block dispatcher, per block
  double blockStartCycles = 50;    // from a free slot to a new block's first instruction
  double rowLoss = 0.14;           // of DRAM's rate when two equal streams mix: one published pair
  double barrierCycles = 20;       // wait for the slowest warp, without contention
  double launchCycles = 3000;      // Accel-Sim's H200 configuration (8.2)
};

/// What a cache does for a kernel. Alone and with room for every resident warp's working set,
/// `hits` of the accesses hit; with less room, in proportion.
struct CacheUse {
  double hits = 0;         // at most 0.98
  double bytes = 0;        // working set whatever the number of warps
  double bytesPerWarp = 0; // and of each resident warp; both 0 = no contention is modelled

  /// Misses relative to those with room for all, when the cache holds `kept` of what is wanted.
  double missGrowth(double kept) const { return (1 - hits * kept) / (1 - hits); }
};

/// A warp-task split into what the stall reasons need. The demands of L2 and DRAM and the
/// memory latency are those without cache contention.
struct KernelDemand {
  WarpTask task;
  /// They add up to Z; `readyLatency` is no stall: issued, or eligible in a burst.
  double aluLatency = 0, memoryLatency = 0, l1Latency = 0, syncLatency = 0, fetchLatency = 0,
         otherLatency = 0, readyLatency = 0;
  CacheUse l1, l2;
  double dramBytes = 0, flops = 0, l1Transactions = 0; // per warp
  double warpsPerBlock = 0, blocks = 0;                // of one launch
  double eligibleShare = 1;                            // of the issue queue
  /// Z with 1, 2, ... blocks per SM, where a curve was measured; empty = task.latency at each.
  std::vector<double> latencyByBlocks;

  /// Z with so many blocks per SM, in fractions of blocks linear.
  double latencyAt(double blocksPerSm) const;
};

KernelDemand kernelDemand(const KernelCounters& counters, const DeviceDescription& device,
                          const ModelAssumptions& assumptions = {});

/// All modelled; rates are for the whole device, utilisation inside SMs is of those with work.
struct KernelEstimate {
  double timeUs = 0;
  Utilisation utilisation = {};
  double eligibleWarpsPerCycle = 0;
  double dramGbPerSecond = 0, gflops = 0, l1TransactionsPerSecond = 0;
  double stallExecution = 0, stallMemory = 0, stallSync = 0, stallTexture = 0, stallFetch = 0,
         stallOther = 0;
};

/// One kernel alone with `blocksPerSm` on every SM.
KernelEstimate estimate(const KernelDemand& demand, const DeviceDescription& device,
                        uint32_t blocksPerSm, const ModelAssumptions& assumptions = {});

/// EPC: those in service, those of the issue queue that no pipe holds, and ready bursts.
double eligibleWarps(const KernelDemand& demand, const PopulationResult& result);

/// Resident blocks of one kernel on each of `sms` SMs of a group.
struct Resident {
  const KernelDemand* demand = nullptr;
  double blocksPerSm = 0;
  double sms = 0;
  uint32_t group = 0;
};
/// What of one kernel is resident on an idle device: on each SM the budget, or the grid's share; of
/// a grid of fewer blocks than SMs, one block on each of so many SMs.
Resident residentAlone(const KernelDemand& demand, const DeviceDescription& device,
                       double blocksPerSm);

/// How residents get on together: caches shared by working set, DRAM rows by traffic, then the
/// queueing network. Same order as `residents`.
std::vector<PopulationResult> solveTogether(const std::vector<Resident>& residents,
                                            const DeviceDescription& device,
                                            const ModelAssumptions& assumptions = {});

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
