// MeasureRequest.h - one measured run: what `gpusched profile` asks of the library in the program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver loads libgpusched_profiler.so into the program (CUDA_INJECTION64_PATH), and the
// request travels in GPUSCHED_MEASURE:
//
//   activity                       start and end of every kernel; needs no permission
//   range=counter,counter,...      these counters for every kernel; one pass
//   pm@20000=counter,counter,...   sampled every 20000 ns over the whole device; one pass
//   pc                             stall reasons by sampling program counters
//
// GPUSCHED_MEASURE_OUTPUT is the measurement file that it writes at exit.
#pragma once

#include "rt/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpusched {

struct MeasureRequest {
  std::string source; ///< "activity", "range", "pm", "pc"
  std::vector<std::string> counters;
  uint64_t intervalNs = 0; ///< pm only

  std::string text() const;
  static Result<MeasureRequest> parse(const std::string& text);
};

} // namespace gpusched
