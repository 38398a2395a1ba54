// Telemetry.h - hands buffers for worker records to some launches and takes them back filled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   one launch of N:  head -> buffer | control block with its address, twin | buffer -> pinned copy
//                     | host function: records to TelemetrySums, buffer free again
//
// all in the program's stream, so nothing polls, and a program that has synchronised has its
// figures. The other launches have a null pointer in their control block. A buffer whose launch or
// copy failed, or whose context was reset, is never used again: at most kAtOnce of a context are in
// use, and a launch that finds none is not sampled.
//
// Threads: any; the host function runs in a thread of the CUDA runtime and calls nothing of it.
#pragma once

#include "rt/launch/TelemetrySums.h"

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace gpusched {

struct LaunchPlan;

/// What is asked for, and all that came back, in this process.
class TelemetryRecorder {
public:
  /// `every` 0: nothing is sampled.
  TelemetryRecorder(uint32_t every, bool timed, std::string path);

  bool enabled() const { return every_ != 0; }
  /// Is this launch of the configuration one to sample? The first is, then one of `every`.
  bool due(const LaunchPlan& plan);
  void sampled();
  void take(const SampledLaunch& launch, const gpusched_telemetry& head);
  /// To the file, when anything is to be sampled at all.
  void write();

private:
  MeasurementFile file() const;

  const uint32_t every_;
  const std::string path_;
  std::mutex mutex_;
  TelemetrySums sums_;
  std::unordered_map<const LaunchPlan*, uint64_t> launches_;
  uint64_t sampled_ = 0, taken_ = 0, droppedRecords_ = 0;
};

/// A buffer on the device and its pinned copy.
struct TelemetryBuffer {
  TelemetryRecorder* recorder = nullptr;
  std::mutex* mutex = nullptr;
  gpusched_telemetry* device = nullptr;
  gpusched_telemetry* host = nullptr;
  uint32_t capacity = 0;
  bool used = false; ///< under *mutex
  SampledLaunch launch;

  size_t bytes() const {
    return sizeof(gpusched_telemetry) + capacity * sizeof(gpusched_worker_record);
  }
};

/// The buffers of one context.
class TelemetryBuffers {
public:
  static constexpr size_t kAtOnce = 8;

  explicit TelemetryBuffers(uint32_t records) : capacity_(records) {}

  /// Prepares a buffer in `stream`; null when there is none, then the launch is not sampled.
  TelemetryBuffer* begin(const gpusched_cudart& runtime, TelemetryRecorder& recorder,
                         SampledLaunch launch, void* stream);
  /// Behind the launch, in the same stream.
  static void end(const gpusched_cudart& runtime, TelemetryBuffer& buffer, void* stream);

private:
  TelemetryBuffer* take(const gpusched_cudart& runtime);
  bool make(const gpusched_cudart& runtime, TelemetryBuffer& buffer) const;

  const uint32_t capacity_;
  std::mutex mutex_;
  std::array<TelemetryBuffer, kAtOnce> buffers_;
};

} // namespace gpusched
