// Main.cpp - the thesis' figures beside the sim device's, with the difference. All modelled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   kscheduler-paper [FOLDER] [--lists=N]
//   [--only=curves,slots,pairs,workloads,random,selector,fresh,small]
//     [--rate=X] [--window=N] [--set=...] [--max-slowdown=X] [--noise=X] [--random-kernels=N]
//
// FOLDER holds published.json and counters.json. Sections: budget curves and their fit; block slots
// that a kernel can give away at 2 % slowdown; pairs the thesis measured; W1 to W9; random mixes;
// quality of each selector against the oracle over all pairs; and the same on random kernels that
// no part of the policies has seen.
// --rate and --window are the saturation search's, --set=POLICY.NAME=VALUE,... a policy's
// parameters,
// --max-slowdown the oracle's, --noise the error of the profiles that policies see. The method and
// what each number rests on: README.md.
#include "benchmarks/papers/kscheduler/RandomKernels.h"
#include "benchmarks/papers/kscheduler/Selectors.h"
#include "benchmarks/papers/kscheduler/ThesisKernels.h"

#include "rt/device/sim/Metrics.h"
#include "rt/device/sim/Oracle.h"
#include "rt/policy/CoRunRules.h"
#include "rt/saturation/SaturationSearch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace gpusched;
using namespace gpusched::thesis;

