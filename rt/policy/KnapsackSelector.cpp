// KnapsackSelector.cpp - one table for both dynamic programs; greedy beside them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// best[cell] is the largest value within the cell's limits; an item is met once, and cells are
// walked down, so in place. One byte an item and cell says whether it was taken there.
#include "rt/policy/KnapsackSelector.h"

#include <algorithm>

namespace gpusched {
namespace {

constexpr uint64_t kScale = 32; // flattened weights a column, as published

/// Steps of each resource, of an item or of the limits.
using Steps = std::array<size_t, kKnapsackResources>;

/// `part` in steps of `whole` / `levels`, rounded up: what fits in steps fits.
size_t stepsUp(uint64_t part, uint64_t whole, uint64_t levels) {
  return whole ? size_t((part * levels + whole - 1) / whole) : 0;
}

class Table {
public:
  Table(const Steps& limits, size_t items)
      : limits_(limits), rows_(limits[1] + 1), columns_(limits[2] + 1),
        best_((limits[0] + 1) * rows_ * columns_, 0), taken_(items) {}

  /// REQUIRES: steps within the limits.
  void offer(size_t item, const Steps& steps, double value) {
    std::vector<uint8_t>& taken = taken_[item];
    taken.assign(best_.size(), 0);
    const size_t offset = cell(steps);
    for (size_t plane = limits_[0] + 1; plane-- > steps[0];)
      for (size_t row = rows_; row-- > steps[1];) {
        const size_t begin = (plane * rows_ + row) * columns_;
        for (size_t at = begin + columns_; at-- > begin + steps[2];)
          if (double with = best_[at - offset] + value; with >= best_[at])
            best_[at] = with, taken[at] = 1;
      }
  }

  /// The items of the best value. Offered last is asked first.
  std::vector<size_t> solution(const std::vector<size_t>& offered,
                               const std::vector<Steps>& steps) const {
    std::vector<size_t> items;
    size_t at = best_.size() - 1;
    for (size_t i = offered.size(); i-- > 0;)
      if (taken_[offered[i]][at]) {
        items.push_back(offered[i]);
        at -= cell(steps[offered[i]]);
      }
    return items;
  }

private:
  size_t cell(const Steps& steps) const {
    return (steps[0] * rows_ + steps[1]) * columns_ + steps[2];
  }

  Steps limits_;
  size_t rows_, columns_;
  std::vector<double> best_;
  std::vector<std::vector<uint8_t>> taken_;
};

/// Indices that fit alone.
std::vector<size_t> candidates(const std::vector<KnapsackItem>& items, const Knapsack& knapsack) {
  std::vector<size_t> fitting;
  for (size_t i = 0; i < items.size(); ++i)
    if (fits(items[i].needs, knapsack.free))
      fitting.push_back(i);
  return fitting;
}

void sortByValue(std::vector<size_t>& order, const std::vector<KnapsackItem>& items) {
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return items[a].value != items[b].value ? items[a].value > items[b].value : a < b;
  });
}

/// In this order, whatever still fits.
std::vector<size_t> takeWhatFits(const std::vector<size_t>& order,
                                 const std::vector<KnapsackItem>& items, const Knapsack& knapsack) {
  std::vector<size_t> taken;
  KnapsackNeeds free = knapsack.free;
  for (size_t i : order) {
    if (taken.size() == knapsack.most)
      break;
    if (!fits(items[i].needs, free))
      continue;
    free = minus(free, items[i].needs);
    taken.push_back(i);
  }
  return taken;
}

/// The most valuable of `fitting` by the table. Offered from last to first, so that of equals the
/// first is taken.
std::vector<size_t> mostValuable(std::vector<size_t> fitting, const std::vector<Steps>& steps,
                                 const Steps& limits, const std::vector<KnapsackItem>& items) {
  std::reverse(fitting.begin(), fitting.end());
  Table table(limits, items.size());
  for (size_t i : fitting)
    table.offer(i, steps[i], items[i].value);
  std::vector<size_t> best = table.solution(fitting, steps);
  sortByValue(best, items);
  return best;
}

