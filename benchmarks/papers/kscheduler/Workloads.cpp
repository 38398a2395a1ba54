// Workloads.cpp - pools by definition, lists by a seeded generator.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mt19937 and our own shuffle: the same lists with every standard library.
#include "benchmarks/papers/kscheduler/Workloads.h"

#include <functional>
#include <random>

namespace gpusched::thesis {
namespace {

using Pool = std::vector<size_t>;
using Random = std::mt19937;

void shuffle(Pool& pool, Random& random) {
  for (size_t i = pool.size(); i > 1; --i)
    std::swap(pool[i - 1], pool[random() % i]);
}

/// `count` of the pool, each once before any is taken twice.
void draw(const Pool& pool, size_t count, Random& random, Pool& list) {
  Pool rest;
  for (; count > 0; --count) {
    if (rest.empty()) {
      rest = pool;
      shuffle(rest, random);
    }
    list.push_back(rest.back());
    rest.pop_back();
  }
}

/// Parts of the first pool to parts of the second.
struct Mix {
  const char *name, *text;
  Pool first, second;
  size_t parts, otherParts;
};

} // namespace

std::vector<Workload> workloads(const std::vector<sim::SimKernel>& kernels, size_t lists,
                                unsigned seed) {
  auto where = [&](const std::function<bool(const PolicyKernel&)>& wanted) {
    Pool pool;
    for (size_t i = 0; i < kernels.size(); ++i)
      if (wanted(kernels[i].known))
        pool.push_back(i);
    return pool;
  };
  auto ofClass = [&](KernelClass kernelClass) {
    return where([=](const PolicyKernel& k) { return k.kernelClass == kernelClass; });
  };
  Pool compute = ofClass(KernelClass::Compute), memory = ofClass(KernelClass::Memory);
  Pool large = where([](const PolicyKernel& k) { return k.eligibleWarpsPerCycle > 1; });
  Pool small = where([](const PolicyKernel& k) { return k.eligibleWarpsPerCycle <= 1; });
  const Mix mixes[] = {
      {"W1", "compute only", compute, {}, 1, 0},
      {"W2", "memory only", memory, {}, 1, 0},
      {"W3", "compute : memory 1 : 1", compute, memory, 1, 1},
      {"W4", "compute : memory 2 : 1", compute, memory, 2, 1},
      {"W5", "EPC > 1", large, {}, 1, 0},
      {"W6", "EPC < 1", small, {}, 1, 0},
      {"W7", "large : small EPC 1 : 1", large, small, 1, 1},
      {"W8", "large : small EPC 1 : 2", large, small, 1, 2},
      {"W9", "large : small EPC 2 : 1", large, small, 2, 1},
  };
  std::vector<Workload> all;
  for (const Mix& mix : mixes) {
    Random random(seed);
    Workload workload{mix.name, mix.text, {}};
    size_t first =
        (kListLength * mix.parts + (mix.parts + mix.otherParts) / 2) / (mix.parts + mix.otherParts);
    for (size_t i = 0; i < lists; ++i) {
      Pool list;
      draw(mix.first, first, random, list);
      if (mix.otherParts)
        draw(mix.second, kListLength - first, random, list);
      shuffle(list, random);
      workload.lists.push_back(list);
    }
    all.push_back(std::move(workload));
  }
  return all;
}

Workload randomMixes(const std::vector<sim::SimKernel>& kernels, size_t lists, unsigned seed) {
  Random random(seed);
  Workload workload{"random", "any kernels, 4 to 12", {}};
  for (size_t i = 0; i < lists; ++i) {
    Pool list;
    for (size_t count = 4 + random() % 9; count > 0; --count)
      list.push_back(random() % kernels.size());
    workload.lists.push_back(list);
  }
  return workload;
}

} // namespace gpusched::thesis
