// Calibrate.cpp - gpusched calibrate: K-Scheduler's thresholds for one device, from profiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thesis' thresholds are of its test bed, and several it leaves open. All pairs of the profiled
// kernels run on the sim device, together at their saturation budgets and one after the other.
// The thresholds (policy kscheduler) and Rate_tb (saturation search) are those of a grid with the
// best mean speedup on every second pair; the other pairs, which the fit has not seen, say what
// they are worth. Ties go to the defaults. All modelled.
#include "tools/gpusched/Subcommand.h"

#include "rt/device/sim/Simulator.h"
#include "rt/policy/CoRunRules.h"
#include "rt/profile/ProfileStore.h"
#include "rt/saturation/SaturationPoint.h"
#include "rt/support/Environment.h"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace gpusched::tool {
namespace {

struct CalibrateOptions {
  std::string gpu;
  std::vector<std::string> profiles;
};

struct Thresholds {
  CoRunThresholds rules{1, 4, 50e9, 1, 1, true}; // the policy's defaults
  double rate = SaturationParameters().ratePerBlock;
};

/// Speedup of a pair run together, at one Rate_tb.
struct Pair {
  const PolicyKernel *first, *second;
  double together;
};

std::vector<Pair> allPairs(sim::Simulator& simulator, std::vector<PolicyKernel>& kernels,
                           double rate) {
  SaturationParameters search;
  search.ratePerBlock = rate;
  for (PolicyKernel& kernel : kernels)
    kernel.saturationBlocksPerSm = saturationPoint(kernel.budgetCurve, search);
  std::vector<Pair> pairs;
  for (size_t a = 0; a < kernels.size(); ++a)
    for (size_t b = a + 1; b < kernels.size(); ++b) {
      CoRunSet set = {{.kernel = 0,
                       .blocksPerSm = kernels[a].budget(),
                       .blocksPerSmAlone = kernels[a].occupancyBlocksPerSm},
                      {.kernel = 1,
                       .blocksPerSm = kernels[b].budget(),
                       .lane = 1,
                       .blocksPerSmAlone = kernels[b].occupancyBlocksPerSm}};
      double time = simulator.runPlan({{a, 0, 0}, {b, 0, 0}}, {set}).makespanUs;
      pairs.push_back(
          {&kernels[a], &kernels[b], (simulator.aloneUs(a) + simulator.aloneUs(b)) / time});
    }
  return pairs;
}

bool admits(const Pair& pair, const DeviceLimits& limits, const CoRunThresholds& rules) {
  Demand sum = Demand::of(*pair.first);
  sum.add(Demand::of(*pair.second));
  return resourceRefusal(sum, limits, rules, false).empty() &&
         pairRefusal(*pair.first, *pair.second, rules, false).empty();
}

/// Mean speedup over every second pair, starting at `from`.
double meanSpeedup(const std::vector<Pair>& pairs, size_t from, const DeviceLimits& limits,
                   const CoRunThresholds& rules) {
  double sum = 0, count = 0;
  for (size_t i = from; i < pairs.size(); i += 2, count += 1)
    sum += admits(pairs[i], limits, rules) ? pairs[i].together : 1;
  return count > 0 ? sum / count : 1;
}

/// Half-way between neighbouring values of the kernels, and the default.
std::vector<double> candidates(const std::vector<PolicyKernel>& kernels, double byDefault,
                               double PolicyKernel::* field) {
  std::vector<double> values, found = {byDefault};
  for (const PolicyKernel& kernel : kernels)
    values.push_back(kernel.*field);
  std::sort(values.begin(), values.end());
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i] > values[i - 1] * 1.001)
      found.push_back((values[i] + values[i - 1]) / 2);
  return found;
}

/// One coordinate after the other until nothing is gained.
Thresholds fit(const std::vector<Pair>& pairs, const std::vector<PolicyKernel>& kernels,
               const DeviceLimits& limits, double& best) {
  Thresholds fitted;
  best = meanSpeedup(pairs, 0, limits, fitted.rules);
  auto keepIfBetter = [&](CoRunThresholds tried) {
    double speedup = meanSpeedup(pairs, 0, limits, tried);
    if (tried.baseEpc > tried.maxEpc || speedup <= best + 1e-6)
      return false;
    best = speedup;
    fitted.rules = tried;
    return true;
  };
  for (bool better = true; better;) {
    better = false;
    for (double value : candidates(kernels, 1, &PolicyKernel::eligibleWarpsPerCycle))
      for (auto field : {&CoRunThresholds::baseEpc, &CoRunThresholds::maxEpc}) {
        CoRunThresholds tried = fitted.rules;
        tried.*field = value;
        better |= keepIfBetter(tried);
      }
    for (double value : candidates(kernels, 50e9, &PolicyKernel::l1TransactionsPerSecond)) {
      CoRunThresholds tried = fitted.rules;
      tried.l1TransactionsPerSecond = value;
      better |= keepIfBetter(tried);
    }
    CoRunThresholds tried = fitted.rules;
    tried.epcBesideMemory = !tried.epcBesideMemory;
    better |= keepIfBetter(tried);
  }
  return fitted;
}

