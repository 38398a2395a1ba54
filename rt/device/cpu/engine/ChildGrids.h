// ChildGrids.h - what the threads of one grid launch, in the order that the device runtime
// promises.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: kernels launch kernels, copies and sets, in streams of their own (dynamic parallelism).
// Model, after the CUDA programming guide:
//   the default stream     one for each block: what its threads put there runs in that order
//   a created stream       belongs to the grid; ordered with nothing else
//   fire and forget        starts when it can
//   tail launch            after the grid and all else that it launched, one after the other
//   an event               what its stream held when it was recorded
//   a step limit           holds for the grid and all below it together
//   the grid's end         when its blocks and all of these have ended; only then follows what
//                          waits for the grid, and its outcome is the first failure among them
// How: every launch, copy and set is a step with edges to those that wait for it; a stream is its
// last step. A step starts on whichever thread finished the last one it waited for. After a
// failure no more start.
// Threads: all calls from any worker; one mutex, never held while a step starts or memory is
// touched. The object outlives its grid's ActiveLaunch until its last step has ended.
#pragma once

#include "rt/device/cpu/engine/Gpu.h"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gpusched::cpu {

class Launcher;

/// CUDA's numbers, of what the device runtime answers.
enum class DeviceError : uint32_t {
  None = 0,
  InvalidValue = 1,
  MemoryAllocation = 2,
  InvalidConfiguration = 9,
  LaunchMaxDepthExceeded = 65,
  LaunchPendingCountExceeded = 69,
  InvalidDeviceFunction = 98,
  InvalidDevice = 101,
  InvalidResourceHandle = 400,
};

class ChildGrids : public std::enable_shared_from_this<ChildGrids> {
public:
  ChildGrids(Launcher& launcher, DeviceMemory& memory, const Launch& parent);
  ~ChildGrids();

  /// Memory for the arguments of a launch of that shape; null if there can be none.
  void* parameterBuffer(Launch child, DeviceError& error);
  /// Queues the launch that `buffer` was given for. `block`: who asks, for the default stream.
  DeviceError launch(const void* buffer, uint64_t stream, uint64_t block);
  /// Queues a copy or set. If it answers false, or touches a bad address, the grid fails.
  DeviceError work(std::function<bool()> body, uint64_t stream, uint64_t block);

  uint64_t createStream();
  DeviceError destroyStream(uint64_t stream);
  uint64_t createEvent();
  DeviceError destroyEvent(uint64_t event);
  DeviceError record(uint64_t event, uint64_t stream, uint64_t block);
  DeviceError waitFor(uint64_t stream, uint64_t event, uint64_t block);

  /// A thread's last error: the block's number times the largest block, and its own in it.
  void setError(uint64_t thread, DeviceError error);
  DeviceError lastError(uint64_t thread, bool clear);

  /// The grid's own blocks have ended: completes its launch now or when the rest has ended.
  void gridEnded(const LaunchOutcome& outcome,
                 std::function<void(const LaunchOutcome&)> completion);

private:
  struct Step;
  using StepRef = std::shared_ptr<Step>;
  struct Stream {
    StepRef last;
    std::vector<StepRef> waits; // for the next step
  };
  DeviceError add(StepRef step, uint64_t stream, uint64_t block);
  Stream* find(uint64_t stream, uint64_t block);
  template <class Value> uint64_t create(std::unordered_map<uint64_t, Value>& among);
  template <class Value>
  DeviceError destroy(std::unordered_map<uint64_t, Value>& among, uint64_t handle);
  void run(std::vector<StepRef> ready);
  void start(const StepRef& step, std::vector<StepRef>& ready);
  void finish(Step* step, const LaunchOutcome& outcome, std::vector<StepRef>& ready);
  bool failed();
  void nextTail(std::vector<StepRef>& ready);

  Launcher& launcher_;
  DeviceMemory& memory_;
  const int priority_;
  const uint64_t stepLimit_;
  const std::shared_ptr<std::atomic<uint64_t>> stepsUsed_;
  const uint32_t depth_;

  std::mutex mutex_;
  std::unordered_map<const void*, Launch> buffers_; // of launches to be
  std::unordered_map<uint64_t, Stream> ofBlocks_, streams_;
  std::unordered_map<uint64_t, std::vector<StepRef>> events_;
  std::unordered_map<uint64_t, DeviceError> errors_; // by thread
  std::deque<StepRef> tails_;
  uint64_t nextHandle_;
  uint64_t unfinished_ = 1; // the grid itself, and steps but for tails that have not started
  LaunchOutcome outcome_;
  std::function<void(const LaunchOutcome&)> completion_; // empty: called, or given to a tail
};

} // namespace gpusched::cpu
