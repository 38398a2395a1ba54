// Main.cpp - hierarchical MILP scheduling beside its baselines, by number of jobs. All modelled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   hierarchical-milp-paper [--only=decide,run] [--nodes=N] [--jobs=N,N,...] [--seeds=N]
//                           [--methods=NAME,NAME,...] [--limit=SECONDS] [--rho=N] [--mu=USD]
//
// Sections: time to decide once, where all jobs wait at once; a whole run, where they arrive: time
// to decide, response time, cost. A limit is that of each local problem. Times to decide are of
// this machine; all else is modelled. What each number rests on: README.md.
#include "benchmarks/papers/Option.h"
#include "benchmarks/papers/hierarchical-milp/Offer.h"

#include "rt/capacity/CapacityRun.h"
#include "rt/capacity/GreedyPlan.h"
#include "rt/capacity/LocalMilp.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace gpusched;
using namespace gpusched::capacity;
using namespace gpusched::papers;

namespace {

constexpr size_t kQueues = 3;

struct Arguments {
  std::string only, methods; // sections, contenders; empty = all
  size_t nodes = 3;
  std::vector<size_t> jobs = {1, 10, 20, 30, 50, 70};
  size_t seeds = 3;
  double limitSeconds = 2;
  Weights weights;

  bool wants(const char* section) const {
    return only.empty() || only.find(section) != std::string::npos;
  }
  bool compares(const std::string& name) const {
    return methods.empty() || ("," + methods + ",").find("," + name + ",") != std::string::npos;
  }
};

std::vector<size_t> numbers(const std::string& text) {
  std::vector<size_t> all;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');)
    all.push_back(size_t(std::max(1, std::atoi(word.c_str()))));
  return all.empty() ? std::vector<size_t>{1} : all;
}

Result<Arguments> parseArguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto [option, value] = Option(word);
    if (option == "--only")
      arguments.only = value;
    else if (option == "--methods")
      arguments.methods = value;
    else if (option == "--nodes")
      arguments.nodes = numbers(value).front();
    else if (option == "--jobs")
      arguments.jobs = numbers(value);
    else if (option == "--seeds")
      arguments.seeds = numbers(value).front();
    else if (option == "--limit")
      arguments.limitSeconds = std::atof(value.c_str());
    else if (option == "--rho")
      arguments.weights.postponed = std::atof(value.c_str());
    else if (option == "--mu")
      arguments.weights.usdPerIdleGpu = std::atof(value.c_str());
    else
      return Status::error("unknown option '" + word +
                           "'; there are --only=, --methods=, --nodes=, --jobs=, --seeds=, "
                           "--limit=, --rho= and --mu=");
  }
  return arguments;
}

struct Contender {
  const char* name;
  size_t queues;
  Deal deal;
  bool milp = true;
};

constexpr Contender kContenders[] = {
    {"edf", kQueues, {true, 1}},  {"edf2", kQueues, {true, 2}},
    {"edf3", kQueues, {true, 3}}, {"round-robin", kQueues, {false, 1}},
    {"one-milp", 1, {true, 1}},   {"greedy", 1, {true, 1}, false}};

/// A planner with a stopwatch. Queues of one rescheduling point would run side by side: the point
/// takes as long as the slowest.
class Timed {
public:
  Timed(bool milp, MilpLimits limits) : milp_(milp), limits_(limits) {}

  Result<LocalPlan> plan(const LocalProblem& problem) {
    const auto begin = std::chrono::steady_clock::now();
    Result<LocalPlan> plan = milp_ ? planByMilp(problem, limits_) : planGreedily(problem);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (problem.nowSeconds != point_)
      decideSeconds_ += slowest_, slowest_ = 0, point_ = problem.nowSeconds;
    slowest_ = std::max(slowest_, seconds);
    return plan;
  }

  /// Of all points so far.
  double decideSeconds() const { return decideSeconds_ + slowest_; }

private:
  bool milp_;
  MilpLimits limits_;
  double point_ = -1, slowest_ = 0, decideSeconds_ = 0;
};

/// Sums over seeds.
struct Measured {
  double decideSeconds = 0, points = 0, responseSeconds = 0, lateSeconds = 0, gpuUsd = 0,
         lateUsd = 0, vmUsd = 0;
  size_t plans = 0, unfinished = 0, fallbacks = 0;

  void add(const CapacityRun& run, const Timed& timed) {
    decideSeconds += timed.decideSeconds(), points += double(run.reschedulings);
    responseSeconds += run.meanResponseSeconds, lateSeconds += run.meanLateSeconds;
    gpuUsd += run.gpuUsd, lateUsd += run.lateUsd, vmUsd += run.vmUsd;
    plans += run.plans, unfinished += run.unfinished, fallbacks += run.fallbacks;
  }
};

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "hierarchical-milp-paper: error: %s\n", message.c_str());
  std::exit(1);
}

Service serviceOf(const Contender& contender, const Arguments& arguments) {
  Service service;
  service.types = documentTypes();
  service.nodes = arguments.nodes;
  service.queues = contender.queues, service.deal = contender.deal;
  service.weights = arguments.weights;
  return service;
}

