// Schedules.h - gpusched run --schedule=exhaustive-small: the program under every block order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace gpusched::tool {

/// Runs `words` once for each order in which the cpu device can start the blocks of its small
/// launches. The first run's output is the program's; a run that writes something else or ends
/// otherwise is reported. The environment is that of `gpusched run`.
int runUnderAllOrders(const std::vector<std::string>& words);

} // namespace gpusched::tool
