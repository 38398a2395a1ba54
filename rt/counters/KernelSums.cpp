// KernelSums.cpp - sums and means.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/counters/KernelSums.h"

#include <limits>

namespace gpusched {

KernelSums::Sums& KernelSums::of(const LaunchShape& shape) {
  Sums& sums = sums_[{shape.kernel, shape.threadsPerBlock, shape.dynamicSharedBytes}];
  sums.kernel.kernel = shape.kernel;
  sums.kernel.threadsPerBlock = shape.threadsPerBlock;
  sums.kernel.dynamicSharedBytes = shape.dynamicSharedBytes;
  return sums;
}

void KernelSums::launch(const LaunchShape& shape, double timeUs, bool besideOthers) {
  Sums& sums = of(shape);
  ++sums.kernel.launches;
  sums.kernel.besideOthers += besideOthers;
  sums.blocks += shape.blocks;
  std::vector<double>& times = besideOthers ? sums.besideOthersUs : sums.kernel.timesUs;
  if (timeUs >= 0 && times.size() < MeasurementFile::kMaxTimes)
    times.push_back(timeUs);
}

void KernelSums::value(const LaunchShape& shape, const std::string& metric, double value) {
  Mean& mean = of(shape).values[metric];
  mean.sum += value;
  ++mean.count;
}

void KernelSums::sample(const LaunchShape& shape, const std::string& metric, size_t bin,
                        double value) {
  std::vector<Mean>& bins = of(shape).series[metric];
  bins.resize(kBins);
  bins[bin].sum += value;
  ++bins[bin].count;
}

std::vector<KernelMeasurement> KernelSums::finish(uint32_t blocksPerSm) const {
  std::vector<KernelMeasurement> kernels;
  for (const auto& [key, sums] : sums_) {
    KernelMeasurement& kernel = kernels.emplace_back(sums.kernel);
    kernel.blocksPerSm = blocksPerSm;
    kernel.blocks = kernel.launches ? sums.blocks / kernel.launches : 0;
    if (kernel.timesUs.empty())
      kernel.timesUs = sums.besideOthersUs;
    for (const auto& [metric, mean] : sums.values)
      kernel.values[metric] = mean.sum / double(mean.count);
    for (const auto& [metric, bins] : sums.series) {
      MeasuredSeries& series = kernel.series.emplace_back();
      series.metric = series.counter = metric;
      for (const Mean& mean : bins)
        series.values.push_back(mean.count ? mean.sum / double(mean.count)
                                           : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return kernels;
}

} // namespace gpusched
