// KnapsackSelector.h - which kernels fit together and bring most: 0-1 knapsack, three resources.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: spec/knapsack.md (B. Breder 2016). Maximise the sum of values of the kernels taken, while
// the sum of their needs stays within what is free of shared memory, registers and threads.
//
//   selectGreedy      by value / weight, whatever still fits. n log n.
//   selectFlattened   dynamic programming over one weight, as published: the three needs are digits
//                     of one number, and the table has a column for every 32 of it. That a sum of
//                     such numbers is within the limit does not say that each resource is, so what
//                     the table takes is checked, most valuable first. n * (levels + 1)^3 / 32.
//   selectExact       dynamic programming over all three. Needs are rounded up to `levels` steps of
//                     what is free, so that what is taken fits; the best there is where the steps
//                     are whole units. n * (levels + 1)^3, less for a resource that all fit into.
//
// The thesis prints w1 W2 W3 + w2 W2 + w3; a number with these digits has w2 W3, which we take. It
// does not say in what units: ours are `levels` steps of each resource, in base levels + 1.
// Ours, not a library's: of those that know more than one dimension only OR-tools is well kept, and
// it brings abseil and protobuf for what is one loop here. All pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpusched {

/// Bytes of shared memory, 32-bit registers, threads: of a kernel's resident blocks or a device.
inline constexpr size_t kKnapsackResources = 3;
using KnapsackNeeds = std::array<uint64_t, kKnapsackResources>;

struct KnapsackItem {
  KnapsackNeeds needs = {};
  double value = 0; // not negative
};

struct Knapsack {
  KnapsackNeeds device = {}; // what a weight is relative to
  KnapsackNeeds free = {};   // the limits
  size_t most = 32;          // items taken
  uint32_t levels = 16;      // steps of a resource in the tables
};

bool fits(const KnapsackNeeds& needs, const KnapsackNeeds& free);
KnapsackNeeds plus(const KnapsackNeeds& a, const KnapsackNeeds& b);
KnapsackNeeds minus(const KnapsackNeeds& a, const KnapsackNeeds& b); // REQUIRES: fits(b, a)

/// Mean over the resources of needs / device; a resource the device has not counts as 0.
double meanShare(const KnapsackNeeds& needs, const KnapsackNeeds& device);

// Indices of what is taken, in the order to be placed: by value / weight (greedy) or by value, both
// descending; of equals the first. What is taken always fits together.
using KnapsackSelector = std::vector<size_t> (*)(const std::vector<KnapsackItem>& items,
                                                 const Knapsack& knapsack);
std::vector<size_t> selectGreedy(const std::vector<KnapsackItem>& items, const Knapsack& knapsack);
std::vector<size_t> selectFlattened(const std::vector<KnapsackItem>& items,
                                    const Knapsack& knapsack);
std::vector<size_t> selectExact(const std::vector<KnapsackItem>& items, const Knapsack& knapsack);

} // namespace gpusched