namespace {

struct Arguments {
  std::string folder = "benchmarks/papers/kscheduler", only;
  size_t lists = 40, randomKernels = 20;
  SaturationParameters saturation;
  SelectorOptions selectors;
};

bool wanted(const Arguments& arguments, const char* section) {
  return arguments.only.empty() || arguments.only.find(section) != std::string::npos;
}

void printCurves(sim::Simulator& simulator, const Kernels& kernels) {
  std::printf("\nBudget curves, ms at j blocks per SM: published / modelled (error)\n");
  double sum = 0, points = 0;
  for (const Curve& curve : curves()) {
    size_t kernel = kernels.indexOf(curve.kernel);
    const Fit& fit = kernels.fits.at(curve.kernel);
    std::printf("%-10s", curve.kernel);
    for (const auto& [blocks, milliseconds] : curve.milliseconds) {
      double modelled = simulator.aloneUs(kernel, blocks) / 1000;
      std::printf("  %u: %.0f/%.0f (%+.0f%%)", blocks, milliseconds, modelled,
                  100 * (modelled / milliseconds - 1));
      sum += std::fabs(modelled / milliseconds - 1), points += 1;
    }
    std::printf("   fitted: %s %.3f", name(curve.bottleneck), fit.utilisation);
    if (curve.cache)
      std::printf(", %.0f bytes per warp", fit.bytesPerWarp);
    std::printf("\n");
  }
  std::printf("mean error %.1f %% over %.0f points, 5 parameters and 4 scales fitted\n",
              100 * sum / points, points);
}

void printAlone(sim::Simulator& simulator, const Kernels& kernels) {
  std::printf("\nAlone, at the occupancy limit: published EPC / modelled, and busy resources\n");
  for (size_t i = 0; i < kernels.all.size(); ++i) {
    const PolicyKernel& known = kernels.all[i].known;
    KernelEstimate full =
        estimate(kernels.all[i].demand, simulator.device(), known.occupancyBlocksPerSm);
    std::printf("%-21s %-8s %2u blocks, saturates at %2u  EPC %5.2f / %5.2f ", known.name.c_str(),
                name(known.kernelClass), known.occupancyBlocksPerSm, known.saturationBlocksPerSm,
                known.eligibleWarpsPerCycle, full.eligibleWarpsPerCycle);
    for (size_t r = 0; r < kResources; ++r)
      if (full.utilisation[r] >= 0.2)
        std::printf(" %s %.2f", name(Resource(r)), full.utilisation[r]);
    std::printf("\n");
  }
}

/// What a kernel gives away: by its curve at every budget, by the five-launch search, and if
/// budgets were not whole blocks (linear between two).
void printSlots(const Kernels& kernels) {
  constexpr double kSlowdown = 0.02;
  std::printf("\nBlock slots free at <= 2 %% slowdown: every budget / five launches / no grain\n");
  double exact = 0, searched = 0, fine = 0;
  for (const sim::SimKernel& kernel : kernels.all) {
    const std::vector<double>& curve = kernel.known.budgetCurve;
    const uint32_t most = uint32_t(curve.size());
    const auto time = [&](uint32_t blocks) { return 1 / curve[blocks - 1]; };
    const double every = slotsFreed(curve, most, kSlowdown);
    const double few = slotsFreed(measureFewBudgets(most, time).curve, most, kSlowdown);
    std::vector<double> between;
    for (uint32_t step = 100; most > 0 && step <= 100 * most; ++step) {
      const uint32_t below = std::min(step / 100, most), above = std::min(below + 1, most);
      const double part = step / 100.0 - below;
      between.push_back((1 - part) * curve[below - 1] + part * curve[above - 1]);
    }
    const size_t whole = between.size() + 99; // the curve begins at one block
    between.insert(between.begin(), 99, 0);
    const double grainless = slotsFreed(between, uint32_t(whole), kSlowdown);
    std::printf("%-21s %2u blocks  %3.0f / %3.0f / %3.0f %%  speed at half %.2f, one less %.2f\n",
                kernel.known.name.c_str(), most, 100 * every, 100 * few, 100 * grainless,
                curve[(most - 1) / 2], curve[most > 1 ? most - 2 : 0]);
    exact += every, searched += few, fine += grainless;
  }
  const double count = double(kernels.all.size()) / 100;
  std::printf("mean %.1f / %.1f / %.1f %%\n", exact / count, searched / count, fine / count);
  double published = 0;
  for (const Curve& curve : curves()) {
    const double last = curve.milliseconds.rbegin()->second;
    uint32_t fewest = curve.milliseconds.rbegin()->first;
    for (auto at = curve.milliseconds.rbegin(); at != curve.milliseconds.rend(); ++at)
      if (at->second <= last * (1 + kSlowdown))
        fewest = at->first;
    published += 1 - double(fewest) / curve.milliseconds.rbegin()->first;
  }
  std::printf("published curves, at their published points: mean %.0f %% of %zu kernels\n",
              100 * published / double(curves().size()), curves().size());
}

/// Serial time / time together, each with the budgets given.
double pairSpeedup(sim::Simulator& simulator, size_t a, uint32_t budgetA, size_t b,
                   uint32_t budgetB) {
  CoRunSet set = {{.kernel = 0, .blocksPerSm = budgetA},
                  {.kernel = 1, .blocksPerSm = budgetB, .lane = 1}};
  double together = simulator.runPlan({{a, 0, 0}, {b, 0, 0}}, {set}).makespanUs;
  return (simulator.aloneUs(a) + simulator.aloneUs(b)) / together;
}

/// How many pairs each group of rules refuses, at saturation budgets.
void printRefusals(const sim::Simulator& simulator, const Kernels& kernels) {
  CoRunThresholds rules{1, 4, 50e9, 1, 1, true};
  int rule1 = 0, others = 0, pairs = 0;
  for (size_t a = 0; a < kernels.all.size(); ++a)
    for (size_t b = a + 1; b < kernels.all.size(); ++b) {
      const PolicyKernel &first = kernels.all[a].known, &second = kernels.all[b].known;
      Demand sum = Demand::of(first);
      sum.add(Demand::of(second));
      std::string refusal = resourceRefusal(sum, simulator.limits(), rules);
      bool full = refusal.rfind("rule 1", 0) == 0;
      rule1 += full;
      others += !full && (!refusal.empty() || !pairRefusal(first, second, rules).empty());
      ++pairs;
    }
  std::printf("K-Scheduler's rule 1 refuses %d of %d pairs, rules 2 to 5 refuse %d more\n", rule1,
              pairs, others);
}

void printPairs(sim::Simulator& simulator, const Kernels& kernels) {
  struct Published {
    const char *a, *b;
    uint32_t budgetA, budgetB; // 0: the saturation budget
    double speedup;
  };
  const Published published[] = {{"lavaMD", "spmv", 0, 0, 1.80},
                                 {"stencil", "spmv", 12, 3, 0.94},
                                 {"quasirandomGenerator", "lbm", 0, 0, 1.11},
                                 {"lbm", "lbm", 0, 0, 0.55}};
  std::printf(
      "\nPairs the thesis measured: published / modelled (difference); rowLoss was taken from "
      "stencil + spmv\n");
  for (const Published& pair : published) {
    size_t a = kernels.indexOf(pair.a), b = kernels.indexOf(pair.b);
    uint32_t budgetA = pair.budgetA ? pair.budgetA : kernels.all[a].known.budget();
    uint32_t budgetB = pair.budgetB ? pair.budgetB : kernels.all[b].known.budget();
    double modelled = pairSpeedup(simulator, a, budgetA, b, budgetB);
    std::printf("%-21s %2u  %-10s %2u  %.2f / %.2f (%+.0f%%)\n", pair.a, budgetA, pair.b, budgetB,
                pair.speedup, modelled, 100 * (modelled / pair.speedup - 1));
  }
  double classSum[3][3] = {}, count[3][3] = {}, best[3][3] = {}, worst[3][3];
  for (auto& row : worst)
    std::fill(row, row + 3, 99);
  for (size_t a = 0; a < kernels.all.size(); ++a)
    for (size_t b = a + 1; b < kernels.all.size(); ++b) {
      const PolicyKernel &first = kernels.all[a].known, &second = kernels.all[b].known;
      size_t i = size_t(first.kernelClass) - 1, j = size_t(second.kernelClass) - 1;
      if (i > j)
        std::swap(i, j);
      double speedup = pairSpeedup(simulator, a, first.budget(), b, second.budget());
      classSum[i][j] += speedup, count[i][j] += 1;
      best[i][j] = std::max(best[i][j], speedup), worst[i][j] = std::min(worst[i][j], speedup);
    }
  printRefusals(simulator, kernels);
  const char* names[] = {"compute", "memory", "l1"};
  std::printf("All pairs at saturation budgets: mean, worst, best\n");
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = i; j < 3; ++j) {
      std::printf("%-8s + %-8s %.2f  %.2f  %.2f", names[i], names[j], classSum[i][j] / count[i][j],
                  worst[i][j], best[i][j]);
      if (i == 0 && j == 1)
        std::printf("   thesis: mean 1.27, best 1.80");
      if (i == 1 && j == 1)
        std::printf("   thesis: worst 0.91, best 1.03");
      std::printf("\n");
    }
}

