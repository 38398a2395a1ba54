// Launcher.h - checks a launch against the device's limits and queues it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches come from the host (Gpu::submit) and from kernels. Thread-safe: it holds nothing that
// changes.
#pragma once

#include "rt/device/cpu/engine/Gpu.h"

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

private:
  const DeviceDescription& device_;
  bool counting_;
  DeviceServices& services_;
  Checker* checker_;
  Dispatcher& dispatcher_;
};

} // namespace gpusched::cpu
