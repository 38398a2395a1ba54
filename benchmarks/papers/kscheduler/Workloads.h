// Workloads.h - W1 to W9 of the thesis, drawn by their definitions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thesis defines its workloads by what they mix; which kernels each holds, how many and in
// what order is not in the text we have. So each W is many lists of kListLength kernels, drawn
// with a fixed seed, without repetition as far as the class has kernels; figures are means.
#pragma once

#include "rt/device/sim/SimKernel.h"

#include <cstddef>
#include <string>
#include <vector>

namespace gpusched::thesis {

inline constexpr size_t kListLength = 8;

struct Workload {
  std::string name, mix;
  std::vector<std::vector<size_t>> lists; // kernels by index
};

std::vector<Workload> workloads(const std::vector<sim::SimKernel>& kernels, size_t lists,
                                unsigned seed);
/// Lists of any kernels, 4 to 12 long.
Workload randomMixes(const std::vector<sim::SimKernel>& kernels, size_t lists, unsigned seed);

} // namespace gpusched::thesis
