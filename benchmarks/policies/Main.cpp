// Main.cpp - policy-bench: how long policies think. 10^5 queued kernels; one arrival; a new pair.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   policy-bench [KERNELS]      default 100000
//
// With 100 and with 1000 different kernels, each queued often, and once all different, which no
// program is. Times are of this host, processor time of one thread. Bars (docs/policies):
// schedule() of kscheduler over 10^5 kernels at most 1 s; a pair never seen before at most 50 us.
#include "rt/policy/PredictionMemo.h"
#include "rt/policy/Predictor.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

using namespace gpusched;

namespace {

/// Processor time: other programs on the host do not count.
double nowUs() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e6 + double(time.tv_nsec) / 1e3;
}

std::vector<PolicyKernel> randomKernels(size_t count) {
  std::mt19937 random(1);
  auto below = [&](uint32_t limit) { return random() % limit; };
  std::vector<PolicyKernel> kernels(count);
  for (PolicyKernel& kernel : kernels) {
    kernel.name = "k";
    kernel.hasPersistent = kernel.profiled = true;
    kernel.kernelClass = KernelClass(1 + below(3));
    kernel.threadsPerBlock = 32 * (1 + below(8));
    kernel.registersPerBlock = 256 * (1 + below(40));
    kernel.sharedBytesPerBlock = 256 * below(40);
    kernel.occupancyBlocksPerSm = 4 + below(12);
    kernel.saturationBlocksPerSm = 1 + below(kernel.occupancyBlocksPerSm);
    kernel.timeUs = 10 + below(100000);
    kernel.dramGbPerSecond = below(4000);
    kernel.gflops = below(40000);
    kernel.eligibleWarpsPerCycle = below(80) / 10.0;
    kernel.l1TransactionsPerSecond = below(100) * 1e9;
    for (uint32_t blocks = 1; blocks <= kernel.occupancyBlocksPerSm; ++blocks)
      kernel.budgetCurve.push_back(std::min(1.0, double(blocks) / kernel.saturationBlocksPerSm));
    for (double& share : kernel.utilisation)
      share = below(100) / 100.0;
  }
  return kernels;
}

DeviceLimits h200() {
  return {132, 65536, 233472, 32, 2048, 4800, 66900};
}

void wholeQueue(const char* name, const std::vector<PolicyKernel>& kernels) {
  std::unique_ptr<Policy> policy = std::move(*makePolicy(name));
  double start = nowUs();
  size_t sets = policy->schedule(kernels, h200()).size();
  std::printf("%-14s schedule() of %zu kernels: %.3f s, %zu sets\n", name, kernels.size(),
              (nowUs() - start) / 1e6, sets);
}

void printPercentiles(const char* what, std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  std::printf("%-40s P50 %.2f us, P99 %.2f us\n", what, times[times.size() / 2],
              times[times.size() * 99 / 100]);
}

/// With a memo each pair is asked about twice, and the second answer is timed.
void oneArrival(const char* name, const std::vector<PolicyKernel>& kernels,
                PredictionMemo* memo = nullptr) {
  std::unique_ptr<Policy> policy = std::move(*makePolicy(name));
  std::vector<double> times;
  for (size_t i = 0; i + 1 < std::min<size_t>(kernels.size(), 20000); ++i) {
    PolicyState state;
    state.limits = h200();
    state.explain = false;
    state.memo = memo;
    state.running.push_back({1, 1, 1, 1, kernels[i].budget(), &kernels[i]});
    state.waiting.push_back({2, 2, &kernels[i + 1]});
    if (memo)
      (void)policy->decide(state);
    double start = nowUs();
    std::vector<Decision> made = policy->decide(state);
    times.push_back(nowUs() - start);
    if (made.empty())
      std::abort();
  }
  printPercentiles(
      (std::string(name) + (memo ? ", decide() on a known pair" : ", decide() on an unseen pair"))
          .c_str(),
      times);
}

} // namespace

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  size_t kernels = count > 1 ? size_t(std::max(2, std::atoi(words[1]))) : 100000;
  std::vector<PolicyKernel> different = randomKernels(kernels);
  for (size_t kinds : {100, 1000}) {
    std::vector<PolicyKernel> queue;
    for (size_t i = 0; i < kernels; ++i) {
      queue.push_back(different[i % std::min(kernels, kinds)]);
      queue.back().timeUs = different[i].timeUs;
    }
    std::printf("%zu different kernels:\n", kinds);
    for (const char* name : {"kscheduler", "bottleneck", "warped-slicer"})
      wholeQueue(name, queue);
  }
  std::printf("all different:\n");
  for (const char* name : {"kscheduler", "bottleneck", "warped-slicer"})
    wholeQueue(name, different);
  for (const char* name : {"kscheduler", "bottleneck"})
    oneArrival(name, different);
  PredictionMemo memo;
  oneArrival("bottleneck", different, &memo);
  return 0;
}
