// KernelSums.h - gathers what was seen of single launches into one measurement a kernel and shape.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not thread-safe: a collector gathers under its own lock or on one thread.
#pragma once

#include "rt/schema/Measurement.h"

#include <map>
#include <tuple>

namespace gpusched {

/// What names a launch's kernel and shape.
struct LaunchShape {
  std::string kernel; ///< mangled
  uint32_t threadsPerBlock = 0;
  uint64_t dynamicSharedBytes = 0;
  uint64_t blocks = 0;
};

class KernelSums {
public:
  /// Counts a launch; `timeUs` below 0: not known. `besideOthers`: its time only counts where the
  /// kernel was never alone.
  void launch(const LaunchShape& shape, double timeUs = -1, bool besideOthers = false);
  /// Adds to the mean of a value.
  void value(const LaunchShape& shape, const std::string& metric, double value);
  /// Adds to the mean of one bin of a series on the progress axis.
  void sample(const LaunchShape& shape, const std::string& metric, size_t bin, double value);

  static constexpr size_t kBins = 64;

  std::vector<KernelMeasurement> finish(uint32_t blocksPerSm) const;

private:
  struct Mean {
    double sum = 0;
    size_t count = 0;
  };
  struct Sums {
    KernelMeasurement kernel;
    uint64_t blocks = 0;
    std::vector<double> besideOthersUs;
    std::map<std::string, Mean> values;
    std::map<std::string, std::vector<Mean>> series;
  };
  using Key = std::tuple<std::string, uint32_t, uint64_t>;

  Sums& of(const LaunchShape& shape);

  std::map<Key, Sums> sums_;
};

} // namespace gpusched
