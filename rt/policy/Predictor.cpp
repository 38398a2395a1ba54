// Predictor.cpp - the fixed point, and the climb over budgets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/Predictor.h"

#include <algorithm>

namespace gpusched {
namespace {

constexpr int kRounds = 40;
constexpr double kMostBusy = 0.995;
constexpr double kWarp = 32;
constexpr int kMostSteps = 20; // of the climb

/// One kernel at one budget, alone.
struct Customer {
  double warps = 0, latency = 0, native = 0; // native: speed at the occupancy limit
  Utilisation service = {};
};

Customer customerOf(const PolicyKernel& kernel, uint32_t blocks) {
  Customer customer;
  double perBlock = std::max(1.0, double(kernel.threadsPerBlock) / kWarp);
  double alone = performanceAt(kernel, blocks);
  customer.native = performanceAt(kernel, kernel.occupancyBlocksPerSm);
  customer.warps = blocks * perBlock;
  customer.latency = alone > 0 ? customer.warps / alone : 0;
  for (size_t r = 0; r < kResources; ++r) {
    double busy = std::min(kMostBusy, kernel.utilisation[r]);
    customer.service[r] = customer.native > 0 ? std::min(kMostBusy, busy / customer.native) : 0;
    double others = (customer.warps - 1) / std::max(1.0, customer.warps);
    customer.latency -= customer.service[r] / (1 - customer.service[r] * alone * others);
  }
  customer.latency = std::max(0.0, customer.latency);
  return customer;
}

bool known(const PolicyKernel& kernel) {
  return kernel.profiled && kernel.utilisation != Utilisation{} && kernel.occupancyBlocksPerSm > 0;
}

using Speeds = std::array<double, kMostTogether>;

Speeds settle(const std::array<Customer, kMostTogether>& customers, size_t count) {
  std::array<Utilisation, kMostTogether> queue = {};
  Speeds speed = {};
  for (size_t k = 0; k < count; ++k)
    for (size_t r = 0; r < kResources; ++r)
      queue[k][r] = customers[k].service[r];
  for (int round = 0; round < kRounds; ++round) {
    Utilisation all = {};
    for (size_t k = 0; k < count; ++k)
      for (size_t r = 0; r < kResources; ++r)
        all[r] += queue[k][r];
    for (size_t k = 0; k < count; ++k) {
      Utilisation residence;
      double cycle = customers[k].latency;
      for (size_t r = 0; r < kResources; ++r) {
        double found = all[r] - queue[k][r] / std::max(1.0, customers[k].warps);
        residence[r] = customers[k].service[r] * (1 + found);
        cycle += residence[r];
      }
      speed[k] = cycle > 0 ? customers[k].warps / cycle : 0;
      for (size_t r = 0; r < kResources; ++r)
        queue[k][r] = 0.3 * queue[k][r] + 0.7 * speed[k] * residence[r];
    }
  }
  return speed;
}

/// Neighbours in the climb: one kernel a block more or less, or a block handed over.
std::vector<Budgets> neighbours(const Budgets& budgets, const Budgets& fixed) {
  std::vector<Budgets> found;
  auto free = [&](size_t i) { return fixed.empty() || fixed[i] == 0; };
  for (size_t i = 0; i < budgets.size(); ++i) {
    if (!free(i))
      continue;
    Budgets more = budgets, less = budgets;
    ++more[i];
    found.push_back(more);
    if (--less[i] > 0)
      found.push_back(less);
    for (size_t j = 0; j < budgets.size() && less[i] > 0; ++j)
      if (j != i && free(j)) {
        Budgets handed = less;
        ++handed[j];
        found.push_back(handed);
      }
  }
  return found;
}

/// Gain, less where a kernel is left with too little: the climb then goes towards fairness.
double score(const Prediction& prediction, double leastProgress) {
  double shortfall = leastProgress > 0 ? prediction.slowest() / leastProgress : 1;
  return prediction.gain * std::min(1.0, shortfall * shortfall);
}

Budgets startOf(const KernelList& kernels, const DeviceLimits& limits, const Budgets& fixed) {
  if (fixed.empty())
    return waterFill(kernels, limits);
  Budgets start(kernels.size(), 1);
  for (size_t i = 0; i < fixed.size(); ++i)
    start[i] = std::max(1u, fixed[i]);
  if (!fitsTogether(kernels, start, limits))
    return {};
  for (size_t i = 0; i < fixed.size(); ++i)
    for (Budgets more = start; fixed[i] == 0; start = more)
      if (++more[i]; !fitsTogether(kernels, more, limits))
        break;
  return start;
}

} // namespace

double Prediction::slowest() const {
  return *std::min_element(progress.begin(), progress.begin() + std::ptrdiff_t(count));
}

Prediction predict(const KernelList& kernels, const Budgets& budgets) {
  Prediction prediction;
  prediction.count = kernels.size();
  std::array<Customer, kMostTogether> customers;
  for (size_t k = 0; k < kernels.size(); ++k) {
    if (!known(*kernels[k]))
      return prediction;
    customers[k] = customerOf(*kernels[k], budgets[k]);
  }
  Speeds speed = settle(customers, kernels.size());
  for (size_t k = 0; k < kernels.size(); ++k) {
    prediction.progress[k] = customers[k].native > 0 ? speed[k] / customers[k].native : 0;
    prediction.gain += prediction.progress[k];
  }
  return prediction;
}

Budgets bestBudgets(const KernelList& kernels, const DeviceLimits& limits, const Budgets& fixed,
                    double leastProgress, Prediction& prediction) {
  Budgets best = startOf(kernels, limits, fixed);
  if (best.empty())
    return best;
  prediction = predict(kernels, best);
  for (int step = 0; step < kMostSteps; ++step) {
    bool better = false;
    for (const Budgets& next : neighbours(best, fixed)) {
      if (!fitsTogether(kernels, next, limits))
        continue;
      Prediction tried = predict(kernels, next);
      if (score(tried, leastProgress) <= score(prediction, leastProgress) * 1.001)
        continue;
      prediction = tried;
      best = next;
      better = true;
      break;
    }
    if (!better)
      break;
  }
  return best;
}

} // namespace gpusched
