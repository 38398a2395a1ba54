// PassPlanner.h - divides counters into sets that the hardware counts in one pass.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of one pass needs no replay: the timed run is the counted run, and kernels that talk to
// each other or change their input are safe. A group of many counters becomes several sets, one run
// of the program each. First fit in table order, asking CUPTI's own scheduler: quadratic in the
// counters at 1 to 2 ms a question, so at most a second for the largest group. Not optimal in the
// number of sets; the order keeps the counters that matter together and first.
#pragma once

#include "rt/counters/cupti/ProfilerHost.h"

#include <string>
#include <vector>

namespace gpusched {

struct PassPlan {
  std::vector<std::vector<std::string>> sets; ///< each takes one pass
  std::vector<std::string> leftOut; ///< needs more than one pass even alone, or is unknown here
};

/// `host` made with the device's availability image plans for what is free on the device now.
PassPlan planPasses(const ProfilerHost& host, const std::vector<std::string>& counters);

} // namespace gpusched
