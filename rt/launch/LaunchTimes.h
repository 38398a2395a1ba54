// LaunchTimes.h - when launches begin and end, by the device's clock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A timing event on either side of a launch, in its own stream. CUDA says how far apart two events
// are, in single precision: a day from a common zero would leave 8 milliseconds. So times are
// counted from an event that moves along (kMoveAfterUs), summed in double precision. Zero is the
// first launch that was read.
//
// Events are kept and used again. Not thread-safe: the owner holds the device's lock.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

#include <cstdint>
#include <vector>

namespace gpusched {

class LaunchTimes {
public:
  static constexpr double kMoveAfterUs = 1e6;

  /// From the launch behind begin() to the one before the last end(). An object of the owner's.
  struct Span {
    void *before = nullptr, *after = nullptr;
  };
  enum class State : uint8_t { Pending, Ended, Broken };

  /// False: CUDA gave no events; the span is empty.
  bool make(const gpusched_cudart& runtime, Span& span);
  /// In front of the launch. This and the next need no lock; false: CUDA records nothing.
  static bool begin(const gpusched_cudart& runtime, const Span& span, void* stream);
  /// May be called again behind a further launch in the same stream, which the span then holds.
  static bool end(const gpusched_cudart& runtime, const Span& span, void* stream);
  static State state(const gpusched_cudart& runtime, const Span& span);
  /// Microseconds; false when CUDA does not tell. Once a span, since its first event may become
  /// the one to count from. REQUIRES: the span has ended.
  bool read(const gpusched_cudart& runtime, Span& span, double& beginUs, double& endUs);
  /// The events can be used again. The span is empty then.
  void release(Span& span);

private:
  void* take(const gpusched_cudart& runtime);

  std::vector<void*> free_;
  void* anchor_ = nullptr; // an event of ours that has passed
  double anchorUs_ = 0;
};

} // namespace gpusched
