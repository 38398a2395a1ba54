// PersistentLaunch.cpp - the stream operations of one persistent launch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The argument array is on the stack: no allocation for ordinary kernels, and nothing thread-local
// that a launch from a static destructor would find destroyed. CUDA copies the arguments during
// the launch call.
#include "rt/launch/PersistentLaunch.h"

#include "rt/launch/Divisor.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace gpusched {
namespace {

/// Up to here the `next` of a control block is counted on from launch to launch.
constexpr uint64_t kLastBase = 0xf0000000;

uint64_t claimsOf(const gpusched_launch_request& request, const PersistentOptions& options) {
  return claimsFor(cudart::count(request.grid), options.workers.batches);
}

/// Claims that workers have by their numbers.
uint64_t claimsGiven(const LaunchPlan& plan, const PersistentOptions& options) {
  const bool batches = plan.kernel->flags & GPUSCHED_KERNEL_BATCHES;
  return options.role == GPUSCHED_ALONE && batches ? options.workers.workers : 0;
}

gpusched_params makeParams(const gpusched_launch_request& request,
                           const PersistentOptions& options) {
  gpusched_params params = {};
  params.total = uint32_t(cudart::count(request.grid));
  params.grid_x = request.grid.x;
  params.grid_y = request.grid.y;
  params.grid_z = request.grid.z;
  params.by_x = makeDivisor(request.grid.x);
  params.by_y = makeDivisor(request.grid.y);
  params.batch_shift = options.workers.batches.shift;
  params.batches = options.workers.batches.claims;
  params.step = options.workers.batches.step;
  params.end = uint32_t(claimsOf(request, options));
  params.role = options.role;
  return params;
}

gpusched_params makeParams(const gpusched_launch_request& request, const LaunchPlan& plan,
                           const ControlSlot& slot, const PersistentOptions& options) {
  gpusched_params params = makeParams(request, options);
  params.control = slot.control;
  params.base = slot.before.next - uint32_t(claimsGiven(plan, options));
  params.end += params.base;
  params.finished_before = slot.before.finished;
  params.ended = slot.ended;
  return params;
}

int launchTwin(const gpusched_launch_request& request, const LaunchPlan& plan,
               gpusched_params params, const PersistentOptions& options) {
  const uint32_t count = plan.kernel->parameters;
  std::array<void*, 64> few;
  std::vector<void*> many(count + 1 > few.size() ? count + 1 : 0);
  void** arguments = many.empty() ? few.data() : many.data();
  arguments[0] = &params;
  std::copy(request.arguments, request.arguments + count, arguments + 1);
  const gpusched_dim3 workers = {uint32_t(options.workers.workers), 1, 1};
  const gpusched_dim3 grid = options.role == GPUSCHED_FITS ? request.grid : workers;
  return request.cudart->launchKernel(plan.kernel->persistent, grid, request.block, arguments,
                                      plan.twinSharedBytes(request.sharedBytes), request.stream);
}

int launchTwin(const gpusched_launch_request& request, const LaunchPlan& plan,
               const ControlSlot& slot, const PersistentOptions& options) {
  return launchTwin(request, plan, makeParams(request, plan, slot, options), options);
}

/// How far a launch moves `next`, see gpusched_control.
uint64_t claimsMade(const gpusched_launch_request& request, const LaunchPlan& plan,
                    const PersistentOptions& options) {
  const uint64_t last = options.role == GPUSCHED_ALONE ? options.workers.workers : 0;
  return claimsOf(request, options) + last - claimsGiven(plan, options);
}

/// Sets where the launch begins to count. False where the device has the image already. At no time
/// is the image's budget one that nobody asked for: a copy of it may be under way, enqueued when
/// the slot was used before.
bool fillImage(ControlSlot& slot, const gpusched_launch_request& request, const LaunchPlan& plan,
               const PersistentOptions& options) {
  const uint64_t claims = claimsMade(request, plan, options);
  gpusched_control& image = *slot.image;
  slot.countsOn = slot.behind.next + claims <= kLastBase;
  const bool tidy = slot.isTidyFor(options.budget, *options.mask) &&
                    image.telemetry == options.telemetry && slot.countsOn;
  slot.before = slot.countsOn ? slot.behind : ControlSlot::Counters();
  slot.behind = slot.before;
  slot.behind.next += uint32_t(claims);
  if (options.role != GPUSCHED_ALONE)
    slot.behind.finished += uint32_t(cudart::count(request.grid));
  if (tidy)
    return false;
  image.next = slot.before.next;
  image.finished = slot.before.finished;
  image.workers_per_sm = options.budget;
  image.telemetry = options.telemetry;
  std::memcpy(image.sm_mask, options.mask->data(), sizeof image.sm_mask);
  return true;
}

bool enqueueSpare(LaunchDevice& device, const gpusched_launch_request& request,
                  const LaunchPlan& plan, ControlSlot& slot, const PersistentOptions& options,
                  uint32_t index) {
  StreamWaitValue wait = device.streamWaitValue();
  return wait &&
         wait(request.stream, reinterpret_cast<uintptr_t>(slot.gate), index,
              cudart::kWaitValueGreaterOrEqual) == 0 &&
         copyBudget(*request.cudart, slot, &slot.image->workers_per_sm, request.stream) &&
         launchTwin(request, plan, slot, options) == cudart::kSuccess;
}

void failed(const gpusched_launch_request& request, const LaunchPlan& plan, int error) {
  cudart::discardError(*request.cudart);
  if (plan.broken.exchange(true))
    return; // another thread has said so
  log(LogLevel::Warning,
      "persistent launch of '%s' failed with CUDA error %d; with blocks of %ux%ux%u and %zu bytes "
      "of dynamic memory it is launched natively from now on",
      plan.kernel->name, error, request.block.x, request.block.y, request.block.z,
      request.sharedBytes);
}

} // namespace

