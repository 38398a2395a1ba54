// Main.cpp - kernels that arrive at random, under `preemptive` and others, on the sim device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   preemptive-paper [FOLDER] [--load=X] [--class=compute|memory|l1] [--launches=N] [--seeds=N]
//     [--set=NAME=VALUE,...]
//
// FOLDER holds the K-Scheduler thesis' kernels (benchmarks/papers/kscheduler). Each launch is one
// of the 18, in a stream of its own, with a time alone and an arrival drawn at random. Rows are
// policies, asked once for each launch as by the runtime; figures are means over the seeds, all
// modelled. --class leaves kernels of one class, --set is for `preemptive`. What the columns are:
// README.md.
#include "benchmarks/papers/kscheduler/ThesisKernels.h"

#include "rt/device/sim/Metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

using namespace gpusched;

namespace {

struct Arguments {
  std::string folder = "benchmarks/papers/kscheduler", set, onlyClass;
  std::vector<double> loads = {0.7, 1, 1.3};
  size_t launches = 60, seeds = 20;
};

struct Row {
  const char *label, *policy, *parameters;
};
constexpr Row kRows[] = {
    {"serial", "serial", ""},
    {"fifo", "fifo", ""},
    {"kscheduler", "kscheduler", ""},
    {"bottleneck", "bottleneck", ""},
    {"max_slowdown=3", "bottleneck", "max_slowdown=3"},
    {"preempt=0", "preemptive", "preempt=0"},
    {"preemptive", "preemptive", ""},
    {"context_switch=1", "preemptive", "context_switch=1"},
    {"whole_rest=1", "preemptive", "whole_rest=1"},
    {"limit=3,preempt=0", "preemptive", "limit=3,preempt=0"},
    {"limit=3", "preemptive", "limit=3"},
};

constexpr double kShortestUs = 2'000, kLongestUs = 200'000; // time alone, log-uniform
constexpr size_t kSizes = 6;                                // of each kernel

/// Every kernel in kSizes sizes; the grid grows with the time.
std::vector<sim::SimKernel> sizesOf(const thesis::Kernels& kernels, const std::string& onlyClass) {
  std::vector<sim::SimKernel> all;
  for (const sim::SimKernel& kernel : kernels.all)
    for (size_t size = 0; size < kSizes; ++size) {
      if (!onlyClass.empty() && onlyClass != name(kernel.known.kernelClass))
        break;
      const double share = (double(size) + 0.5) / kSizes;
      sim::SimKernel& sized = all.emplace_back(kernel);
      thesis::setTime(sized, kShortestUs * std::pow(kLongestUs / kShortestUs, share));
      sized.known.blocks = uint64_t(sized.demand.blocks);
    }
  return all;
}

/// Work arrives `load` times as fast as one kernel after the other does it; gaps are exponential.
std::vector<sim::Job> arrivals(sim::Simulator& simulator, const Arguments& arguments, double load,
                               size_t seed) {
  std::mt19937 random{unsigned(seed)};
  auto uniform = [&] { return (double(random()) + 0.5) / 4294967296.0; };
  double meanUs = 0;
  for (size_t kernel = 0; kernel < simulator.kernels().size(); ++kernel)
    meanUs += simulator.aloneUs(kernel) / double(simulator.kernels().size());
  std::vector<sim::Job> jobs;
  double now = 0;
  for (size_t i = 0; i < arguments.launches; ++i) {
    jobs.push_back({random() % simulator.kernels().size(), now, i + 1});
    now += -std::log(uniform()) * meanUs / load;
  }
  return jobs;
}

/// Time in which at least one kernel runs.
double busyUs(const sim::Run& run) {
  std::vector<std::pair<double, double>> spans;
  for (const sim::JobRun& job : run.jobs)
    spans.emplace_back(job.startUs, job.endUs);
  std::sort(spans.begin(), spans.end());
  double busy = 0, until = 0;
  for (const auto& [start, end] : spans) {
    busy += std::max(0.0, end - std::max(start, until));
    until = std::max(until, end);
  }
  return busy;
}

struct Sums {
  double makespanMs = 0, stp = 0, anttQueued = 0, antt = 0, preemptions = 0;
  std::vector<double> normIpc; // by seed

  double meanNormIpc() const {
    return std::accumulate(normIpc.begin(), normIpc.end(), 0.0) / double(normIpc.size());
  }

