// ChildGrids.cpp - streams as chains of steps, and what follows when one has ended.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/ChildGrids.h"

#include "rt/device/cpu/engine/CounterSums.h"
#include "rt/device/cpu/engine/FaultGuard.h"
#include "rt/device/cpu/engine/Launcher.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gpusched::cpu {
namespace {

constexpr uint32_t kDeepest = 24; // grids below the host's, as on a GPU
// Handles that driver_types.h and cuda_device_runtime_api.h give names.
constexpr uint64_t kPerThread = 2, kTailLaunch = 3, kFireAndForget = 4, kFirstHandle = 0x100;

/// Adds what a child and its children counted, by kernel and shape.
void addChild(LaunchOutcome& into, const Launch& launch, const LaunchOutcome& from) {
  const auto add = [&](const LaunchOutcome::Child& child) {
    const auto same = [&](const LaunchOutcome::Child& other) {
      return other.kernel == child.kernel && other.block.count() == child.block.count() &&
             other.dynamicSharedBytes == child.dynamicSharedBytes;
    };
    const auto found = std::find_if(into.children.begin(), into.children.end(), same);
    if (found == into.children.end())
      into.children.push_back(child);
    else
      addCounters(found->counters, child.counters);
  };
  if (from.counters.launches)
    add({launch.kernel, launch.block, launch.dynamicSharedBytes, from.counters});
  std::for_each(from.children.begin(), from.children.end(), add);
}

} // namespace

/// A grid, or work for the host.
struct ChildGrids::Step {
  Launch launch;
  std::function<bool()> work;
  uint32_t waitsFor = 0;
  bool done = false;
  std::vector<StepRef> next;
};

ChildGrids::ChildGrids(Launcher& launcher, DeviceMemory& memory, const Launch& parent)
    : launcher_(launcher), memory_(memory), priority_(parent.priority),
      stepLimit_(parent.stepLimit), stepsUsed_(parent.stepsUsed), depth_(parent.depth),
      nextHandle_(kFirstHandle) {}

ChildGrids::~ChildGrids() {
  for (const auto& [buffer, launch] : buffers_)
    (void)memory_.free(const_cast<void*>(buffer));
}

void* ChildGrids::parameterBuffer(Launch child, DeviceError& error) {
  const uint64_t bytes = Gpu::facts(*child.kernel).parameterBytes;
  child.parameters.resize(bytes);
  child.priority = priority_;
  child.stepLimit = stepLimit_;
  child.stepsUsed = stepsUsed_;
  if (!launcher_.check(child))
    return error = DeviceError::InvalidConfiguration, nullptr;
  void* const buffer = memory_.allocate(std::max<uint64_t>(bytes, 1));
  if (!buffer)
    return error = DeviceError::MemoryAllocation, nullptr;
  std::lock_guard lock(mutex_);
  buffers_.emplace(buffer, std::move(child));
  return buffer;
}

DeviceError ChildGrids::launch(const void* buffer, uint64_t stream, uint64_t block) {
  StepRef step = std::make_shared<Step>();
  {
    std::lock_guard lock(mutex_);
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end())
      return DeviceError::InvalidValue;
    step->launch = std::move(found->second);
    buffers_.erase(found);
  }
  const uint8_t* const bytes = static_cast<const uint8_t*>(buffer);
  std::copy_n(bytes, step->launch.parameters.size(), step->launch.parameters.begin());
  (void)memory_.free(const_cast<void*>(buffer));
  step->launch.depth = depth_ + (stream != kTailLaunch);
  if (step->launch.depth > kDeepest)
    return DeviceError::LaunchMaxDepthExceeded;
  return add(std::move(step), stream, block);
}

DeviceError ChildGrids::work(std::function<bool()> body, uint64_t stream, uint64_t block) {
  StepRef step = std::make_shared<Step>();
  step->work = std::move(body);
  return add(std::move(step), stream, block);
}

