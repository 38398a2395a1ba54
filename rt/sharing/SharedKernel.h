// SharedKernel.h - a running kernel as plain bytes that another process can read.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A RunningKernel with the PolicyKernel behind it, all of fixed size and without pointers, so that
// a policy of another process decides as well about it as its own would: no profile store is
// shared. Numbers of launches and sets are the board's (Board.h) and mean the same everywhere;
// streams are numbered by process, so the seat is added. A name longer than kNameBytes is cut.
#pragma once

#include "rt/policy/Policy.h"

#include <array>
#include <cstdint>
#include <type_traits>

namespace gpusched {

/// A GPU, or its MIG slice, under the name that every process has for it (cuDeviceGetUuid).
using DeviceUuid = std::array<char, 16>;

struct SharedKernel {
  static constexpr size_t kNameBytes = 128; ///< with the zero behind it
  static constexpr size_t kCurvePoints = 32;

  DeviceUuid device;
  uint64_t sequence; ///< RunningKernel::firstSequence
  uint64_t stream, set;
  uint32_t blocksPerSm;
  int32_t priority;
  uint8_t preempted, yields, unmanaged, kernelClass, hasPersistent, profiled;
  uint32_t threadsPerBlock, occupancyBlocksPerSm, saturationBlocksPerSm, curvePoints;
  uint64_t registersPerBlock, sharedBytesPerBlock, blocks;
  double timeUs, persistentTimeUs, dramGbPerSecond, gflops, eligibleWarpsPerCycle;
  double l1TransactionsPerSecond, stallMemory, l1Hits, l1BytesPerWarp, l2Hits, l2BytesPerWarp;
  Utilisation utilisation;
  std::array<double, kCurvePoints> budgetCurve;
  std::array<char, kNameBytes> name;
};
static_assert(std::is_trivially_copyable_v<SharedKernel>);

/// `seat`: of the process that it runs in.
void write(SharedKernel& to, const RunningKernel& running, const DeviceUuid& device, uint32_t seat);
/// The kernel in it; of the launch everything but `kernel`.
PolicyKernel kernelOf(const SharedKernel& shared);
RunningKernel runningOf(const SharedKernel& shared);

} // namespace gpusched
