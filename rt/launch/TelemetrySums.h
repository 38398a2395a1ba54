// TelemetrySums.h - records of workers to measurements of kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   records of one sampled launch -> its figures -> means over the launches of one configuration
//
// A configuration is a kernel, its block, its dynamic shared memory and its budget. The names of
// the figures are in docs/profile-sources.md. Asks nobody and knows no clock: what the records say
// is all there is. Not thread-safe.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"
#include "rt/schema/Measurement.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace gpusched {

/// What the host knows of a launch whose workers write records.
struct SampledLaunch {
  std::string kernel; ///< name in the source
  uint32_t threadsPerBlock = 0;
  uint64_t dynamicSharedBytes = 0;
  uint64_t blocks = 0;      ///< logical
  uint32_t blocksPerSm = 0; ///< budget when it was launched
  uint64_t workers = 0;     ///< launched
};

class TelemetrySums {
public:
  /// Without times (`timed` false) only counts and places are taken from the records.
  explicit TelemetrySums(bool timed) : timed_(timed) {}

  void add(const SampledLaunch& launch, const std::vector<gpusched_worker_record>& records);
  /// One measurement a configuration.
  std::vector<KernelMeasurement> kernels() const;

private:
  using Key = std::tuple<std::string, uint32_t, uint64_t, uint32_t>;
  bool timed_;
  std::map<Key, KernelMeasurement> sums_; ///< values, blocks and blocksBySm summed over launches
};

} // namespace gpusched
