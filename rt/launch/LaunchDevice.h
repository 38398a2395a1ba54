// LaunchDevice.h - one device, as the launch path uses it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Talks to the CUDA runtime that the program brought (NVIDIA's on a GPU, ours under `gpusched
// run --device=cpu`): there is no second code path. Owns the control pool, the completions and a
// private non-blocking stream for reading and writing control blocks while kernels run.
//
// Threads: `mutex` guards pool, completions and everything the scheduler keeps per device; the
// methods below that need it say so. The CUDA calls of two threads on different streams are
// independent, but the table's functions are called under the lock where the order of a
// record and a wait matters.
#pragma once

#include "rt/launch/ControlPool.h"
#include "rt/launch/LaunchPlan.h"
#include "rt/launch/Settings.h"
#include "rt/launch/WorkerPlan.h"

#include <array>
#include <mutex>

namespace gpusched {

/// cuStreamWaitValue32 of the driver.
using StreamWaitValue = int (*)(void* stream, uint64_t address, uint32_t value, unsigned flags);

/// Largest grid and block that the device takes, by dimension.
struct LaunchExtents {
  gpusched_dim3 grid, block;
};

/// How one persistent launch shall run.
struct PersistentOptions {
  WorkerPlan workers;
  const SmMask* mask = nullptr;
  uint32_t spareLaunches = 0;              ///< how often it can be paused
  gpusched_telemetry* telemetry = nullptr; ///< on the device; null: its workers write no records
  gpusched_role role = GPUSCHED_LEADS;
  uint32_t budget = 0; ///< to write into the control block
};

class LaunchDevice {
public:
  LaunchDevice(const gpusched_cudart& runtime, int ordinal);

  /// The table of the program or library that launched last: that of an earlier one may be of a
  /// CUDA runtime that was unloaded with it. On a thread of ours the driver's (DriverTable.h).
  gpusched_cudart runtime() const;
  void use(const gpusched_cudart& runtime);
  int ordinal() const { return ordinal_; }
  const DeviceLimits& limits() const { return limits_; }
  /// The native launch of this grid and block is one that the device takes. The worker grid is
  /// flat and small, so a launch of it would hide what CUDA refuses in the program's own.
  bool takes(const gpusched_launch_request& request) const;
  /// Null when the driver has none; looked up at the first call.
  StreamWaitValue streamWaitValue();
  /// Of a launch or stream; 0 where there is one only. Looked up at the first call.
  int highestPriority();
  /// For control traffic beside running kernels; null when it cannot be made.
  void* sideStream();

  static constexpr uint64_t kNobodys = UINT64_MAX;
  /// For help that waits for events or lasts, so that control traffic does not wait behind it. What
  /// waits for a stream of the program must not stand in front of help for that stream, so each of
  /// those has one of its own: the same for the same `ofStream`, as long as help waits in it; else,
  /// or for kNobodys, one that nothing is left in. Null when there is none. Call helps() behind
  /// what was enqueued. REQUIRES, both: `mutex`.
  void* reliefStream(uint64_t ofStream);
  /// Takes over a use of `completion`, the end of all that is in the stream, and one of `begun`:
  /// the end of what it waits for; null where that is nothing.
  void helps(void* reliefStream, Completion* completion, Completion* begun);

  /// Copies `bytes` on the side stream and waits for it. Pinned memory is not required. For tests:
  /// the stream may stand behind one that waits for the caller.
  bool copyNow(void* to, const void* from, size_t bytes, int kind);

  std::mutex mutex;
  ControlPool pool;        // under mutex
  Completions completions; // under mutex

private:
  struct ReliefStream {
    void* stream = nullptr;
    uint64_t ofStream = 0;
    Completion *last = nullptr, *begun = nullptr;
  };
  static constexpr size_t kReliefStreams = 8;
  bool lasts(const gpusched_cudart& runtime, const ReliefStream& stream);

  mutable std::mutex runtimeMutex_;
  gpusched_cudart runtime_; // under runtimeMutex_; a copy, since tables go with their owners
  const gpusched_cudart driver_;
  int ordinal_;
  DeviceLimits limits_;
  LaunchExtents extents_;
  std::array<ReliefStream, kReliefStreams> reliefStreams_{}; // under mutex
  std::once_flag waitValueOnce_, sideStreamOnce_, priorityOnce_;
  StreamWaitValue waitValue_ = nullptr;
  void* sideStream_ = nullptr;
  int highestPriority_ = 0;
};

} // namespace gpusched
