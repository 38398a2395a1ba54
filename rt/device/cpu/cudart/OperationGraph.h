// OperationGraph.h - runs operations as soon as what they depend on has finished.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events and the legacy default stream are only ways to choose dependencies
// (Streams.h); this class knows none of them. Who runs what:
//
//   host thread --submit--> ready? --> start
//   engine worker --completion--> dispatch queue --> finish --> start what became ready
//
//   Kernel        Gpu::submit, by whoever found it ready; any number at once, so kernels of
//                 different streams are in the Gpu together
//   Copy, Fill    the copy thread            (cannot block)
//   HostFunction  the callback thread        (may block; delays other callbacks only)
//   Inline        the host thread in runHere (a blocking cudaMemcpy costs no thread switch)
//   Decision      the dispatch thread
//   ValueWait     the watcher thread polls   (cuStreamWaitValue)
//   Marker        whoever finished the last thing before it
//
// An engine worker only posts to the dispatch queue: it never takes graph_'s lock, submits or
// calls user code, so a full Gpu cannot deadlock with the streams that feed it.
// One lock and one condition variable guard all operations. Rejected: a thread per stream
// (hundreds of streams are common) and running continuations on the workers (see above).
#pragma once

#include "rt/device/cpu/cudart/DeviceFailure.h"
#include "rt/device/cpu/cudart/Operation.h"
#include "rt/device/cpu/cudart/ValueWatcher.h"
#include "rt/device/cpu/cudart/WorkQueue.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace gpusched::cudart {

class OperationGraph {
public:
  using OutcomeSink = std::function<void(const Operation&, const cpu::LaunchOutcome&)>;

  /// `sink` runs on the dispatch thread once per finished kernel.
  OperationGraph(cpu::Gpu& gpu, DeviceFailure& failure, OutcomeSink sink);

  /// Starts `operation` once all of `after` have finished. Null entries are ignored.
  void submit(const OperationRef& operation, const std::vector<OperationRef>& after);
  /// submit() for an Inline operation, then runs it on this thread when its turn comes.
  void waitAndRun(const OperationRef& operation);

  void wait(const OperationRef& operation);
  bool waitUntil(const OperationRef& operation, Clock::time_point deadline);
  bool done(const OperationRef& operation) const;
  /// Kernels, copies and the like are passed over from now on.
  bool failed() const { return failure_.failed(); }
  /// REQUIRES: done(operation).
  Clock::time_point finishedAt(const OperationRef& operation) const;

private:
  void start(const OperationRef& operation);
  void runOn(WorkQueue& queue, const OperationRef& operation);
  void startKernel(const OperationRef& operation);
  void runWork(const Operation& operation);
  void kernelFinished(const OperationRef& operation, const cpu::LaunchOutcome& outcome);
  void finish(const OperationRef& operation);
  /// Marks one operation done; appends what became ready to `ready`.
  void finishOne(Operation& operation, std::vector<OperationRef>& ready);

  cpu::Gpu& gpu_;
  DeviceFailure& failure_;
  OutcomeSink sink_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  WorkQueue dispatch_, copies_, callbacks_;
  ValueWatcher watcher_;
};

} // namespace gpusched::cudart
