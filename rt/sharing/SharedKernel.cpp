// SharedKernel.cpp - to bytes and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes back was written by another process, maybe a broken one: counts are cut to what there
// is room for, and the name ends where the bytes do.
#include "rt/sharing/SharedKernel.h"

#include <algorithm>
#include <cstring>

namespace gpusched {
namespace {

/// Fields that are called the same on both sides.
template <class From, class To> void copyFigures(const From& from, To& to) {
  to.hasPersistent = from.hasPersistent;
  to.profiled = from.profiled;
  to.threadsPerBlock = from.threadsPerBlock;
  to.occupancyBlocksPerSm = from.occupancyBlocksPerSm;
  to.saturationBlocksPerSm = from.saturationBlocksPerSm;
  to.registersPerBlock = from.registersPerBlock;
  to.sharedBytesPerBlock = from.sharedBytesPerBlock;
  to.blocks = from.blocks;
  to.timeUs = from.timeUs;
  to.persistentTimeUs = from.persistentTimeUs;
  to.dramGbPerSecond = from.dramGbPerSecond;
  to.gflops = from.gflops;
  to.eligibleWarpsPerCycle = from.eligibleWarpsPerCycle;
  to.l1TransactionsPerSecond = from.l1TransactionsPerSecond;
  to.stallMemory = from.stallMemory;
  to.l1Hits = from.l1Hits;
  to.l1BytesPerWarp = from.l1BytesPerWarp;
  to.l2Hits = from.l2Hits;
  to.l2BytesPerWarp = from.l2BytesPerWarp;
  to.utilisation = from.utilisation;
}

} // namespace

void write(SharedKernel& to, const RunningKernel& running, const DeviceUuid& device,
           uint32_t seat) {
  const PolicyKernel& kernel = *running.kernel;
  copyFigures(kernel, to);
  to.device = device;
  to.sequence = running.firstSequence;
  to.stream = running.stream | uint64_t(seat + 1) << kProcessShift;
  to.set = running.set;
  to.blocksPerSm = running.blocksPerSm;
  to.priority = running.priority;
  to.preempted = running.preempted;
  to.yields = running.yields;
  to.unmanaged = running.unmanaged;
  to.kernelClass = uint8_t(kernel.kernelClass);
  to.curvePoints = uint32_t(std::min(kernel.budgetCurve.size(), SharedKernel::kCurvePoints));
  std::copy_n(kernel.budgetCurve.begin(), to.curvePoints, to.budgetCurve.begin());
  const size_t length = std::min(kernel.name.size(), SharedKernel::kNameBytes - 1);
  std::copy_n(kernel.name.begin(), length, to.name.begin());
  to.name[length] = 0;
}

PolicyKernel kernelOf(const SharedKernel& shared) {
  PolicyKernel kernel;
  copyFigures(shared, kernel);
  kernel.name.assign(shared.name.data(), strnlen(shared.name.data(), shared.name.size()));
  kernel.kernelClass = shared.kernelClass <= uint8_t(KernelClass::L1)
                           ? KernelClass(shared.kernelClass)
                           : KernelClass::Unknown;
  const size_t points = std::min<size_t>(shared.curvePoints, SharedKernel::kCurvePoints);
  kernel.budgetCurve.assign(shared.budgetCurve.begin(), shared.budgetCurve.begin() + points);
  return kernel;
}

RunningKernel runningOf(const SharedKernel& shared) {
  RunningKernel running;
  running.firstSequence = running.lastSequence = shared.sequence;
  running.stream = shared.stream;
  running.set = shared.set;
  running.blocksPerSm = shared.blocksPerSm;
  running.priority = shared.priority;
  running.preempted = shared.preempted != 0;
  running.yields = shared.yields != 0;
  running.unmanaged = shared.unmanaged != 0;
  return running;
}

} // namespace gpusched
