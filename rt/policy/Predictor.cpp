// Predictor.cpp - the fixed point, what follows from speeds, and the climb over budgets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/Predictor.h"

#include <algorithm>
#include <cmath>

namespace gpusched {
namespace {

constexpr int kRounds = 60;
constexpr double kSettled = 5e-4; // relative change of speeds that ends the rounds
constexpr double kMostBusy = 0.995;
constexpr double kMostHits = 0.98;
constexpr double kWarp = 32;
constexpr double kWorthRaisingUs = 1000;
constexpr double kDearTwin = 1.1; // times the native form's time
constexpr int kMostSteps = 40;    // of a climb
constexpr double kRowLoss = 0.14; // of DRAM's rate when two equal streams mix (docs/devices/sim.md)

bool sharedByAllSms(size_t resource) {
  return resource == kL2Bandwidth || resource == kDramBandwidth;
}

/// Speed of the native form on the curve's scale, which is of the twin.
double nativeSpeed(const PolicyKernel& kernel) {
  const double twin = performanceAt(kernel, kernel.occupancyBlocksPerSm);
  const bool measured = kernel.persistentTimeUs > 0 && kernel.timeUs > 0;
  return measured ? twin * kernel.persistentTimeUs / kernel.timeUs : twin;
}

/// Speed of the twin at its best budget, relative to the native form's.
double bestTwinSpeed(const PolicyKernel& kernel) {
  const double native = nativeSpeed(kernel);
  return native > 0 ? performanceAt(kernel, bestAlone(kernel)) / native : 1;
}

/// Of the better form, relative to the native one.
double bestOf(double twinSpeed) {
  return std::max(1.0, twinSpeed);
}

/// What one cache does for one kernel.
struct CacheUse {
  double hits = 0, bytesPerWarp = 0; // hits: with room for all

  static double kept(double capacity, double wanted) {
    return capacity > 0 && wanted > capacity ? capacity / wanted : 1;
  }
  /// From the hits that were measured with `warps` resident warps.
  CacheUse(double measuredHits, double bytes, double capacity, double warps)
      : hits(std::min(kMostHits, measuredHits / kept(capacity, warps * bytes))),
        bytesPerWarp(bytes) {}
  /// Misses relative to those with room for all, when `wanted` bytes compete.
  double growth(double capacity, double wanted) const {
    return (1 - hits * kept(capacity, wanted)) / (1 - hits);
  }
};

/// One kernel at one budget. Latency and service are those of the budget alone.
struct Customer {
  double warps = 0, latency = 0, memoryLatency = 0;
  double alone = 0, native = 0; // speed at the budget, and of the native form
  Utilisation service = {};
};

/// Kernels that are asked about together, with what does not depend on budgets.
class Mix {
public:
  Mix(const KernelList& kernels, const DeviceLimits& limits) : kernels_(kernels), limits_(limits) {
    for (const PolicyKernel* kernel : kernels)
      natives_.push_back(nativeOf(*kernel));
  }

  bool known() const {
    return std::all_of(kernels_.begin(), kernels_.end(), [](const PolicyKernel* kernel) {
      return kernel->profiled && kernel->utilisation != Utilisation{} &&
             kernel->occupancyBlocksPerSm > 0;
    });
  }

  Prediction at(const Budgets& budgets, const Goal& goal) const;

private:
  using Customers = std::array<Customer, kMostTogether>;
  using Speeds = std::array<double, kMostTogether>;

  /// A kernel at its occupancy limit: where its profile was taken.
  struct Native {
    double warpsPerBlock = 1, speed = 0, memoryLatency = 0;
    double bestTwin = 1; // relative to speed
    Utilisation busy = {};
    CacheUse l1, l2;
    double l1Growth = 1, l2Growth = 1;

    double best() const { return bestOf(bestTwin); }
  };

  double sms() const { return std::max<double>(1, limits_.sms); }
  /// A visit to `resource` that finds nobody: L2 and DRAM serve one of all SMs at a time.
  double idle(size_t resource) const { return sharedByAllSms(resource) ? 1 / sms() : 1; }
  double customers(size_t resource, double warps) const {
    return std::max(1.0, sharedByAllSms(resource) ? warps * sms() : warps);
  }
  double residence(size_t resource, double service, double speed, double warps) const {
    double others = 1 - 1 / customers(resource, warps);
    return idle(resource) * service / (1 - std::min(kMostBusy, service * speed) * others);
  }
  double l2Wanted(const Native& native, double warps) const {
    return warps * sms() * native.l2.bytesPerWarp;
  }

