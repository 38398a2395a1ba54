// TraceRecorder.h - keeps what was decided, writes it at exit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only when GPUSCHED_TRACE names a file; else every call returns at once. At most kMaxLaunches
// are kept (about 400 bytes each); the rest are counted as dropped. Thread-safe: one mutex.
#pragma once

#include "rt/schema/Trace.h"

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

namespace gpusched {

class TraceRecorder {
public:
  static constexpr size_t kMaxLaunches = 200'000;

  TraceRecorder(std::string path, bool timed, std::string policy);

  bool enabled() const { return !path_.empty(); }
  /// Somebody shall call ran().
  bool timed() const { return enabled() && timed_; }
  void add(TraceLaunch launch);
  /// The host saw now that it is over. Where nothing is timed.
  void completed(uint64_t sequence);
  /// When it ran, by a clock of the launch's device: the first launch of each device is taken to
  /// have begun when it was submitted.
  void ran(uint64_t sequence, double beginUs, double endUs);
  void paused(uint64_t sequence);
  /// Small number of a stream handle, by first use; 0 for the default stream.
  uint64_t streamNumber(const void* stream);
  void write();

private:
  double nowUs() const;
  TraceLaunch* find(uint64_t sequence);

  std::mutex mutex_;
  const std::string path_;
  const bool timed_;
  TraceFile trace_;
  std::unordered_map<uint32_t, double> zeros_; // of each device's clock
  std::unordered_map<const void*, uint64_t> streams_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace gpusched
