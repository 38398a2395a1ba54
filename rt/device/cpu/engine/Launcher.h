// Launcher.h - checks a launch against the device's limits and queues it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches come from the host (Gpu::submit) and from kernels (ChildGrids.h).
// Thread-safe.
#pragma once

#include "rt/device/cpu/engine/Gpu.h"

#include <atomic>

namespace gpusched::cpu {

class Checker;
class DeviceServices;
class Dispatcher;

class Launcher {
public:
  /// `checker` may be null.
  Launcher(const DeviceDescription& device, bool counting, DeviceServices& services,
           Checker* checker, Dispatcher& dispatcher)
      : device_(device), counting_(counting), services_(services), checker_(checker),
        dispatcher_(dispatcher) {}

  /// Is it one that this device can make? Settles the cluster size where the kernel has its own.
  Status check(Launch& launch) const;
  /// An error is check's, and nothing was queued.
  Status submit(Launch launch);

  /// Kernels may have so many launches, copies and sets that have not ended: false if there are.
  static constexpr uint64_t kMostChildren = 1 << 18;
  bool reserveChild() {
    if (children_.fetch_add(1) < kMostChildren)
      return true;
    releaseChild();
    return false;
  }
  void releaseChild() { children_.fetch_sub(1); }

private:
  const DeviceDescription& device_;
  bool counting_;
  DeviceServices& services_;
  Checker* checker_;
  Dispatcher& dispatcher_;
  std::atomic<uint64_t> children_{0};
};

} // namespace gpusched::cpu