  Native nativeOf(const PolicyKernel& kernel) const;
  Customer customerOf(size_t index, uint32_t blocks) const;
  void shareCaches(Customers& customers) const;
  Speeds settle(const Customers& customers) const;
  void judge(Prediction& prediction, const Goal& goal) const;

  const KernelList& kernels_;
  const DeviceLimits& limits_;
  std::vector<Native> natives_;
};

/// Busy shares are lowered until their queues fit into the time that the kernel takes.
Mix::Native Mix::nativeOf(const PolicyKernel& kernel) const {
  double perBlock = std::max(1.0, std::ceil(double(kernel.threadsPerBlock) / kWarp));
  double warps = perBlock * kernel.occupancyBlocksPerSm;
  Native native{perBlock,
                nativeSpeed(kernel),
                0,
                bestTwinSpeed(kernel),
                kernel.utilisation,
                {kernel.l1Hits, kernel.l1BytesPerWarp, double(limits_.l1BytesPerSm), warps},
                {kernel.l2Hits, kernel.l2BytesPerWarp, double(limits_.l2Bytes), warps * sms()}};
  if (native.speed <= 0)
    return native;
  native.l1Growth = native.l1.growth(double(limits_.l1BytesPerSm), warps * native.l1.bytesPerWarp);
  native.l2Growth = native.l2.growth(double(limits_.l2Bytes), l2Wanted(native, warps));
  for (double& share : native.busy)
    share = std::min(kMostBusy, share);
  double cycle = warps / native.speed, waiting = 0;
  for (bool fits = false; !fits;) {
    waiting = 0;
    for (size_t r = 0; r < kResources; ++r)
      waiting += residence(r, native.busy[r] / native.speed, native.speed, warps);
    fits = waiting <= cycle;
    for (double& share : native.busy)
      share *= fits ? 1 : 0.99;
  }
  double memory = kernel.stallMemory / 100 * cycle;
  for (size_t r : {kL2Bandwidth, kDramBandwidth})
    memory -= residence(r, native.busy[r] / native.speed, native.speed, warps);
  native.memoryLatency = std::clamp(memory, 0.0, cycle - waiting);
  return native;
}

Customer Mix::customerOf(size_t index, uint32_t blocks) const {
  const Native& native = natives_[index];
  Customer customer;
  customer.alone = performanceAt(*kernels_[index], blocks);
  customer.native = native.speed;
  customer.warps = blocks * native.warpsPerBlock;
  if (customer.alone <= 0 || native.speed <= 0)
    return customer;
  double l1 =
      native.l1.growth(double(limits_.l1BytesPerSm), customer.warps * native.l1.bytesPerWarp) /
      native.l1Growth;
  double l2 =
      native.l2.growth(double(limits_.l2Bytes), l2Wanted(native, customer.warps)) / native.l2Growth;
  customer.memoryLatency = native.memoryLatency * l1;
  customer.latency = customer.warps / customer.alone;
  for (size_t r = 0; r < kResources; ++r) {
    customer.service[r] = native.busy[r] / native.speed;
    if (sharedByAllSms(r))
      customer.service[r] *= r == kDramBandwidth ? l1 * l2 : l1;
    customer.latency -= residence(r, customer.service[r], customer.alone, customer.warps);
  }
  customer.latency = std::max(0.0, customer.latency);
  return customer;
}

/// The working sets of all share the caches: hits shrink in proportion.
void Mix::shareCaches(Customers& customers) const {
  double l1 = 0, l2 = 0;
  for (size_t k = 0; k < kernels_.size(); ++k) {
    l1 += customers[k].warps * natives_[k].l1.bytesPerWarp;
    l2 += l2Wanted(natives_[k], customers[k].warps);
  }
  auto growth = [](const CacheUse& use, uint64_t capacity, double own, double all) {
    return use.growth(double(capacity), all) / use.growth(double(capacity), own);
  };
  for (size_t k = 0; k < kernels_.size(); ++k) {
    Customer& customer = customers[k];
    const Native& native = natives_[k];
    double pastL1 =
        growth(native.l1, limits_.l1BytesPerSm, customer.warps * native.l1.bytesPerWarp, l1);
    customer.latency += customer.memoryLatency * (pastL1 - 1);
    customer.service[kL2Bandwidth] *= pastL1;
    customer.service[kDramBandwidth] *=
        pastL1 * growth(native.l2, limits_.l2Bytes, l2Wanted(native, customer.warps), l2);
  }
}

/// DRAM's work grows by the row loss, by how evenly the streams mix.
double rowGrowth(const std::array<Customer, kMostTogether>& customers,
                 const std::array<double, kMostTogether>& speed, size_t count) {
  double all = 0, squares = 0;
  for (size_t k = 0; k < count; ++k)
    all += speed[k] * customers[k].service[kDramBandwidth];
  for (size_t k = 0; k < count && all > 0; ++k) {
    double share = speed[k] * customers[k].service[kDramBandwidth] / all;
    squares += share * share;
  }
  return all > 0 ? 1 + kRowLoss * 2 * (1 - squares) : 1;
}

Mix::Speeds Mix::settle(const Customers& customers) const {
  const size_t count = kernels_.size();
  std::array<Utilisation, kMostTogether> queue = {};
  Speeds speed = {};
  for (size_t k = 0; k < count; ++k) {
    speed[k] = customers[k].alone;
    for (size_t r = 0; r < kResources; ++r)
      queue[k][r] = speed[k] * residence(r, customers[k].service[r], speed[k], customers[k].warps);
  }
  double change = 1;
  for (int round = 0; round < kRounds && change > kSettled; ++round) {
    const double rows = rowGrowth(customers, speed, count);
    Utilisation all = {};
    for (size_t k = 0; k < count; ++k)
      for (size_t r = 0; r < kResources; ++r)
        all[r] += queue[k][r];
    change = 0;
    for (size_t k = 0; k < count; ++k) {
      const Customer& customer = customers[k];
      Utilisation visit;
      double cycle = customer.latency;
      for (size_t r = 0; r < kResources; ++r) {
        double found = all[r] - queue[k][r] / this->customers(r, customer.warps);
        visit[r] = customer.service[r] * (r == kDramBandwidth ? rows : 1) * (idle(r) + found);
        cycle += visit[r];
      }
      double now = cycle > 0 ? customer.warps / cycle : 0;
      change = std::max(change, std::fabs(now - speed[k]) / std::max(1e-9, now));
      speed[k] = now;
      for (size_t r = 0; r < kResources; ++r)
        queue[k][r] = 0.3 * queue[k][r] + 0.7 * now * visit[r];
    }
  }
  return speed;
}

/// From speeds to gain and slowdown.
void Mix::judge(Prediction& prediction, const Goal& goal) const {
  const size_t count = kernels_.size();
  bool once = goal.once && count == 2 && kernels_[0]->timeUs > 0 && kernels_[1]->timeUs > 0;
  if (!once) {
    for (size_t k = 0; k < count; ++k) {
      prediction.gain += prediction.progress[k] / natives_[k].best();
      prediction.slowdown = std::max(prediction.slowdown, 1 / prediction.progress[k]);
    }
    return;
  }
  double beside[2], alone[2];
  for (size_t k = 0; k < 2; ++k) {
    beside[k] = kernels_[k]->timeUs / prediction.progress[k];
    alone[k] = kernels_[k]->timeUs / natives_[k].best();
  }
  size_t first = beside[0] <= beside[1] ? 0 : 1, last = 1 - first;
  double left = 1 - beside[first] / beside[last];
  prediction.timeUs = beside[first] + left * kernels_[last]->timeUs / natives_[last].bestTwin;
  prediction.gain = (alone[0] + alone[1]) / prediction.timeUs;
  prediction.slowdown =
      std::max(1 / prediction.progress[first], prediction.timeUs / kernels_[last]->timeUs);
}

Prediction Mix::at(const Budgets& budgets, const Goal& goal) const {
  Prediction prediction;
  Customers customers;
  for (size_t k = 0; k < kernels_.size(); ++k) {
    customers[k] = customerOf(k, budgets[k]);
    if (customers[k].alone <= 0)
      return prediction;
  }
  if (kernels_.size() > 1)
    shareCaches(customers);
  Speeds speed = settle(customers);
  prediction.count = kernels_.size();
  for (size_t k = 0; k < kernels_.size(); ++k)
    prediction.progress[k] = speed[k] / customers[k].native;
  judge(prediction, goal);
  return prediction;
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

/// Within the limit the gain; outside of it always less than that, and better the nearer.
double score(const Prediction& prediction, const Goal& goal) {
  if (prediction.count == 0)
    return -1;
  return prediction.slowdown <= goal.maxSlowdown ? 1 + prediction.gain
                                                 : goal.maxSlowdown / prediction.slowdown;
}

/// As many blocks as fit of the kernels that are not fixed, one kernel after the other from
/// `first`.
Budgets filled(const KernelList& kernels, const DeviceLimits& limits, const Budgets& fixed,
               size_t first) {
  Budgets start(kernels.size(), 1);
  for (size_t i = 0; i < fixed.size(); ++i)
    start[i] = std::max(1u, fixed[i]);
  if (!fitsTogether(kernels, start, limits))
    return {};
  for (size_t n = 0; n < kernels.size(); ++n) {
    size_t i = (first + n) % kernels.size();
    bool isFree = fixed.empty() || fixed[i] == 0;
    for (Budgets more = start; isFree; start = more)
      if (++more[i]; !fitsTogether(kernels, more, limits))
        break;
  }
  return start;
}

std::vector<Budgets> startsOf(const KernelList& kernels, const DeviceLimits& limits,
                              const Budgets& fixed, const Goal& goal) {
  std::vector<Budgets> starts = {fixed.empty() ? waterFill(kernels, limits)
                                               : filled(kernels, limits, fixed, 0)};
  if (starts.front().empty())
    return {};
  if (goal.once && fixed.empty())
    for (size_t first = 0; first < kernels.size(); ++first)
      starts.push_back(filled(kernels, limits, {}, first));
  return starts;
}

} // namespace

uint32_t bestAlone(const PolicyKernel& kernel) {
  uint32_t best = kernel.occupancyBlocksPerSm;
  for (uint32_t blocks = 1; blocks <= kernel.occupancyBlocksPerSm; ++blocks)
    if (performanceAt(kernel, blocks) > performanceAt(kernel, best) * 1.001)
      best = blocks;
  return best;
}

uint32_t twinsBudgetAlone(const PolicyKernel& kernel) {
  return kernel.takesBudget() ? bestAlone(kernel) : 0;
}

uint32_t budgetAlone(const PolicyKernel& kernel) {
  return kDearTwin * bestTwinSpeed(kernel) < 1 ? 0 : twinsBudgetAlone(kernel);
}

uint32_t raisedBudget(const PolicyKernel& kernel) {
  return kernel.timeUs >= kWorthRaisingUs ? twinsBudgetAlone(kernel) : 0;
}

double bestAloneUs(const PolicyKernel& kernel) {
  return kernel.timeUs / bestOf(bestTwinSpeed(kernel));
}

Prediction predict(const KernelList& kernels, const Budgets& budgets, const DeviceLimits& limits,
                   const Goal& goal) {
  Mix mix(kernels, limits);
  return mix.known() ? mix.at(budgets, goal) : Prediction{};
}

Budgets bestBudgets(const KernelList& kernels, const DeviceLimits& limits, const Budgets& fixed,
                    const Goal& goal, Prediction& prediction) {
  prediction = {};
  Budgets best;
  Mix mix(kernels, limits);
  bool known = mix.known();
  for (Budgets& at : startsOf(kernels, limits, fixed, goal)) {
    Prediction here = known ? mix.at(at, goal) : Prediction{};
    bool better = known;
    for (int step = 0; better && step < kMostSteps; ++step) {
      better = false;
      for (const Budgets& next : neighbours(at, fixed)) {
        if (!fitsTogether(kernels, next, limits))
          continue;
        Prediction tried = mix.at(next, goal);
        if (score(tried, goal) <= score(here, goal) * 1.0005)
          continue;
        here = tried, at = next, better = true;
        break;
      }
    }
    if (best.empty() || score(here, goal) > score(prediction, goal))
      best = at, prediction = here;
  }
  return best;
}

} // namespace gpusched
