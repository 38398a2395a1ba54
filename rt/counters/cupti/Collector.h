// Collector.h - one way of measuring from inside the program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The life of a collector, all calls from CUPTI's callbacks or the exit handler, never two at once
// (Injection.cpp holds a lock):
//
//   start(context)      the first context of the program exists
//   beforeLaunch(shape) a kernel is about to be launched by this thread
//   finish(file)        the context is about to go, or the program ends; gives what was measured
//
// A Status that is not ok ends the measurement, not the program: its text goes into the file.
#pragma once

#include "rt/counters/KernelSpans.h"
#include "rt/counters/MeasureRequest.h"
#include "rt/counters/cupti/Cupti.h"
#include "rt/counters/cupti/CuptiTable.h"

#include <memory>

namespace gpusched {

class Collector {
public:
  virtual ~Collector() = default;
  virtual Status start(CUcontext context) = 0;
  virtual Status beforeLaunch(const LaunchShape&) { return {}; }
  virtual Status finish(MeasurementFile& file, uint32_t blocksPerSm) = 0;
};

std::unique_ptr<Collector> makeActivityCollector(const Cupti& cupti);
std::unique_ptr<Collector> makeRangeCollector(const Cupti& cupti, std::string chip,
                                              std::vector<std::string> counters);
std::unique_ptr<Collector> makePmCollector(const Cupti& cupti, std::string chip,
                                           const MeasureRequest& request);
std::unique_ptr<Collector> makePcCollector(const Cupti& cupti);

/// Starts CUPTI's record of kernels; once for the process.
Status startKernelRecords(const Cupti& cupti);
/// Ends it and gives every kernel in order of end, on CUPTI's clock; `dropped` counts lost records.
std::vector<KernelSpan> takeKernelRecords(const Cupti& cupti, uint64_t& dropped);

} // namespace gpusched