/// One rescheduling point at which `count` jobs wait.
void decideOnce(const Contender& contender, const Arguments& arguments, size_t count, uint64_t seed,
                Measured& sum) {
  const Service service = serviceOf(contender, arguments);
  const std::vector<CapacityJob> jobs = drawCapacityJobs(service.types, count, seed);
  std::vector<const CapacityJob*> central;
  for (const CapacityJob& job : jobs)
    central.push_back(&job);
  Timed timed(contender.milp, {0.2, arguments.limitSeconds});
  const std::vector<std::vector<size_t>> dealt = dealJobs(central, service.queues, service.deal);
  const std::vector<size_t> owned = dealNodes(service.nodes, service.queues);
  for (size_t queue = 0; queue < service.queues; ++queue) {
    LocalProblem problem{&service.types,        owned[queue],   {}, jobs.back().arrivalSeconds,
                         service.periodSeconds, service.weights};
    for (size_t job : dealt[queue])
      problem.jobs.push_back({&jobs[job], 1});
    if (problem.jobs.empty())
      continue;
    const Result<LocalPlan> plan = timed.plan(problem);
    if (!plan)
      fail(plan.message());
    ++sum.plans;
    sum.unfinished += plan->origin == PlanOrigin::MilpUnfinished;
    sum.fallbacks += plan->isReplacement();
  }
  sum.decideSeconds += timed.decideSeconds();
}

std::vector<Contender> contendersOf(const Arguments& arguments) {
  std::vector<Contender> wanted;
  for (const Contender& contender : kContenders)
    if (arguments.compares(contender.name))
      wanted.push_back(contender);
  if (wanted.empty())
    fail("--methods=" + arguments.methods +
         " names none; there are edf, edf2, edf3, round-robin, one-milp and greedy");
  return wanted;
}

void printDecide(const Arguments& arguments) {
  std::printf("\nTime to decide once, all jobs wait, %zu nodes, means of %zu; limit %g s: plans "
              "unfinished + replaced / plans\njobs",
              arguments.nodes, arguments.seeds, arguments.limitSeconds);
  for (const Contender& contender : contendersOf(arguments))
    std::printf(" %21s", contender.name);
  for (size_t count : arguments.jobs) {
    std::printf("\n%4zu", count);
    for (const Contender& contender : contendersOf(arguments)) {
      Measured sum;
      for (uint64_t seed = 1; seed <= arguments.seeds; ++seed)
        decideOnce(contender, arguments, count, seed, sum);
      std::printf(" %8.1f ms %2zu+%2zu /%3zu", 1e3 * sum.decideSeconds / double(arguments.seeds),
                  sum.unfinished, sum.fallbacks, sum.plans);
    }
    std::fflush(stdout);
  }
  std::printf("\n");
}

Measured runAll(const Contender& contender, const Arguments& arguments, size_t count) {
  Measured sum;
  const Service service = serviceOf(contender, arguments);
  for (uint64_t seed = 1; seed <= arguments.seeds; ++seed) {
    Timed timed(contender.milp, {0.2, arguments.limitSeconds});
    const Result<CapacityRun> run =
        runCapacity(drawCapacityJobs(service.types, count, seed), service,
                    [&](const LocalProblem& problem) { return timed.plan(problem); });
    if (!run)
      fail(run.message());
    sum.add(*run, timed);
  }
  return sum;
}

void printRun(const Arguments& arguments) {
  const double seeds = double(arguments.seeds);
  for (size_t count : arguments.jobs) {
    std::printf("\n%zu jobs arrive, %zu nodes, means of %zu, limit %g s\n%-12s %10s %8s %11s %8s "
                "%8s %9s %9s %8s %s\n",
                count, arguments.nodes, arguments.seeds, arguments.limitSeconds, "", "decide, s",
                "points", "response, h", "late, h", "GPU USD", "late USD", "cost USD", "VM USD",
                "unfinished + replaced / plans");
    for (const Contender& contender : contendersOf(arguments)) {
      const Measured sum = runAll(contender, arguments, count);
      std::printf("%-12s %10.3f %8.1f %11.3f %8.3f %8.2f %9.2f %9.2f %8.2f %zu + %zu / %zu\n",
                  contender.name, sum.decideSeconds / seeds, sum.points / seeds,
                  sum.responseSeconds / seeds / 3600, sum.lateSeconds / seeds / 3600,
                  sum.gpuUsd / seeds, sum.lateUsd / seeds, (sum.gpuUsd + sum.lateUsd) / seeds,
                  sum.vmUsd / seeds, sum.unfinished, sum.fallbacks, sum.plans);
      std::fflush(stdout);
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  const Result<Arguments> arguments = parseArguments(argc, argv);
  if (!arguments)
    fail(arguments.message());
  if (arguments->nodes < kQueues)
    fail("--nodes=" + std::to_string(arguments->nodes) + " for " + std::to_string(kQueues) +
         " queues; give at least as many");
  if (arguments->wants("decide"))
    printDecide(*arguments);
  if (arguments->wants("run"))
    printRun(*arguments);
}
