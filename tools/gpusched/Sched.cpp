// Sched.cpp - gpusched sched: policies on one workload, side by side, on the sim device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workload whose launches all arrive at 0, each in a stream of its own, is planned offline
// (Policy::schedule); any other, or --online, is decided at each arrival as the runtime does
// (Policy::decide). Rows are policies; all figures are modelled. --trace=FOLDER keeps what each
// policy did as FOLDER/<policy>.json, in the runtime's trace format.
#include "tools/gpusched/Settings.h"
#include "tools/gpusched/Subcommand.h"

#include "rt/device/sim/Metrics.h"
#include "rt/schema/Trace.h"
#include "rt/schema/Workload.h"
#include "rt/support/Environment.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>

namespace gpusched::tool {
namespace {

struct SchedOptions {
  std::string workload, device = "sim", gpu, trace;
  std::vector<std::string> policies = {"serial", "even", "warped-slicer", "kscheduler"};
  std::vector<std::string> settings;
  bool online = false;
};

/// A workload ready to run.
struct Prepared {
  WorkloadFile file;
  std::vector<sim::SimKernel> kernels;
  std::vector<sim::Job> jobs;
  bool batch = true, ranked = false; ///< ranked: priorities are given
};

Result<size_t> kernelOf(Prepared& prepared, const WorkloadLaunch& launch,
                        const DeviceDescription& device,
                        std::map<std::pair<const KernelProfile*, uint64_t>, size_t>& known) {
  const KernelProfile* profile = profileOf(prepared.file, launch);
  auto [entry, isNew] = known.try_emplace({profile, launch.blocks}, prepared.kernels.size());
  if (!isNew)
    return entry->second;
  KernelProfile resized = *profile;
  Result<sim::SimKernel> kernel = sim::makeSimKernel(resized, device);
  if (!kernel)
    return kernel.status();
  if (launch.blocks) {
    kernel->known.timeUs *= double(launch.blocks) / kernel->demand.blocks;
    kernel->demand.blocks = double(launch.blocks);
  }
  kernel->watts = launch.watts;
  prepared.kernels.push_back(std::move(*kernel));
  return entry->second;
}

Result<Prepared> prepare(const SchedOptions& options, const DeviceDescription& device,
                         WorkloadFile file) {
  Prepared prepared;
  prepared.file = std::move(file);
  std::map<std::pair<const KernelProfile*, uint64_t>, size_t> known;
  uint64_t ownStream = 1ull << 32;
  for (const WorkloadLaunch& launch : prepared.file.launches) {
    Result<size_t> kernel = kernelOf(prepared, launch, device, known);
    if (!kernel)
      return kernel.status();
    for (uint64_t i = 0; i < launch.count; ++i)
      prepared.jobs.push_back({*kernel, launch.arrivalUs + double(i) * launch.periodUs,
                               launch.stream ? launch.stream : ownStream++, launch.priority});
    prepared.ranked = prepared.ranked || launch.priority != 0;
    prepared.batch = prepared.batch && launch.stream == 0 && launch.arrivalUs == 0 &&
                     (launch.periodUs == 0 || launch.count == 1);
  }
  prepared.batch = prepared.batch && !prepared.ranked && !options.online;
  return prepared;
}

sim::Run runPolicy(sim::Simulator& simulator, const Prepared& prepared, const Policy& policy) {
  if (!prepared.batch)
    return simulator.runOnline(prepared.jobs, policy);
  std::vector<PolicyKernel> kernels;
  for (const sim::Job& job : prepared.jobs)
    kernels.push_back(simulator.kernels()[job.kernel].known);
  return simulator.runPlan(prepared.jobs, policy.schedule(kernels, simulator.limits()));
}

TraceFile traceOf(const sim::Simulator& simulator, const Prepared& prepared, const sim::Run& run,
                  const std::string& policy) {
  TraceFile trace;
  trace.program = prepared.file.name;
  trace.policy = policy;
  for (size_t i = 0; i < run.jobs.size(); ++i) {
    const sim::JobRun& job = run.jobs[i];
    const sim::SimKernel& kernel = simulator.kernels()[prepared.jobs[i].kernel];
    TraceLaunch launch;
    launch.sequence = i + 1;
    launch.kernel = kernel.known.name;
    launch.stream = prepared.jobs[i].stream;
    launch.gridX = uint32_t(kernel.demand.blocks);
    launch.gridY = launch.gridZ = launch.blockY = launch.blockZ = 1;
    launch.blockX = kernel.known.threadsPerBlock;
    launch.variant = job.blocksPerSm ? "persistent" : "native";
    launch.blocksPerSm = job.blocksPerSm;
    launch.occupancyBlocksPerSm = kernel.known.occupancyBlocksPerSm;
    launch.workers = uint64_t(job.blocksPerSm) * simulator.device().sms;
    launch.set = job.set;
    launch.after = job.after;
    launch.reason = job.reason;
    launch.submittedUs = prepared.jobs[i].arrivalUs;
    launch.startedUs = job.startUs;
    launch.completedUs = job.endUs;
    trace.launches.push_back(std::move(launch));
  }
  return trace;
}

void printHeader(bool ranked) {
  std::printf("%-14s %8s %7s %12s %7s %9s %12s %12s %10s%s\n", "policy", "speedup", "ANTT",
              "ANTT queued", "STP", "fairness", "makespan ms", "mean JCT ms", "energy J",
              ranked ? "   urgent" : "");
}

void printRow(const std::string& policy, const sim::Metrics& metrics, bool ranked) {
  std::printf("%-14s %8.3f %7.3f %12.3f %7.3f %9.3f %12.3f %12.3f ", policy.c_str(),
              metrics.weightedSpeedup, metrics.antt, metrics.anttQueued, metrics.stp,
              metrics.fairness, metrics.makespanUs / 1000, metrics.meanJctUs / 1000);
  if (metrics.energyJoules)
    std::printf("%10.3f", *metrics.energyJoules);
  else
    std::printf("%10s", "-");
  if (ranked)
    std::printf(" %8.3f", metrics.urgent);
  std::printf("\n");
}

int runAll(const SchedOptions& options, const DeviceDescription& device, const Prepared& prepared) {
  sim::Simulator simulator(device, prepared.kernels);
  std::printf("%s: %zu launches of %zu kernels, %s, on %s; all figures are modelled\n",
              prepared.file.name.empty() ? options.workload.c_str() : prepared.file.name.c_str(),
              prepared.jobs.size(), prepared.kernels.size(),
              prepared.batch ? "planned together" : "decided at each arrival", device.name.c_str());
  printHeader(prepared.ranked);
  for (const std::string& name : options.policies) {
    Result<std::unique_ptr<Policy>> policy = makePolicy(name);
    if (!policy)
      return fail(kUsageError, "sched: --policy: " + policy.message());
    if (Status set = applySettings(**policy, name, options.settings); !set)
      return fail(kUsageError, "sched: " + set.message());
    sim::Run run = runPolicy(simulator, prepared, **policy);
    printRow(name, sim::metricsOf(simulator, prepared.jobs, run, prepared.file.idleWatts),
             prepared.ranked);
    if (options.trace.empty())
      continue;
    std::string path = options.trace + "/" + name + ".json";
    if (Status written = writeTrace(path, traceOf(simulator, prepared, run, name)); !written)
      return fail(kToolFailed, "sched: --trace: " + written.message());
  }
  return 0;
}

int sched(const SchedOptions& options) {
  Result<WorkloadFile> file = readWorkload(options.workload);
  if (!file)
    return fail(kUsageError, "sched: " + file.message());
  std::string gpu = !options.gpu.empty()    ? options.gpu
                    : !file->device.empty() ? file->device
                                            : environment("GPUSCHED_GPU");
  Result<DeviceDescription> device = loadDeviceDescription(gpu);
  if (!device)
    return fail(kUsageError, "sched: device " + gpu + ": " + device.message());
  Result<Prepared> prepared = prepare(options, *device, std::move(*file));
  if (!prepared)
    return fail(kUsageError, "sched: " + prepared.message());
  return runAll(options, *device, *prepared);
}

} // namespace

void addSched(Command& command) {
  std::shared_ptr<SchedOptions> options = std::make_shared<SchedOptions>();
  Options sub = command.add("sched", "Compare policies on a workload, offline: gpusched sched FILE",
                            [options] { return sched(*options); });
  sub.add("workload", options->workload, "Workload file (docs/workload-format.md)").required();
  sub.add("--policy", options->policies, "Policies to compare, separated by commas")
      .separatedBy(',')
      .showDefault();
  sub.add("--device", options->device, "sim: the queueing model").oneOf({"sim"}).showDefault();
  sub.add("--gpu", options->gpu,
          "Device description; default: the workload's, else "
          "GPUSCHED_GPU");
  sub.add("--set", options->settings, "A parameter: POLICY.PARAMETER=NUMBER; repeatable");
  sub.add("--trace", options->trace, "Folder for one trace per policy");
  sub.addFlag("--online", options->online, "Decide at each arrival, also when all arrive at once");
}

} // namespace gpusched::tool
