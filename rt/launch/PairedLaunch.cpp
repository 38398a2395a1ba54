// PairedLaunch.cpp - holds the first launch of a pair, and makes one of both or two.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions stand in the order of what happens to a pair.
#include "rt/launch/PairedLaunch.h"

#include "rt/fusion/PairFusion.h"
#include "rt/launch/Divisor.h"
#include "rt/launch/NativeLaunch.h"
#include "rt/launch/RelaxedCapture.h"
#include "rt/launch/Runtime.h"
#include "rt/support/Log.h"
#include "rt/support/RoundUp.h"

#include <algorithm>
#include <new>

namespace gpusched {
namespace {

/// As CUDA wants any parameter aligned that it has a type for.
constexpr size_t kValueAlignment = 16;
/// Of a one-dimensional grid.
constexpr uint64_t kMostBlocks = 0x7fffffff;

thread_local PairedThread* threadsPair = nullptr;

/// Or one that might be it.
bool isDefault(const void* stream) {
  return streamId(stream) == 0;
}

bool sameShape(const gpusched_dim3& a, const gpusched_dim3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool mayBeMixed(const LaunchPlan& plan) {
  return plan.kernel && plan.kernel->flags & GPUSCHED_KERNEL_BATCHES;
}

gpusched_pair_side makeSide(const gpusched_dim3& grid) {
  return {grid.x, grid.y, grid.z, makeDivisor(grid.x), makeDivisor(grid.y)};
}

void fillFused(FusedLaunch& fused, const HeldLaunch& held, const gpusched_launch_request& second) {
  const gpusched_launch_request& first = held.request;
  fused.second = &second;
  fused.otherStream = first.stream == second.stream ? 0 : streamId(second.stream);
  fused.request = second;
  fused.request.stream = first.stream;
  fused.request.sharedBytes = std::max(first.sharedBytes, second.sharedBytes);
  fused.request.grid = {uint32_t(cudart::count(first.grid) + cudart::count(second.grid)), 1, 1};
}

/// REQUIRES: a plan.
void fillArguments(FusedLaunch& fused, const HeldLaunch& held, const LaunchPlan& second) {
  fused.pair = makePair(held.request.grid, fused.second->grid);
  fused.arguments = {&fused.pair};
  fused.arguments.insert(fused.arguments.end(), held.arguments.begin(), held.arguments.end());
  fused.arguments.insert(fused.arguments.end(), fused.second->arguments,
                         fused.second->arguments + second.kernel->parameters);
  fused.request.function = fused.plan->kernel->native;
  fused.request.arguments = fused.arguments.data();
}

} // namespace

gpusched_pair makePair(const gpusched_dim3& first, const gpusched_dim3& second) {
  const uint64_t a = cudart::count(first), all = a + cudart::count(second);
  return {uint32_t(((a << 32) + all - 1) / all), {makeSide(first), makeSide(second)}};
}

void HeldLaunch::keep(const gpusched_launch_request& made, const LaunchPlan& itsPlan) {
  request = made;
  plan = &itsPlan;
  std::vector<size_t> places;
  for (uint32_t i = 0; i < plan->kernel->parameters; ++i) {
    const char* value = static_cast<const char*>(made.arguments[i]);
    places.push_back(roundUp(uint64_t(values.size()), kValueAlignment));
    values.resize(places.back());
    values.insert(values.end(), value, value + plan->kernel->parameterBytes[i]);
  }
  for (size_t place : places)
    arguments.push_back(values.data() + place);
  request.arguments = arguments.data();
}

bool Runtime::fuses() const {
  if (settings_.fusing != Fusing::Auto)
    return settings_.fusing == Fusing::Always;
  // What the user asked for himself a fused launch could not follow, nor step back.
  return policy_ && !alwaysHasBudget(settings_.priority) && policy_->wantsProfiles() &&
         settings_.variant == ForcedVariant::None && !settings_.limitsKernels();
}

/// A pair in a pair ends the outer one: less is fused, nothing is lost.
void Runtime::markPair(const gpusched_launch_request& request) {
  if (PairedThread* const ended = threadsPair) {
    threadsPair = nullptr;
    if (ended->held)
      launchHeld(*ended->held);
    delete ended;
  }
  const bool promised = request.pair == GPUSCHED_PAIR_PROMISED;
  if ((promised || request.pair == GPUSCHED_PAIR_BEGINS) && fuses())
    threadsPair = new (std::nothrow) PairedThread{promised};
}

bool Runtime::launchInPair(const gpusched_launch_request& request, int& error) {
  if (!threadsPair)
    return launchAlone(request, error);
  PairedThread& thread = *threadsPair;
  if (const std::unique_ptr<HeldLaunch> first = std::move(thread.held)) {
    if (launchFused(*first, request, thread.promised))
      return true;
    launchHeld(*first);
    return launchAlone(request, error);
  }
  const bool isFirst = thread.awaitsFirst;
  thread.awaitsFirst = false;
  return (isFirst && hold(thread, request)) || launchAlone(request, error);
}

bool Runtime::hold(PairedThread& thread, const gpusched_launch_request& request) {
  try {
    std::unique_ptr<HeldLaunch> held = std::make_unique<HeldLaunch>();
    if (!mayHold(request, thread.promised, *held))
      return false;
    held->keep(request, *held->plan);
    thread.held = std::move(held);
    return true;
  } catch (...) {
    GPUSCHED_LOG_ONCE(LogLevel::Error, "a launch could not be held (most likely out of memory)");
    return false;
  }
}

/// Fills the plan and the device. What CUDA would refuse is not held: the program shall see it.
bool Runtime::mayHold(const gpusched_launch_request& request, bool promised, HeldLaunch& held) {
  if ((isDefault(request.stream) && !promised) ||
      !registry_.beginsPair(request.function, request.kernels) || !mayTakeOver(request))
    return false;
  RelaxedCapture relaxed(*request.cudart);
  const PerDevice* on = relaxed ? currentDevice(*request.cudart) : nullptr;
  if (!on || !on->device.takes(request))
    return false;
  held.on = on;
  held.plan = &plan(request, *on);
  return mayBeMixed(*held.plan) && held.plan->kernel->parameterBytes && held.plan->takes(request);
}

/// As it would have been. What CUDA says against it, it keeps for the program.
void Runtime::launchHeld(const HeldLaunch& held) {
  bool made = false;
  int error = cudart::kSuccess;
  try {
    made = launchAlone(held.request, error);
  } catch (...) {
    GPUSCHED_LOG_ONCE(LogLevel::Error, "the runtime failed inside (most likely out of memory)");
  }
  if (!made)
    (void)launchNatively(held.request);
}

bool Runtime::launchFused(const HeldLaunch& held, const gpusched_launch_request& second,
                          bool promised) {
  try {
    if (const char* why = whyApart(held.request, second, promised)) {
      log(LogLevel::Debug, "'%s' and the next launch stay two: %s", held.plan->kernel->name, why);
      return false;
    }
    RelaxedCapture relaxed(*second.cudart);
    PerDevice* on = relaxed ? currentDevice(*second.cudart) : nullptr;
    if (!on || on != held.on || !on->device.takes(second))
      return false;
    const LaunchPlan& plan = this->plan(second, *on);
    if (!mayBeMixed(plan) || !plan.takes(second) || mayHaveToYield(*on, held.request, second))
      return false;
    FusedLaunch fused;
    fillFused(fused, held, second);
    fused.plan = &pairPlan(*on, *held.plan, plan, fused);
    if (!fused.plan->fuse || fused.plan->plan->broken.load() ||
        (settings_.fusing == Fusing::Auto &&
         (othersRun(*on, fused) || regrets(*on, fused, held, plan))))
      return false;
    fillArguments(fused, held, plan);
    return enqueueFused(*on, fused);
  } catch (...) {
    GPUSCHED_LOG_ONCE(LogLevel::Error,
                      "two launches could not become one (most likely out of memory)");
    return false;
  }
}

/// A fused launch has no budget, so it could not make room for a stream of higher priority.
bool Runtime::mayHaveToYield(const PerDevice& on, const gpusched_launch_request& first,
                             const gpusched_launch_request& second) const {
  const auto [lower, higher] = std::minmax({streamPriority(first), streamPriority(second)});
  return lower < std::max(higher, on.mostUrgent.load());
}

/// Null: as far as streams, grids and blocks tell, they may be one launch.
const char* Runtime::whyApart(const gpusched_launch_request& first,
                              const gpusched_launch_request& second, bool promised) const {
  if (first.cudart != second.cudart)
    return "they are of two CUDA runtimes or kinds of default stream";
  if (!sameShape(first.block, second.block))
    return "their blocks are of two shapes";
  if (first.stream == second.stream && !promised)
    return "they are of one stream";
  if (first.stream != second.stream && (isDefault(first.stream) || isDefault(second.stream)))
    return "one is of the default stream";
  if (!mayTakeOver(first) || !mayTakeOver(second))
    return "a stream captures, or an error waits";
  // Each has far less than GPUSCHED_MAX_LOGICAL_BLOCKS then. No sum overflows: a grid that CUDA
  // takes has less than 2^63.
  if (cudart::count(first.grid) + cudart::count(second.grid) > kMostBlocks)
    return "they have too many blocks";
  return nullptr;
}

const PairPlan& Runtime::pairPlan(const PerDevice& on, const LaunchPlan& first,
                                  const LaunchPlan& second, const FusedLaunch& fused) {
  // The attributes of a pair's kernel are raised by one thread at a time: none lowers them again.
  std::lock_guard<std::mutex> lock(pairsMutex_);
  const auto [known, isNew] =
      pairPlans_.try_emplace({&first, &second, fused.otherStream == 0}, PairPlan());
  if (isNew)
    makePairPlan(known->second, on, first, second, fused);
  return known->second;
}

void Runtime::makePairPlan(PairPlan& pair, const PerDevice& on, const LaunchPlan& first,
                           const LaunchPlan& second, const FusedLaunch& fused) {
  pair.kernel = registry_.findPair(first.function, second.function, fused.request.kernels);
  if (!pair.kernel) {
    pair.reason = "there is no kernel for the two";
  } else if (pair.kernel->parameters !=
             1 + uint64_t(first.kernel->parameters) + second.kernel->parameters) {
    pair.reason = "their kernel takes other arguments";
  } else {
    gpusched_launch_request request = fused.request;
    request.function = pair.kernel->native;
    pair.plan = &plan(request, on);
    decidePair(pair, on, first, second, fused);
  }
  log(LogLevel::Debug, "'%s' and '%s', %u threads, of %s: launched %s; %s",
      first.policyKernel.name.c_str(), second.policyKernel.name.c_str(),
      first.policyKernel.threadsPerBlock, fused.otherStream == 0 ? "one stream" : "two streams",
      pair.fuse ? "as one" : "apart", pair.reason.c_str());
}

void Runtime::decidePair(PairPlan& pair, const PerDevice& on, const LaunchPlan& first,
                         const LaunchPlan& second, const FusedLaunch& fused) const {
  pair.reason = pair.plan->whyApart;
  if (!pair.reason.empty())
    return;
  if (settings_.fusing == Fusing::Always) {
    pair.fuse = true;
    pair.reason = "GPUSCHED_FUSE=always";
    return;
  }
  FusionAnswer answer =
      decideFusion({&first.policyKernel, &second.policyKernel, &pair.plan->policyKernel,
                    pair.plan->nativeOccupancy, on.device.limits(), fused.otherStream == 0});
  pair.fuse = answer.fuse;
  pair.reason = std::move(answer.reason);
}

/// Whether one launch is better was decided for the two alone. Beside a third kernel a policy has
/// more to choose from when it places them one by one.
bool Runtime::othersRun(PerDevice& on, const FusedLaunch& fused) {
  const uint64_t first = streamId(fused.request.stream), second = streamId(fused.second->stream);
  std::lock_guard<std::mutex> lock(on.device.mutex);
  return hasCompany(on) || std::any_of(on.running.entries().begin(), on.running.entries().end(),
                                       [&](const RunningEntry& entry) {
                                         return entry.seen.stream != first &&
                                                entry.seen.stream != second &&
                                                !entry.seen.unmanaged;
                                       });
}

/// The no-regret rule for one launch: what measured slower than its two, one after the other, is
/// not made again. Those that wait for a second stream are not measured.
bool Runtime::regrets(PerDevice& on, const FusedLaunch& fused, const HeldLaunch& first,
                      const LaunchPlan& second) const {
  if (!measures_)
    return false;
  const LaunchPlan& plan = *fused.plan->plan;
  std::lock_guard<std::mutex> lock(on.device.mutex);
  const double together =
      on.trials.measuredUs(plan.policyKernel, cudart::count(fused.request.grid));
  const double ofFirst =
      on.trials.expectedUs(first.plan->policyKernel, cudart::count(first.request.grid));
  const double ofSecond =
      on.trials.expectedUs(second.policyKernel, cudart::count(fused.second->grid));
  if (ofFirst <= 0 || ofSecond <= 0 || ofFirst + ofSecond >= PairHistory::kWorthIt * together)
    return false;
  plan.broken = true;
  log(LogLevel::Info, "'%s': measured %.1f us as one launch, %.1f us apart; apart from now on",
      plan.policyKernel.name.c_str(), together, ofFirst + ofSecond);
  return true;
}

/// False: nothing of the launch was enqueued.
bool Runtime::enqueueFused(PerDevice& on, FusedLaunch& fused) {
  if (fused.otherStream != 0 && !waitForOther(on, fused))
    return false;
  int error = cudart::kSuccess;
  if (!launchAlone(fused.request, error, &fused))
    error = launchNatively(fused.request);
  if (error != cudart::kSuccess) {
    cudart::discardError(*fused.request.cudart);
    fused.plan->plan->broken = true;
    log(LogLevel::Warning,
        "launching '%s' for two launches failed with CUDA error %d; such launches stay apart from "
        "now on",
        fused.plan->kernel->name, error);
    return false;
  }
  if (fused.otherStream != 0 && !fused.joined) {
    std::lock_guard<std::mutex> lock(on.device.mutex);
    Completion* const end =
        on.device.completions.record(*fused.request.cudart, fused.request.stream);
    joinOther(fused, end && !end->broken ? end : nullptr);
    on.device.completions.release(end);
  }
  return true;
}

/// What precedes the second launch in its stream is over when the fused one begins.
bool Runtime::waitForOther(PerDevice& on, const FusedLaunch& fused) {
  const gpusched_cudart& runtime = *fused.request.cudart;
  std::unique_lock<std::mutex> lock(on.device.mutex);
  Completion* const end = on.device.completions.announce(runtime);
  lock.unlock();
  const bool recorded = end && Completions::recordEvent(runtime, fused.second->stream, *end);
  const bool waits = recorded && Completions::makeWait(runtime, fused.request.stream, *end);
  lock.lock();
  if (end)
    Completions::settle(*end, recorded);
  on.device.completions.release(end);
  if (!waits)
    GPUSCHED_LOG_ONCE(LogLevel::Warning,
                      "cannot make a stream wait for another; two launches stay apart");
  return waits;
}

/// The launch is on its way, so where the device cannot hold back what follows, the host does.
void Runtime::joinOther(FusedLaunch& fused, const Completion* end) {
  const gpusched_cudart& runtime = *fused.request.cudart;
  fused.joined = true;
  if (end && Completions::makeWait(runtime, fused.second->stream, *end))
    return;
  GPUSCHED_LOG_ONCE(LogLevel::Warning,
                    "cannot make a stream wait for a launch; the program waits for it");
  (void)cudart::succeeded(runtime, runtime.streamSynchronize(fused.request.stream));
}

} // namespace gpusched
