// Selectors.cpp - pairs, lists, predictions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/papers/kscheduler/Selectors.h"

#include "rt/device/sim/Oracle.h"
#include "rt/policy/Predictor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

namespace gpusched::thesis {
namespace {

constexpr double kHarm = 0.98;      // of serial throughput: rt/policy/NoRegret.h's
constexpr double kWorthIt = 0.95;   // of the time apart
constexpr double kTolerance = 1.05; // of the limit

template <class Function> void forAllPairs(const sim::Simulator& simulator, Function function) {
  for (size_t a = 0; a < simulator.kernels().size(); ++a)
    for (size_t b = a + 1; b < simulator.kernels().size(); ++b)
      function(a, b);
}

} // namespace

std::unique_ptr<Policy> policyFor(const std::string& name, const SelectorOptions& options) {
  std::unique_ptr<Policy> policy = std::move(*makePolicy(name));
  // Published ANTT of the baselines is above 2 with a speedup above 1: more than two at a time.
  if (name == "even" || name == "warped-slicer")
    (void)policy->configure("together=3");
  std::string prefix = name + ".";
  for (size_t at = 0; at < options.set.size();) {
    size_t end = std::min(options.set.find(',', at), options.set.size());
    std::string one = options.set.substr(at, end - at);
    if (one.rfind(prefix, 0) == 0)
      if (Status set = policy->configure(one.substr(prefix.size())); !set)
        std::fprintf(stderr, "%s\n", set.message().c_str());
    at = end + 1;
  }
  return policy;
}

PolicyKernel seen(const sim::Simulator& simulator, size_t kernel, double noise) {
  PolicyKernel known = simulator.kernels()[kernel].known;
  std::mt19937 random{unsigned(kernel)};
  auto off = [&] { return 1 + noise * (double(random() % 2001) / 1000 - 1); };
  for (double& share : known.utilisation)
    share = std::min(1.0, share * off());
  known.eligibleWarpsPerCycle *= off();
  return known;
}

void SelectorQuality::add(const SelectorQuality& other) {
  pairs += other.pairs, quality += other.quality, least = std::min(least, other.least);
  together += other.together, harmful += other.harmful, missed += other.missed;
  overLimit += other.overLimit;
}

SelectorQuality qualityOnPairs(sim::Simulator& simulator, const Policy& policy,
                               const SelectorOptions& options) {
  sim::Oracle oracle(simulator, options.maxSlowdown);
  SelectorQuality all;
  forAllPairs(simulator, [&](size_t a, size_t b) {
    std::vector<CoRunSet> plan = policy.schedule(
        {seen(simulator, a, options.noise), seen(simulator, b, options.noise)}, simulator.limits());
    sim::Run run = simulator.runPlan({{a, 0, 0}, {b, 0, 0}}, plan);
    double best = *oracle.bestTimeUs({a, b});
    double apart = oracle.alone(a).timeUs + oracle.alone(b).timeUs;
    double aloneA = simulator.aloneUs(a), aloneB = simulator.aloneUs(b);
    double slowdown = std::max(run.jobs[0].endUs / aloneA, run.jobs[1].endUs / aloneB);
    bool together = plan.size() == 1;
    all.pairs += 1;
    all.quality += best / run.makespanUs, all.least = std::min(all.least, best / run.makespanUs);
    all.together += together;
    all.harmful += together && run.makespanUs > (aloneA + aloneB) / kHarm;
    all.missed += !together && best < apart * kWorthIt;
    all.overLimit += together && slowdown > options.maxSlowdown * kTolerance;
  });
  return all;
}

void printQuality(const std::string& name, const SelectorQuality& quality) {
  std::printf("%-14s %.1f %% of the oracle (least %.1f %%) over %.0f pairs, %.0f together; wrong "
              "sign %.1f %% (%.0f harmful, %.0f missed); %.0f over the limit\n",
              name.c_str(), 100 * quality.quality / quality.pairs, 100 * quality.least,
              quality.pairs, quality.together,
              100 * (quality.harmful + quality.missed) / quality.pairs, quality.harmful,
              quality.missed, quality.overLimit);
}

void printLists(sim::Simulator& simulator, const std::vector<Workload>& all,
                const SelectorOptions& options) {
  sim::Oracle oracle(simulator, options.maxSlowdown);
  std::printf("\nLists of %zu against the oracle over pairs and budgets (above 100 %%: sets of "
              "more than two, or lanes)\n",
              kListLength);
  for (const char* name : kPolicies) {
    std::unique_ptr<Policy> policy = policyFor(name, options);
    double quality = 0, lists = 0, least = 9;
    for (const Workload& workload : all)
      for (size_t i = 0; i < std::min<size_t>(5, workload.lists.size()); ++i) {
        std::vector<sim::Job> jobs;
        std::vector<PolicyKernel> known;
        for (size_t kernel : workload.lists[i]) {
          jobs.push_back({kernel, 0, 0});
          known.push_back(seen(simulator, kernel, options.noise));
        }
        double time =
            simulator.runPlan(jobs, policy->schedule(known, simulator.limits())).makespanUs;
        double part = *oracle.bestTimeUs(workload.lists[i]) / time;
        quality += part, lists += 1, least = std::min(least, part);
      }
    std::printf("%-14s %.1f %% (least %.1f %%) over %.0f lists\n", name, 100 * quality / lists,
                100 * least, lists);
  }
}

std::vector<double> predictionErrors(sim::Simulator& simulator, const SelectorOptions& options) {
  std::vector<double> errors;
  forAllPairs(simulator, [&](size_t a, size_t b) {
    PolicyKernel first = seen(simulator, a, options.noise);
    PolicyKernel second = seen(simulator, b, options.noise);
    Budgets budgets = waterFill({&first, &second}, simulator.limits());
    if (budgets.empty())
      return;
    Prediction predicted = predict({&first, &second}, budgets, simulator.limits());
    std::vector<sim::Simulator::Progress> together =
        simulator.together({{.kernel = a, .blocksPerSm = budgets[0]},
                            {.kernel = b, .blocksPerSm = budgets[1], .lane = 1}});
    size_t indexes[] = {a, b};
    for (size_t i = 0; i < 2; ++i) {
      double alone = simulator.together({{.kernel = indexes[i], .blocksPerSm = 0}})[0].blocksPerUs;
      errors.push_back(std::fabs(predicted.progress[i] / (together[i].blocksPerUs / alone) - 1));
    }
  });
  return errors;
}

void printErrors(std::vector<double> errors) {
  if (errors.empty())
    return;
  std::sort(errors.begin(), errors.end());
  std::printf("speed beside a partner, predicted against the sim: error median %.1f %%, P95 %.1f "
              "%%\n",
              100 * errors[errors.size() / 2], 100 * errors[errors.size() * 95 / 100]);
}

} // namespace gpusched::thesis
