// Measurement.h - what one profile source saw of a program's kernels in one run, and its JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format gpusched-measurements, version 1; docs/profile-sources.md lists fields and names of
// values. A source writes one file a run; `gpusched profile` folds the files of a program into its
// dynamic profile and can replay them on a machine without a GPU. A value that was not measured is
// absent, never 0. Integers and text come first, so files diff well.
#pragma once

#include "rt/support/Result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpusched {

inline constexpr int kMeasurementVersion = 1;

/// A metric over the kernel's life, on a progress axis: entry i is bin i of values.size() equal
/// parts.
struct MeasuredSeries {
  std::string metric; ///< "dram_read_throughput"
  std::string counter;
  bool exact = true; ///< false: the chip's nearest counter, see docs/profile-sources.md
  std::vector<double> values;
};

/// Values of a kernel's binary, not of its launches.
inline constexpr const char* kRegistersPerThread = "registers_per_thread";
inline constexpr const char* kStaticSharedBytes = "static_shared_bytes";

/// One kernel in one form at one launch shape.
struct KernelMeasurement {
  std::string kernel; ///< mangled symbol where the source knows it, else the name in the source
  uint32_t threadsPerBlock = 0;
  uint64_t dynamicSharedBytes = 0;
  uint64_t blocks = 0;      ///< of one launch, mean; of the physical grid
  uint32_t blocksPerSm = 0; ///< budget of the run; 0 = native
  uint64_t launches = 0;
  uint64_t besideOthers = 0;   ///< of them; activity, pm. timesUs has theirs where no other is
  std::vector<double> timesUs; ///< one a launch, in order; at most kMaxTimes
  std::map<std::string, double> values; ///< mean over launches
  std::vector<MeasuredSeries> series;
  std::vector<double> blocksBySm; ///< logical blocks that SM i ran; telemetry only

  /// Are these the times of a kernel that shared the device?
  bool neverAlone() const { return launches > 0 && besideOthers == launches; }
};

struct MeasurementFile {
  int version = kMeasurementVersion;
  std::string source; ///< "activity", "range", "pm", "pc", "telemetry", "ncu"
  std::string program;
  std::string device; ///< its name as the driver gives it
  std::string chip;
  uint32_t sms = 0; ///< of the device; 0 = not known
  uint64_t driverVersion = 0, cuptiVersion = 0;
  uint64_t dropped = 0; ///< records, ranges or samples that were lost
  std::string problem;  ///< why the source measured nothing, or not everything
  std::vector<KernelMeasurement> kernels;

  static constexpr size_t kMaxTimes = 1000;
};

std::string toJson(const MeasurementFile& file);
/// Errors name the field and what was expected.
Result<MeasurementFile> measurementFromJson(const std::string& text);
Status writeMeasurement(const std::string& path, const MeasurementFile& file);
Result<MeasurementFile> readMeasurement(const std::string& path);

} // namespace gpusched