  void add(sim::Simulator& simulator, const std::vector<sim::Job>& jobs, const sim::Run& run) {
    const sim::Metrics metrics = sim::metricsOf(simulator, jobs, run);
    double alone = 0;
    for (const sim::Job& job : jobs)
      alone += simulator.aloneUs(job.kernel);
    normIpc.push_back(alone / busyUs(run));
    makespanMs += metrics.makespanUs / 1000;
    stp += metrics.stp / double(jobs.size());
    anttQueued += metrics.anttQueued;
    antt += metrics.antt;
    for (const sim::JobRun& job : run.jobs)
      preemptions += job.reason.find("preempts '") != std::string::npos;
  }
};

/// Seeds in which `row` was ahead of `reference`.
size_t aheadOf(const Sums& row, const Sums& reference) {
  size_t ahead = 0;
  for (size_t seed = 0; seed < row.normIpc.size(); ++seed)
    ahead += row.normIpc[seed] > reference.normIpc[seed];
  return ahead;
}

void printRow(const Row& row, const Sums& sums, const Sums* reference) {
  const double count = double(sums.normIpc.size());
  std::printf("%-17s %8.3f ", row.label, sums.meanNormIpc());
  if (reference)
    std::printf("%5zu", aheadOf(sums, *reference));
  else
    std::printf("%5s", "-");
  std::printf(" %12.0f %11.3f %12.2f %6.2f %12.1f\n", sums.makespanMs / count, sums.stp / count,
              sums.anttQueued / count, sums.antt / count, sums.preemptions / count);
}

int printLoad(sim::Simulator& simulator, const Arguments& arguments, double load) {
  std::printf("\nload %.2f\n%-17s %8s %5s %12s %11s %12s %6s %12s\n", load, "", "norm_ipc", "ahead",
              "makespan ms", "STP/launch", "ANTT queued", "ANTT", "preemptions");
  Sums without; // the last row that does not preempt
  for (const Row& row : kRows) {
    std::unique_ptr<Policy> policy = std::move(*makePolicy(row.policy));
    const bool isOurs = std::string(row.policy) == "preemptive";
    Status set = policy->configure(row.parameters);
    if (set && isOurs)
      set = policy->configure(arguments.set);
    if (!set)
      return std::fprintf(stderr, "preemptive-paper: --set: %s\n", set.message().c_str()), 2;
    Sums sums;
    for (size_t seed = 1; seed <= arguments.seeds; ++seed) {
      const std::vector<sim::Job> jobs = arrivals(simulator, arguments, load, seed);
      sums.add(simulator, jobs, simulator.runOnline(jobs, *policy));
    }
    const bool preempts = std::string(row.parameters).find("preempt=0") == std::string::npos;
    printRow(row, sums, isOurs && preempts ? &without : nullptr);
    if (!preempts)
      without = sums;
  }
  return 0;
}

Arguments parse(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word.rfind("--load=", 0) == 0)
      arguments.loads = {std::max(0.01, std::atof(word.c_str() + 7))};
    else if (word.rfind("--launches=", 0) == 0)
      arguments.launches = size_t(std::max(1, std::atoi(word.c_str() + 11)));
    else if (word.rfind("--seeds=", 0) == 0)
      arguments.seeds = size_t(std::max(1, std::atoi(word.c_str() + 8)));
    else if (word.rfind("--class=", 0) == 0)
      arguments.onlyClass = word.substr(8);
    else if (word.rfind("--set=", 0) == 0)
      arguments.set = word.substr(6);
    else
      arguments.folder = word;
  }
  return arguments;
}

} // namespace

int main(int count, char** words) {
  const Arguments arguments = parse(count, words);
  Result<DeviceDescription> device = loadDeviceDescription("titan-xp");
  if (!device)
    return std::fprintf(stderr, "preemptive-paper: %s\n", device.message().c_str()), 1;
  Result<thesis::Kernels> kernels = thesis::load(arguments.folder, *device);
  if (!kernels)
    return std::fprintf(stderr, "preemptive-paper: %s\n", kernels.message().c_str()), 1;
  sim::Simulator simulator(*device, sizesOf(*kernels, arguments.onlyClass));
  if (simulator.kernels().empty())
    return std::fprintf(stderr, "preemptive-paper: --class=%s: expected compute, memory or l1\n",
                        arguments.onlyClass.c_str()),
           2;
  std::printf("%zu launches of %zu kernels in %zu sizes, mean of %zu seeds, on %s; all modelled\n",
              arguments.launches, simulator.kernels().size() / kSizes, kSizes, arguments.seeds,
              device->name.c_str());
  for (double load : arguments.loads)
    if (int failed = printLoad(simulator, arguments, load))
      return failed;
  return 0;
}