struct Mean {
  double speedup = 0, antt = 0, fairness = 0, count = 0;
  void add(const sim::Metrics& metrics) {
    speedup += metrics.weightedSpeedup, antt += metrics.antt, fairness += metrics.fairness;
    count += 1;
  }
};

Mean run(sim::Simulator& simulator, const Workload& workload, const Policy& policy, double noise) {
  Mean mean;
  for (const std::vector<size_t>& list : workload.lists) {
    std::vector<sim::Job> jobs;
    std::vector<PolicyKernel> kernels;
    for (size_t kernel : list) {
      jobs.push_back({kernel, 0, 0});
      kernels.push_back(seen(simulator, kernel, noise));
    }
    sim::Run done = simulator.runPlan(jobs, policy.schedule(kernels, simulator.limits()));
    mean.add(sim::metricsOf(simulator, jobs, done));
  }
  return mean;
}

void printWorkloads(sim::Simulator& simulator, const std::vector<Workload>& all,
                    const Arguments& arguments) {
  std::printf("\n%-8s %-26s", "", "");
  for (const char* policy : kPolicies)
    std::printf(" %14s", policy);
  std::printf("    weighted speedup / ANTT\n");
  Mean means[std::size(kPolicies)];
  for (const Workload& workload : all) {
    std::printf("%-8s %-26s", workload.name.c_str(), workload.mix.c_str());
    for (size_t p = 0; p < std::size(kPolicies); ++p) {
      Mean mean = run(simulator, workload, *policyFor(kPolicies[p], arguments.selectors),
                      arguments.selectors.noise);
      std::printf("    %5.3f/%5.2f", mean.speedup / mean.count, mean.antt / mean.count);
      means[p].speedup += mean.speedup / mean.count;
      means[p].antt += mean.antt / mean.count;
      means[p].fairness += mean.fairness / mean.count;
      means[p].count += 1;
    }
    std::printf("\n");
  }
  if (all.size() < 2)
    return;
  struct Published {
    const char* policy;
    double speedup, antt, fairness;
  };
  const Published published[] = {{"kscheduler", 1.31, 1.31, 0.47},
                                 {"warped-slicer", 1.15, 2.22, 0.30},
                                 {"even", 1.08, 2.56, 0.27}};
  std::printf("\nMeans over W1 to W9: thesis / modelled (difference)\n");
  for (size_t p = 0; p < std::size(kPolicies); ++p) {
    double speedup = means[p].speedup / means[p].count, antt = means[p].antt / means[p].count;
    double fairness = means[p].fairness / means[p].count;
    auto known =
        std::find_if(std::begin(published), std::end(published),
                     [&](const Published& row) { return !std::strcmp(row.policy, kPolicies[p]); });
    if (known == std::end(published))
      std::printf("%-14s weighted speedup %.3f  ANTT %.3f  fairness %.2f\n", kPolicies[p], speedup,
                  antt, fairness);
    else
      std::printf("%-14s weighted speedup %.2f / %.3f (%+.0f%%)  ANTT %.2f / %.3f (%+.0f%%)  "
                  "fairness %.2f / %.2f\n",
                  kPolicies[p], known->speedup, speedup, 100 * (speedup / known->speedup - 1),
                  known->antt, antt, 100 * (antt / known->antt - 1), known->fairness, fairness);
  }
}

