// Simulator.h - the sim device: kernels in time, without a GPU. Modelled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fluid discrete-event model (docs/devices/sim.md). Between two events every running kernel
// makes linear progress, at the rate that the model of rt/model gives for what is resident on
// each SM. Events: arrival, end of the launch overhead, start of a kernel's last partial wave, end
// of a kernel, change of a budget. SMs with the same residents are one group.
//
// Residency: kernels get SM resources in order of start, each up to its budget (native: up to its
// occupancy) and what is left; who gets nothing waits. So a native kernel is the hardware's
// left-over policy, and budgets that do not fit together are seen to hurt. What is native gives its
// places to kernels of higher priority that come later; workers do not, they go by their budget.
//
// Same input, same output, to the last bit. Not thread-safe; one run after the other.
#pragma once

#include "rt/device/sim/SimKernel.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace gpusched::sim {

/// One launch of a kernel.
struct Job {
  size_t kernel = 0;
  double arrivalUs = 0;
  // Used by runOnline only:
  uint64_t stream = 0;  // jobs of one stream run in order
  int32_t priority = 0; // of its stream; larger goes first
};

struct JobRun {
  double startUs = 0, endUs = 0; // first block to last
  uint32_t blocksPerSm = 0;      // budget at the start; 0 = native
  uint64_t set = 0;
  std::vector<uint64_t> after; // sequences waited for; a job's sequence is its index + 1
  std::string reason;
};

struct Run {
  std::vector<JobRun> jobs; // as the jobs given
  double makespanUs = 0;    // from the first arrival to the last end
  uint64_t events = 0;
};

class Simulator {
public:
  Simulator(DeviceDescription device, std::vector<SimKernel> kernels,
            ModelAssumptions assumptions = {});

  /// All jobs at time 0, in the sets of `plan`, which index `jobs`.
  Run runPlan(const std::vector<Job>& jobs, const std::vector<CoRunSet>& plan);
  /// As in a program: one decide() per arrival, which then is final but for SetBudget.
  Run runOnline(const std::vector<Job>& jobs, const Policy& policy);

  /// Natively on an idle device, and with a budget.
  double aloneUs(size_t kernel);
  double aloneUs(size_t kernel, uint32_t blocksPerSm);
  /// Blocks per microsecond of each, all resident from the same moment, and their EPC.
  struct Progress {
    double blocksPerUs = 0;
    double eligibleWarpsPerCycle = 0;
    double dramBusy = 0; // its part of the DRAM's time
  };
  std::vector<Progress> together(const std::vector<Member>& members);

  const std::vector<SimKernel>& kernels() const { return kernels_; }
  const DeviceDescription& device() const { return device_; }
  const DeviceLimits& limits() const { return limits_; }

private:
  friend class Engine;
  struct Occupant {
    uint32_t kernel = 0, group = 0;
    double blocksPerSm = 0, sms = 0;
  };
  /// Progress of each occupant; remembered, since schedules repeat themselves.
  const std::vector<Progress>& progressOf(const std::vector<Occupant>& occupants);

  DeviceDescription device_;
  std::vector<SimKernel> kernels_;
  ModelAssumptions assumptions_;
  DeviceLimits limits_;
  std::unordered_map<std::string, std::vector<Progress>> remembered_;
};

} // namespace gpusched::sim