int fitAndPrint(sim::Simulator& simulator) {
  std::vector<PolicyKernel> kernels;
  for (const sim::SimKernel& kernel : simulator.kernels())
    kernels.push_back(kernel.known);
  const Thresholds defaults;
  const DeviceLimits& limits = simulator.limits();
  std::vector<Pair> pairs = allPairs(simulator, kernels, defaults.rate);
  double unfitted = meanSpeedup(pairs, 1, limits, defaults.rules);
  double best = 0, seen = meanSpeedup(pairs, 0, limits, defaults.rules);
  Thresholds chosen;
  for (double rate : {0.05, 0.03, 0.08, 0.1, 0.15, 0.2}) {
    double speedup = 0;
    pairs = allPairs(simulator, kernels, rate);
    Thresholds fitted = fit(pairs, kernels, limits, speedup);
    fitted.rate = rate;
    if (speedup > best + 1e-6)
      best = speedup, chosen = fitted;
  }
  pairs = allPairs(simulator, kernels, chosen.rate);
  double unseen = meanSpeedup(pairs, 1, limits, chosen.rules);
  std::printf("%zu kernels, %zu pairs on %s; mean speedup of a pair, modelled\n", kernels.size(),
              pairs.size(), simulator.device().name.c_str());
  std::printf("pairs fitted on:    defaults %.3f, fitted %.3f\n", seen, best);
  std::printf("pairs not seen:     defaults %.3f, fitted %.3f\n", unfitted, unseen);
  if (unseen < unfitted)
    std::printf("the fit is worse on pairs it has not seen: keep the defaults, or profile more "
                "kernels\n");
  std::printf("GPUSCHED_PARAMETERS=base_epc=%.3g,max_epc=%.3g,l1_transactions=%.3g,"
              "epc_beside_memory=%d\n",
              chosen.rules.baseEpc, chosen.rules.maxEpc, chosen.rules.l1TransactionsPerSecond / 1e9,
              chosen.rules.epcBesideMemory ? 1 : 0);
  std::printf("gpusched profile --rate=%.3g\n", chosen.rate);
  return 0;
}

int calibrate(const CalibrateOptions& options) {
  Result<DeviceDescription> device = loadDeviceDescription(options.gpu);
  if (!device)
    return fail(kUsageError, "calibrate: --gpu=" + options.gpu + ": " + device.message());
  ProfileFile all;
  if (options.profiles.empty())
    all = loadProfiles(ProfileStore::dynamicFolder(profileHome()));
  for (const std::string& path : options.profiles) {
    Result<ProfileFile> file = readProfile(path);
    if (!file)
      return fail(kUsageError, "calibrate: " + file.message());
    all.kernels.insert(all.kernels.end(), file->kernels.begin(), file->kernels.end());
  }
  std::vector<sim::SimKernel> kernels;
  for (const KernelProfile& profile : all.kernels) {
    Result<sim::SimKernel> kernel = sim::makeSimKernel(profile, *device);
    if (!kernel)
      return fail(kUsageError, "calibrate: " + kernel.message());
    kernels.push_back(std::move(*kernel));
  }
  if (kernels.size() < 4)
    return fail(kUsageError, "calibrate: " + std::to_string(kernels.size()) +
                                 " profiled kernels, at least 4 are needed; run gpusched profile "
                                 "on more programs or name profile files");
  sim::Simulator simulator(*device, std::move(kernels));
  return fitAndPrint(simulator);
}

} // namespace

void addCalibrate(Command& command) {
  std::shared_ptr<CalibrateOptions> options = std::make_shared<CalibrateOptions>();
  options->gpu = environment("GPUSCHED_GPU");
  Options sub = command.add("calibrate", "Fit K-Scheduler's thresholds to a device, by model",
                            [options] { return calibrate(*options); });
  sub.add("--gpu", options->gpu, "Device description, a name or a .json file").showDefault();
  sub.add("profiles", options->profiles, "Profile files; default: the profile store's");
}

} // namespace gpusched::tool
