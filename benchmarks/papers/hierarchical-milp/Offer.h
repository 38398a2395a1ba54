// Offer.h - the VM types of the document, and jobs drawn for them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: spec/hierarchical-milp.md, "VM types used" and lambda. Names, GPUs and their numbers are
// the document's. Prices, speeds, times, deadlines and weights are not in its text: they are ours.
#pragma once

#include "rt/capacity/CapacityJob.h"

#include <cstdint>

namespace gpusched::papers {

/// lambda. The document says 5 and no unit; the hour is ours.
inline constexpr double kJobsPerHour = 5;

std::vector<capacity::VmType> documentTypes();

/// Jobs that arrive as a Poisson process, by arrival. Each: 0.5 to 4 h on one K80; by Amdahl's law
/// on more GPUs, 5 to 30 % of it serial; due 0.5 to 2 of its times on one K80 after arrival; 0.1 to
/// 1 USD an hour late.
std::vector<capacity::CapacityJob> drawCapacityJobs(const std::vector<capacity::VmType>& types,
                                                    size_t count, uint64_t seed);

} // namespace gpusched::papers
