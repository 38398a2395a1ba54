// Main.cpp - the thesis' worked example and its experiment on the sim device. All modelled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   knapsack-paper [FOLDER] [--only=example,experiment] [--sets=N] [--devices=titan-x,k40]
//     [--kernels=32,64,...] [--blocks=32,64,...] [--spread=N] [--set=NAME=VALUE,...]
//
// FOLDER holds the two devices. Default: 5 random sets of each size; the thesis has 50. --spread is
// the largest loop count / the least. --set gives the policy's parameters, but for the selector.
// The order is timed on the processor that runs this, so the overhead changes from run to run; all
// else is the same every time.
#include "benchmarks/papers/Option.h"
#include "benchmarks/papers/knapsack/SyntheticKernels.h"
#include "benchmarks/papers/knapsack/WeightedOccupancy.h"

#include "rt/device/sim/Metrics.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace gpusched;
using namespace gpusched::knapsack_paper;

namespace {

struct Arguments {
  std::string folder = "benchmarks/papers/knapsack", only, parameters;
  size_t sets = 5;
  std::vector<std::string> devices = {"titan-x", "k40"};
  std::vector<uint32_t> kernels = {32, 64, 128, 256}, blocks = {32, 64, 128, 256, 512};
  uint32_t spread = 100;
};

/// A selector of the policy, and what the thesis has of it: percent better than in index order.
struct Selector {
  const char *name, *setting;
  double antt[2], stp[2], overhead[2]; // all 0 = not published
};
const Selector kSelectors[] = {
    {"greedy", "selector=0", {17, 70}, {27, 58}, {0.001, 0.057}},
    {"flattened", "selector=1", {55, 86}, {43, 67}, {0.6, 6.3}},
    {"three", "selector=2", {0, 0}, {0, 0}, {0, 0}},
};
constexpr size_t kCount = std::size(kSelectors);

std::unique_ptr<Policy> policyFor(const std::string& name, const std::string& parameters) {
  std::unique_ptr<Policy> policy = std::move(*makePolicy(name));
  if (Status set = policy->configure(parameters); !set) {
    std::fprintf(stderr, "knapsack-paper: --set: %s\n", set.message().c_str());
    std::exit(2);
  }
  return policy;
}

std::unique_ptr<Policy> knapsack(const Arguments& arguments, const Selector& selector) {
  return policyFor("knapsack", arguments.parameters + (arguments.parameters.empty() ? "" : ",") +
                                   selector.setting);
}

/// Every block fills an SM, ten SMs: 30 % are 3 blocks.
PolicyKernel exampleKernel(const ExampleKernel& of) {
  PolicyKernel kernel;
  kernel.profiled = true;
  kernel.occupancyBlocksPerSm = 1;
  kernel.threadsPerBlock = 2048, kernel.registersPerBlock = 65536;
  kernel.sharedBytesPerBlock = 98304;
  kernel.blocks = uint64_t(of.percent / 10);
  kernel.timeUs = of.milliseconds * 1000;
  return kernel;
}

void printExample(const Arguments& arguments) {
  const std::vector<ExampleKernel> kernels = {{30, 20}, {30, 15}, {50, 15}, {60, 15}};
  const DeviceLimits device = {10, 65536, 98304, 32, 2048};
  auto print = [&](const char* whose, const std::vector<size_t>& order) {
    const WeightedOccupancy result = weightedOccupancy(kernels, order, 2);
    std::printf("%-22s", whose);
    for (size_t kernel : order)
      std::printf(" k%zu", kernel + 1);
    std::printf("  weighted occupancy %.0f %%, %.0f ms\n", result.percent, result.milliseconds);
  };
  std::printf("Worked example, two queues\n");
  print("index order", {0, 1, 2, 3});
  print("thesis, 60 %", {1, 0, 2, 3});
  print("thesis, 77 %", {3, 0, 2, 1});
  std::vector<PolicyKernel> known;
  for (const ExampleKernel& kernel : kernels)
    known.push_back(exampleKernel(kernel));
  for (const Selector& selector : kSelectors) {
    std::unique_ptr<Policy> policy = knapsack(arguments, selector);
    (void)policy->configure("queues=2");
    std::vector<size_t> order;
    const std::vector<CoRunSet> plan = policy->schedule(known, device);
    for (const Member& member : plan.front())
      order.push_back(member.kernel);
    print(selector.name, order);
  }
}

struct Figures {
  double antt = 0, stp = 0, makespanUs = 0, orderSeconds = 0;
};

/// The list under a policy that is told each kernel's time alone; the figures are added.
void addRun(sim::Simulator& simulator, const std::vector<PolicyKernel>& known, const Policy& policy,
            Figures& sum) {
  std::vector<sim::Job> jobs;
  for (size_t i = 0; i < known.size(); ++i)
    jobs.push_back({i, 0, i});
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<CoRunSet> plan = policy.schedule(known, simulator.limits());
  sum.orderSeconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const sim::Metrics metrics = sim::metricsOf(simulator, jobs, simulator.runPlan(jobs, plan));
  sum.antt += metrics.anttQueued, sum.stp += metrics.stp, sum.makespanUs += metrics.makespanUs;
}

struct Range {
  double least = 1e300, largest = -1e300, sum = 0, count = 0;
  void add(double value) {
    least = std::min(least, value), largest = std::max(largest, value);
    sum += value, count += 1;
  }
};

struct Ranges {
  Range antt, stp, makespan, overhead;
};

/// One row: `sets` lists of `count` kernels. False: an error was printed.
bool printRow(const Arguments& arguments, const DeviceDescription& device, size_t count,
              uint32_t blocks, Ranges (&ranges)[kCount]) {
  const std::unique_ptr<Policy> inOrder = policyFor("fifo", "streams=32");
  Figures standard, ours[kCount];
  for (size_t set = 0; set < arguments.sets; ++set) {
    Result<std::vector<sim::SimKernel>> kernels =
        syntheticKernels(device, {count, blocks, arguments.spread}, unsigned(set + 1));
    if (!kernels)
      return std::fprintf(stderr, "knapsack-paper: %s\n", kernels.message().c_str()), false;
    sim::Simulator simulator(device, *kernels);
    std::vector<PolicyKernel> known;
    for (size_t i = 0; i < count; ++i) {
      known.push_back(simulator.kernels()[i].known);
      known.back().timeUs = simulator.aloneUs(i);
    }
    addRun(simulator, known, *inOrder, standard);
    for (size_t s = 0; s < kCount; ++s)
      addRun(simulator, known, *knapsack(arguments, kSelectors[s]), ours[s]);
  }
  const double sets = double(arguments.sets);
  std::printf("%4zu %4u %7.1f %6.2f", count, blocks, standard.antt / sets, standard.stp / sets);
  for (size_t s = 0; s < kCount; ++s) {
    const double antt = 100 * (1 - ours[s].antt / standard.antt);
    const double stp = 100 * (ours[s].stp / standard.stp - 1);
    const double makespan = 100 * (1 - ours[s].makespanUs / standard.makespanUs);
    const double overhead =
        ours[s].orderSeconds / sets * standard.antt / (standard.antt - ours[s].antt);
    ranges[s].antt.add(antt), ranges[s].stp.add(stp), ranges[s].makespan.add(makespan);
    ranges[s].overhead.add(overhead);
    std::printf("  | %4.0f %4.0f %4.0f %8.5f", antt, stp, makespan, overhead);
  }
  std::printf("\n");
  return true;
}

void printRange(const char* what, const double (&thesis)[2], const Range& modelled, int digits) {
  std::printf("  %s ", what);
  if (thesis[1] > 0)
    std::printf("%g to %g / ", thesis[0], thesis[1]);
  std::printf("%.*f to %.*f (%.*f)", digits, modelled.least, digits, modelled.largest, digits,
              modelled.sum / modelled.count);
}

void printRanges(const Ranges (&ranges)[kCount]) {
  std::printf("\nOver all rows: thesis / modelled (mean)\n");
  for (size_t s = 0; s < kCount; ++s) {
    const Selector& selector = kSelectors[s];
    std::printf("%-9s", selector.name);
    printRange("ANTT %", selector.antt, ranges[s].antt, 0);
    printRange("STP %", selector.stp, ranges[s].stp, 0);
    printRange("makespan %", {}, ranges[s].makespan, 1);
    printRange("overhead s", selector.overhead, ranges[s].overhead, 5);
    std::printf("\n");
  }
}

bool printExperiment(const Arguments& arguments) {
  Ranges ranges[kCount];
  for (const std::string& name : arguments.devices) {
    Result<DeviceDescription> device =
        loadDeviceDescription(arguments.folder + "/" + name + ".json");
    if (!device)
      return std::fprintf(stderr, "knapsack-paper: %s\n", device.message().c_str()), false;
    std::printf("\n%s, %zu sets: in index order, then percent better (ANTT, STP, makespan) and "
                "overhead in seconds\n%4s %4s %7s %6s",
                device->name.c_str(), arguments.sets, "N", "NB", "ANTT", "STP");
    for (const Selector& selector : kSelectors)
      std::printf("  | %-23s", selector.name);
    std::printf("\n");
    for (uint32_t count : arguments.kernels)
      for (uint32_t blocks : arguments.blocks)
        if (!printRow(arguments, *device, count, blocks, ranges))
          return false;
  }
  printRanges(ranges);
  return true;
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    all.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return all;
}

std::vector<uint32_t> numbers(const std::string& text, int least) {
  std::vector<uint32_t> all;
  for (const std::string& word : words(text))
    all.push_back(uint32_t(std::max(least, std::atoi(word.c_str()))));
  return all;
}

Arguments parse(int count, char** given) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = given[i];
    const auto [name, value] = papers::Option(word);
    if (name == "--only")
      arguments.only = value;
    else if (name == "--sets")
      arguments.sets = size_t(std::max(1, std::atoi(value.c_str())));
    else if (name == "--devices")
      arguments.devices = words(value);
    else if (name == "--kernels")
      arguments.kernels = numbers(value, 1);
    else if (name == "--blocks")
      arguments.blocks = numbers(value, 4);
    else if (name == "--spread")
      arguments.spread = uint32_t(std::clamp(std::atoi(value.c_str()), 1, int(kMostTurns)));
    else if (name == "--set")
      arguments.parameters = value;
    else
      arguments.folder = word;
  }
  return arguments;
}

} // namespace

int main(int count, char** given) {
  const Arguments arguments = parse(count, given);
  auto wanted = [&](const char* section) {
    return arguments.only.empty() || arguments.only.find(section) != std::string::npos;
  };
  if (wanted("example"))
    printExample(arguments);
  if (wanted("experiment") && !printExperiment(arguments))
    return 1;
  return 0;
}