/// Null if there is no such stream. The mutex is held.
ChildGrids::Stream* ChildGrids::find(uint64_t stream, uint64_t block) {
  if (stream <= kPerThread)
    return &ofBlocks_[block];
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

DeviceError ChildGrids::add(StepRef step, uint64_t stream, uint64_t block) {
  std::vector<StepRef> ready;
  {
    std::lock_guard lock(mutex_);
    Stream* const place = find(stream, block);
    if (!place && stream != kTailLaunch && stream != kFireAndForget)
      return DeviceError::InvalidResourceHandle;
    if (!launcher_.reserveChild())
      return DeviceError::LaunchPendingCountExceeded;
    if (stream == kTailLaunch) {
      tails_.push_back(std::move(step));
      return DeviceError::None;
    }
    ++unfinished_;
    if (place) {
      place->waits.push_back(std::exchange(place->last, step));
      for (const StepRef& earlier : place->waits)
        if (earlier && !earlier->done) {
          earlier->next.push_back(step);
          ++step->waitsFor;
        }
      place->waits.clear();
    }
    if (!step->waitsFor)
      ready.push_back(std::move(step));
  }
  run(std::move(ready));
  return DeviceError::None;
}

template <class Value> uint64_t ChildGrids::create(std::unordered_map<uint64_t, Value>& among) {
  std::lock_guard lock(mutex_);
  among[nextHandle_];
  return nextHandle_++;
}

template <class Value>
DeviceError ChildGrids::destroy(std::unordered_map<uint64_t, Value>& among, uint64_t handle) {
  std::lock_guard lock(mutex_);
  return among.erase(handle) ? DeviceError::None : DeviceError::InvalidResourceHandle;
}

uint64_t ChildGrids::createStream() {
  return create(streams_);
}

DeviceError ChildGrids::destroyStream(uint64_t stream) {
  return destroy(streams_, stream);
}

uint64_t ChildGrids::createEvent() {
  return create(events_);
}

DeviceError ChildGrids::destroyEvent(uint64_t event) {
  return destroy(events_, event);
}

DeviceError ChildGrids::record(uint64_t event, uint64_t stream, uint64_t block) {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(event);
  const Stream* const from = find(stream, block);
  if (found == events_.end() || !from)
    return DeviceError::InvalidResourceHandle;
  found->second = from->waits;
  found->second.push_back(from->last);
  return DeviceError::None;
}

DeviceError ChildGrids::waitFor(uint64_t stream, uint64_t event, uint64_t block) {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(event);
  Stream* const to = find(stream, block);
  if (found == events_.end() || !to)
    return DeviceError::InvalidResourceHandle;
  to->waits.insert(to->waits.end(), found->second.begin(), found->second.end());
  return DeviceError::None;
}

void ChildGrids::setError(uint64_t thread, DeviceError error) {
  std::lock_guard lock(mutex_);
  errors_[thread] = error;
}

DeviceError ChildGrids::lastError(uint64_t thread, bool clear) {
  std::lock_guard lock(mutex_);
  const auto found = errors_.find(thread);
  if (found == errors_.end())
    return DeviceError::None;
  const DeviceError error = found->second;
  if (clear)
    errors_.erase(found);
  return error;
}

void ChildGrids::gridEnded(const LaunchOutcome& outcome,
                           std::function<void(const LaunchOutcome&)> completion) {
  std::vector<StepRef> ready;
  {
    std::lock_guard lock(mutex_);
    completion_ = std::move(completion);
    outcome_.counters = outcome.counters;
  }
  finish(nullptr, outcome, ready);
  run(std::move(ready));
}

/// Starts the steps, and those that work done here makes ready.
void ChildGrids::run(std::vector<StepRef> ready) {
  while (!ready.empty()) {
    const StepRef step = std::move(ready.back());
    ready.pop_back();
    start(step, ready);
  }
}

void ChildGrids::start(const StepRef& step, std::vector<StepRef>& ready) {
  LaunchOutcome outcome;
  if (failed())
    return finish(step.get(), outcome, ready);
  if (step->work) {
    bool good = false;
    if (catchBadAccess([&] { good = step->work(); }) || !good) {
      outcome.status = Status::error("a copy or set that a kernel asked for reaches outside the "
                                     "device's allocations; check its pointers and size");
      outcome.fault = Fault::IllegalAddress;
    }
    return finish(step.get(), outcome, ready);
  }
  Launch launch = step->launch; // its shape stays, for the counters
  if (!launch.completion)
    launch.completion = [self = shared_from_this(), step](const LaunchOutcome& ended) {
      std::vector<StepRef> followers;
      self->finish(step.get(), ended, followers);
      self->run(std::move(followers));
    };
  const std::function<void(const LaunchOutcome&)> completion = launch.completion;
  outcome.status = launcher_.submit(std::move(launch));
  if (!outcome.status)
    completion(outcome);
}

bool ChildGrids::failed() {
  std::lock_guard lock(mutex_);
  return !outcome_.status;
}

/// `step` has ended, or if it is null the grid itself. Appends what may start now.
void ChildGrids::finish(Step* step, const LaunchOutcome& outcome, std::vector<StepRef>& ready) {
  std::function<void(const LaunchOutcome&)> completion;
  {
    std::lock_guard lock(mutex_);
    if (!outcome.status && outcome_.status) {
      outcome_.status = outcome.status;
      outcome_.trapped = outcome.trapped;
      outcome_.fault = outcome.fault;
    }
    if (step) {
      launcher_.releaseChild();
      step->done = true;
      addChild(outcome_, step->launch, outcome);
      for (StepRef& follower : step->next)
        if (!--follower->waitsFor)
          ready.push_back(std::move(follower));
      step->next.clear();
    }
    if (--unfinished_ == 0)
      nextTail(ready);
    if (unfinished_ == 0)
      completion = std::move(completion_);
  }
  if (completion)
    completion(outcome_);
}

/// All else has ended. The mutex is held. The last tail completes the grid itself, so that a kernel
/// may launch itself as its tail without end and nothing is kept of those that are over.
void ChildGrids::nextTail(std::vector<StepRef>& ready) {
  if (tails_.empty())
    return;
  ++unfinished_;
  ready.push_back(std::move(tails_.front()));
  tails_.pop_front();
  Step& tail = *ready.back();
  const bool counts = outcome_.counters.launches;
  if (!tails_.empty() || tail.work || counts || !outcome_.status)
    return;
  tail.launch.completion = std::move(completion_);
  launcher_.releaseChild();
}

} // namespace gpusched::cpu
