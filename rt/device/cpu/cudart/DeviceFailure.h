// DeviceFailure.h - the device's sticky error: set once by a fault, returned by every call after.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As on a GPU, a kernel that faults or traps leaves the context unusable: work already queued is
// dropped and every later call reports the first failure, until cudaDeviceReset. Any thread may
// read or set it.
#pragma once

#include "rt/device/cpu/engine/Gpu.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <string>

namespace gpusched::cudart {

class DeviceFailure {
public:
  bool failed() const { return code_.load(std::memory_order_acquire) != cudaSuccess; }
  cudaError_t code() const { return code_.load(std::memory_order_acquire); }
  /// Keeps the first failure and logs each.
  void fail(cudaError_t code, const std::string& message);
  void reset() { code_.store(cudaSuccess, std::memory_order_release); }

private:
  std::atomic<cudaError_t> code_{cudaSuccess};
};

/// The error CUDA reports for a kernel that ended like this. REQUIRES: !outcome.status.ok().
cudaError_t failureCode(const cpu::LaunchOutcome& outcome);

} // namespace gpusched::cudart
