// CapacityJob.h - what GPU-as-a-service rents out and what is asked of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: A. Jahani, L. Momeni, 2023; spec/hierarchical-milp.md, "Jobs" and "Nodes". A node hosts
// one VM type at a time, any of them. A job runs on some of the GPUs of one VM; several jobs may
// share a VM. Where the document has one unit of time these have seconds, and money is in USD.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace gpusched::capacity {

/// The time of a job where it cannot run.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

struct VmType {
  std::string name;
  std::string gpu;         // model of its GPUs
  size_t gpus = 1;         // s_v
  double usdPerSecond = 0; // c_v, of the whole VM
};

struct CapacityJob {
  std::string name;
  double arrivalSeconds = 0;
  double deadlineSeconds = 0;  // d_j, on the clock of the arrivals
  double usdPerLateSecond = 0; // w_j
  /// t_jvg, alone from start to end, by VM type and number of GPUs less one. Times that are not
  /// there are kNever.
  std::vector<std::vector<double>> seconds;

  double time(size_t type, size_t gpus) const {
    return type < seconds.size() && gpus >= 1 && gpus <= seconds[type].size()
               ? seconds[type][gpus - 1]
               : kNever;
  }
};

} // namespace gpusched::capacity