void printSelectors(sim::Simulator& simulator, const Arguments& arguments) {
  std::printf("\nSelectors on all pairs: time of the oracle / time of the policy\n");
  for (const char* name : kPolicies)
    printQuality(name, qualityOnPairs(simulator, *policyFor(name, arguments.selectors),
                                      arguments.selectors));
  printErrors(predictionErrors(simulator, arguments.selectors));
}

/// Kernels, devices and losses of DRAM rows that nothing was chosen on.
void printFresh(const DeviceDescription& titan, const Arguments& arguments) {
  Result<DeviceDescription> h200 = loadDeviceDescription("h200");
  if (!h200)
    return;
  std::printf("\nSelectors on random kernels: %zu a device and seed, 2 devices, 3 seeds, each with "
              "another row loss\n",
              arguments.randomKernels);
  std::vector<sim::Simulator> devices;
  for (const DeviceDescription& device : {titan, *h200})
    for (unsigned seed : {1u, 2u, 3u}) {
      ModelAssumptions assumptions;
      assumptions.rowLoss = 0.05 * (2 * seed - 1); // 0.05, 0.15, 0.25
      devices.emplace_back(device, randomKernels(device, arguments.randomKernels, seed),
                           assumptions);
    }
  for (const char* name : {"bottleneck", "kscheduler"}) {
    SelectorQuality all;
    for (sim::Simulator& device : devices)
      all.add(qualityOnPairs(device, *policyFor(name, arguments.selectors), arguments.selectors));
    printQuality(name, all);
  }
  std::vector<double> errors;
  for (sim::Simulator& device : devices)
    for (double error : predictionErrors(device, arguments.selectors))
      errors.push_back(error);
  printErrors(errors);
}

