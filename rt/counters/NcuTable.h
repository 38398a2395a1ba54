// NcuTable.h - reads the tables that Nsight Compute prints.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   ncu --csv --page raw ...       wide: names, then units, then one row a kernel launch
//   ncu --csv [--page details]     long: one row a launch and metric
//
// Made on any machine, read on any machine: the way to counters where profiling is another team's
// job. Text before the header (==PROF==, the program's own output) is skipped. Numbers may have
// thousands separators and either decimal mark; which one is decided once for the whole file, from
// the cells that leave no doubt. n/a is not measured. Units become ns, bytes and percent.
//
// ncu locks clocks and runs kernels one by one: good for a kernel alone, useless for pairs.
#pragma once

#include "rt/schema/Measurement.h"

#include <string>
#include <vector>

namespace gpusched {

/// Launches of one kernel and shape become one KernelMeasurement with mean values. Counters that
/// MetricTable.def has appear under our name, all others under their own.
Result<MeasurementFile> measurementFromNcu(const std::string& text);

/// Rows of comma-separated values with "quoted, ""fields""". Rows end at line ends outside quotes.
std::vector<std::vector<std::string>> csvRows(const std::string& text);

} // namespace gpusched