/// The three shares as digits, most significant first, in columns of the published table.
size_t flattened(const KnapsackNeeds& needs, const Knapsack& knapsack) {
  uint64_t number = 0;
  for (size_t j = 0; j < kKnapsackResources; ++j)
    number =
        number * (knapsack.levels + 1) + stepsUp(needs[j], knapsack.device[j], knapsack.levels);
  return size_t(number / kScale);
}

} // namespace

bool fits(const KnapsackNeeds& needs, const KnapsackNeeds& free) {
  for (size_t j = 0; j < kKnapsackResources; ++j)
    if (needs[j] > free[j])
      return false;
  return true;
}

KnapsackNeeds plus(const KnapsackNeeds& a, const KnapsackNeeds& b) {
  KnapsackNeeds sum;
  for (size_t j = 0; j < kKnapsackResources; ++j)
    sum[j] = a[j] + b[j];
  return sum;
}

KnapsackNeeds minus(const KnapsackNeeds& a, const KnapsackNeeds& b) {
  KnapsackNeeds rest;
  for (size_t j = 0; j < kKnapsackResources; ++j)
    rest[j] = a[j] - b[j];
  return rest;
}

double meanShare(const KnapsackNeeds& needs, const KnapsackNeeds& device) {
  double sum = 0;
  for (size_t j = 0; j < kKnapsackResources; ++j)
    sum += device[j] ? double(needs[j]) / double(device[j]) : 0;
  return sum / double(kKnapsackResources);
}

std::vector<size_t> selectGreedy(const std::vector<KnapsackItem>& items, const Knapsack& knapsack) {
  std::vector<double> ratios;
  for (const KnapsackItem& item : items) {
    const double weight = meanShare(item.needs, knapsack.device);
    ratios.push_back(weight > 0 ? item.value / weight : 0);
  }
  std::vector<size_t> order = candidates(items, knapsack);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return ratios[a] > ratios[b]; });
  return takeWhatFits(order, items, knapsack);
}

std::vector<size_t> selectFlattened(const std::vector<KnapsackItem>& items,
                                    const Knapsack& knapsack) {
  const Steps limits = {0, 0, flattened(knapsack.free, knapsack)};
  std::vector<Steps> steps;
  for (const KnapsackItem& item : items)
    steps.push_back({0, 0, flattened(item.needs, knapsack)});
  return takeWhatFits(mostValuable(candidates(items, knapsack), steps, limits, items), items,
                      knapsack);
}

std::vector<size_t> selectExact(const std::vector<KnapsackItem>& items, const Knapsack& knapsack) {
  const std::vector<size_t> fitting = candidates(items, knapsack);
  KnapsackNeeds all = {};
  for (size_t i : fitting)
    all = plus(all, items[i].needs);
  Steps limits = {};
  for (size_t j = 0; j < kKnapsackResources; ++j)
    if (all[j] > knapsack.free[j]) // else it binds nobody
      limits[j] = size_t(std::min<uint64_t>(knapsack.levels, knapsack.free[j]));
  std::vector<Steps> steps(items.size());
  for (size_t i : fitting)
    for (size_t j = 0; j < kKnapsackResources; ++j)
      steps[i][j] = stepsUp(items[i].needs[j], knapsack.free[j], limits[j]);
  std::vector<size_t> order = mostValuable(fitting, steps, limits, items);
  // What rounding up left over goes to the most valuable of the others.
  std::vector<size_t> others;
  for (size_t i : fitting)
    if (std::find(order.begin(), order.end(), i) == order.end())
      others.push_back(i);
  sortByValue(others, items);
  order.insert(order.end(), others.begin(), others.end());
  return takeWhatFits(order, items, knapsack);
}

} // namespace gpusched
