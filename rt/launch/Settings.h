// Settings.h - what the user asked the runtime to do, read once from the environment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Immutable after load, so every thread reads it without a lock. docs/environment.md explains
// the variables; rt/support/EnvironmentList.def is the table behind them.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"
#include "rt/support/ByKernel.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace gpusched {

enum class ForcedVariant : uint8_t { None, Native, Persistent };
/// When two launches become one (GPUSCHED_FUSE).
enum class Fusing : uint8_t { Auto, Never, Always };

/// One bit per %smid, as in gpusched_control.
using SmMask = std::array<uint32_t, GPUSCHED_MAX_SMS / 32>;
SmMask fullSmMask();
/// The SMs that it names, of the first `sms`.
uint32_t countSms(const SmMask& mask, uint32_t sms);

struct Settings {
  std::string policy;     ///< "" = none
  std::string parameters; ///< "name=value,..." for the policy
  ForcedVariant variant = ForcedVariant::None;
  ByKernel<uint32_t> blocksPerSm;      ///< 0 = as many as fit
  ByKernel<std::optional<SmMask>> sms; ///< none = all
  uint32_t claimBatch = 0; ///< ids a claim, for twins that take batches; 0 = by the launch's size
  Fusing fusing = Fusing::Auto;
  bool nativePairs = true;    ///< see rt/policy/NativePairs.h
  bool occupancyGuard = true; ///< see Runtime::guarded
  bool attends = false;       ///< a thread raises what only a host can (Attendant.cpp)
  bool deviceRaises = true;   ///< streams of ours may wait for the ends of kernels (Elastic.cpp)
  uint32_t deepQueue = 64;    ///< launches of a stream under way, see Apart.cpp
  std::chrono::milliseconds patience{10'000}; ///< of a launch with another's thread, likewise
  uint32_t spareLaunches = 0;  ///< how often one launch can be paused (GPUSCHED_PREEMPT)
  uint64_t pauseEveryUs = 0;   ///< stress knob of the tests
  std::string tracePath;       ///< "" = no trace
  bool traceTimed = true;      ///< with the device's times of each launch
  std::string profilePath;     ///< "" = the store's
  std::string pairsPath;       ///< history of measured pairs; "" = none is kept
  int32_t priority = 0;        ///< of all kernels, see rt/policy/Priorities.h
  std::string shareFolder;     ///< of the board (rt/sharing); "" = no other process is looked at
  uint32_t telemetryEvery = 0; ///< one launch of so many is sampled; 0 = none
  bool telemetryTimed = true;  ///< the device's clock means something
  std::string telemetryPath;   ///< where the figures go

  /// Has the user given any kernel a budget, or SMs?
  bool limitsKernels() const { return blocksPerSm.isGiven() || sms.isGiven(); }
};

/// From the environment. A malformed value is logged once and replaced by its default.
Settings loadSettings();

} // namespace gpusched