/// What knowing a grid's size gains: pairs with a grid smaller than the device, against the same
/// policy that does not know it, and against one after the other.
void printSmallGrids(const DeviceDescription& device, const Arguments& arguments) {
  double pairs = 0, known = 0, unknown = 0, harmful = 0, least = 1e9;
  std::unique_ptr<Policy> policy = policyFor("bottleneck", arguments.selectors);
  for (unsigned seed : {1u, 2u, 3u}) {
    sim::Simulator simulator(device, randomKernels(device, arguments.randomKernels, seed, 0.5));
    for (size_t a = 0; a < simulator.kernels().size(); ++a)
      for (size_t b = a + 1; b < simulator.kernels().size(); ++b) {
        std::vector<PolicyKernel> both = {seen(simulator, a, arguments.selectors.noise),
                                          seen(simulator, b, arguments.selectors.noise)};
        if (std::min(both[0].blocks, both[1].blocks) >= device.sms)
          continue;
        auto gain = [&] {
          std::vector<CoRunSet> plan = policy->schedule(both, simulator.limits());
          return (simulator.aloneUs(a) + simulator.aloneUs(b)) /
                 simulator.runPlan({{a, 0, 0}, {b, 0, 0}}, plan).makespanUs;
        };
        double with = gain();
        pairs += 1, known += with, harmful += with < 0.98, least = std::min(least, with);
        both[0].blocks = both[1].blocks = 0;
        unknown += gain();
      }
  }
  std::printf(
      "%-10s %4.0f pairs with a small grid: gain over serial %.3f (least %.3f, %.0f harmful), "
      "size not known %.3f\n",
      device.name.c_str(), pairs, known / pairs, least, harmful, unknown / pairs);
}

Arguments parse(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    if (word.rfind("--lists=", 0) == 0)
      arguments.lists = size_t(std::max(1, std::atoi(word.c_str() + 8)));
    else if (word.rfind("--only=", 0) == 0)
      arguments.only = word.substr(7);
    else if (word.rfind("--noise=", 0) == 0)
      arguments.selectors.noise = std::atof(word.c_str() + 8);
    else if (word.rfind("--max-slowdown=", 0) == 0)
      arguments.selectors.maxSlowdown = std::atof(word.c_str() + 15);
    else if (word.rfind("--rate=", 0) == 0)
      arguments.saturation.ratePerBlock = std::atof(word.c_str() + 7);
    else if (word.rfind("--window=", 0) == 0)
      arguments.saturation.window = uint32_t(std::atoi(word.c_str() + 9));
    else if (word.rfind("--random-kernels=", 0) == 0)
      arguments.randomKernels = size_t(std::max(2, std::atoi(word.c_str() + 17)));
    else if (word.rfind("--set=", 0) == 0)
      arguments.selectors.set = word.substr(6);
    else
      arguments.folder = word;
  }
  return arguments;
}

} // namespace

int main(int count, char** words) {
  Arguments arguments = parse(count, words);
  Result<DeviceDescription> device = loadDeviceDescription("titan-xp");
  if (!device)
    return std::fprintf(stderr, "kscheduler-paper: %s\n", device.message().c_str()), 1;
  Result<Kernels> kernels = load(arguments.folder, *device);
  if (!kernels)
    return std::fprintf(stderr, "kscheduler-paper: %s\n", kernels.message().c_str()), 1;
  for (sim::SimKernel& kernel : kernels->all)
    kernel.known.saturationBlocksPerSm =
        saturationPoint(kernel.known.budgetCurve, arguments.saturation);
  sim::Simulator simulator(*device, kernels->all);
  std::vector<Workload> nine = workloads(kernels->all, arguments.lists, 1);
  if (wanted(arguments, "curves")) {
    printCurves(simulator, *kernels);
    printAlone(simulator, *kernels);
  }
  if (wanted(arguments, "slots"))
    printSlots(*kernels);
  if (wanted(arguments, "pairs"))
    printPairs(simulator, *kernels);
  if (wanted(arguments, "workloads"))
    printWorkloads(simulator, nine, arguments);
  if (wanted(arguments, "random"))
    printWorkloads(simulator, {randomMixes(kernels->all, 200, 2)}, arguments);
  if (wanted(arguments, "selector")) {
    printSelectors(simulator, arguments);
    printLists(simulator, nine, arguments.selectors);
  }
  if (wanted(arguments, "fresh"))
    printFresh(*device, arguments);
  if (wanted(arguments, "small")) {
    std::printf("\nGrids of fewer blocks than SMs, random kernels, 3 seeds\n");
    printSmallGrids(*device, arguments);
    if (Result<DeviceDescription> h200 = loadDeviceDescription("h200"))
      printSmallGrids(*h200, arguments);
  }
  return 0;
}