bool enqueueFitting(const gpusched_launch_request& request, const LaunchPlan& plan,
                    const PersistentOptions& options) {
  const int error = launchTwin(request, plan, makeParams(request, options), options);
  if (error != cudart::kSuccess)
    failed(request, plan, error);
  return error == cudart::kSuccess;
}

bool enqueuePersistent(LaunchDevice& device, const gpusched_launch_request& request,
                       const LaunchPlan& plan, ControlSlot& slot, PersistentOptions& options) {
  int error = cudart::kSuccess;
  slot.batches = options.workers.batches;
  if (fillImage(slot, request, plan, options))
    error = request.cudart->memcpyAsync(slot.control, slot.image, sizeof(gpusched_control),
                                        cudart::kHostToDevice, request.stream);
  slot.tidy = slot.says = false;
  *slot.gate = ControlSlot::kGatesOpen;
  *slot.ended = 0;
  if (error == cudart::kSuccess)
    error = launchTwin(request, plan, slot, options);
  if (error != cudart::kSuccess) {
    failed(request, plan, error);
    return false;
  }
  slot.tidy = true;
  slot.says = options.role == GPUSCHED_ALONE;
  for (uint32_t i = 1; i <= options.spareLaunches; ++i) {
    if (enqueueSpare(device, request, plan, slot, options, i))
      continue;
    cudart::discardError(*request.cudart);
    options.spareLaunches = i - 1;
    GPUSCHED_LOG_ONCE(LogLevel::Warning,
                      "launches cannot be paused here: no cuStreamWaitValue32 (needs driver 12.0)");
  }
  return true;
}

bool copyBudget(const gpusched_cudart& runtime, const ControlSlot& slot, const uint32_t* budget,
                void* stream) {
  return cudart::succeeded(runtime,
                           runtime.memcpyAsync(&slot.control->workers_per_sm, budget,
                                               sizeof *budget, cudart::kHostToDevice, stream));
}

bool relaunchPersistent(const gpusched_launch_request& request, const LaunchPlan& plan,
                        ControlSlot& slot, const PersistentOptions& options) {
  return launchTwin(request, plan, slot, options) == cudart::kSuccess;
}

void saveLaunch(ControlSlot& slot, const gpusched_launch_request& request, const LaunchPlan& plan,
                const PersistentOptions& options) {
  SavedLaunch& saved = slot.saved;
  const uint32_t* bytes = plan.kernel->parameterBytes;
  const bool mayBeHelped = bytes && slot.countsOn;
  saved.cudart = mayBeHelped ? request.cudart : nullptr;
  if (!mayBeHelped)
    return;
  saved.twin = plan.kernel->persistent;
  saved.params = makeParams(request, plan, slot, options);
  saved.params.role = GPUSCHED_HELPS;
  saved.block = request.block;
  saved.sharedBytes = plan.twinSharedBytes(request.sharedBytes);
  saved.values.clear();
  saved.places.clear();
  for (uint32_t i = 0; i < plan.kernel->parameters; ++i) {
    const char* value = static_cast<const char*>(request.arguments[i]);
    saved.places.push_back(saved.values.size());
    saved.values.insert(saved.values.end(), value, value + bytes[i]);
  }
}

Completion* enqueueHelpers(LaunchDevice& device, ControlSlot& slot, const uint32_t* budget,
                           uint64_t workers, void* stream, Completion** copied) {
  SavedLaunch& saved = slot.saved;
  slot.tidy = false; // a helper may claim when the launch is over, and the budget is another
  slot.behind.next += uint32_t(std::min<uint64_t>(workers, UINT32_MAX - slot.behind.next));
  const gpusched_cudart& runtime = *saved.cudart;
  std::vector<void*> arguments = {&saved.params};
  for (size_t place : saved.places)
    arguments.push_back(saved.values.data() + place);
  bool enqueued = copyBudget(runtime, slot, budget, stream);
  if (enqueued && copied)
    *copied = device.completions.record(runtime, stream);
  enqueued = enqueued &&
             runtime.launchKernel(saved.twin, {uint32_t(workers), 1, 1}, saved.block,
                                  arguments.data(), saved.sharedBytes, stream) == cudart::kSuccess;
  if (!enqueued)
    cudart::discardError(runtime);
  Completion* helping = device.completions.record(runtime, stream);
  if (!helping && slot.completion)
    slot.completion->broken = true; // cannot be followed: the slot must not be used again
  std::erase_if(slot.helpers, [&](const Help& earlier) {
    if (earlier.stream == stream)
      device.completions.release(earlier.completion);
    return earlier.stream == stream;
  });
  if (helping)
    slot.helpers.push_back({stream, helping});
  return helping;
}

} // namespace gpusched
