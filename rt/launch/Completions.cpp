// Completions.cpp - event pool with user counts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An event waited for through cudaStreamWaitEvent may be recorded again at once: the wait has
// captured the point in the stream. So users only count those who will still query.
#include "rt/launch/Completions.h"

#include "rt/launch/Cudart.h"
#include "rt/support/Log.h"

namespace gpusched {

Completion* Completions::take(const gpusched_cudart& runtime) {
  if (free_.empty()) {
    Completion fresh;
    if (runtime.eventCreateWithFlags(&fresh.event, cudart::kEventDisableTiming) !=
        cudart::kSuccess) {
      cudart::discardError(runtime);
      return nullptr;
    }
    free_.push_back(&all_.emplace_back(fresh));
    free_.reserve(all_.size());
  }
  Completion* completion = free_.back();
  free_.pop_back();
  completion->users = 1;
  completion->done = completion->broken = false;
  return completion;
}

void Completions::record(const gpusched_cudart& runtime, void* stream, Completion& completion) {
  completion.broken = runtime.eventRecord(completion.event, stream) != cudart::kSuccess;
  if (!completion.broken)
    return;
  cudart::discardError(runtime);
  GPUSCHED_LOG_ONCE(LogLevel::Warning, "cannot record an event behind a launch; its control "
                                       "block will not be used again");
}

Completion* Completions::record(const gpusched_cudart& runtime, void* stream) {
  Completion* const completion = take(runtime);
  if (completion)
    record(runtime, stream, *completion);
  return completion;
}

bool Completions::finished(const gpusched_cudart& runtime, Completion* completion) {
  if (completion->done || completion->broken)
    return completion->done;
  int error = runtime.eventQuery(completion->event);
  completion->done = error == cudart::kSuccess;
  if (error == cudart::kSuccess)
    return true;
  cudart::discardError(runtime); // "not ready" is kept as the last error by some runtimes
  completion->broken = error != cudart::kErrorNotReady;
  return false;
}

bool Completions::makeWait(const gpusched_cudart& runtime, void* stream, const Completion& end) {
  return cudart::succeeded(runtime, runtime.streamWaitEvent(stream, end.event, 0));
}

bool Completions::makeWait(const gpusched_cudart& runtime, void* stream, void* earlier) {
  Completion* const end = record(runtime, earlier);
  const bool waits = end && !end->broken && makeWait(runtime, stream, *end);
  release(end);
  return waits;
}

Completion* Completions::share(Completion* completion) {
  if (completion)
    ++completion->users;
  return completion;
}

void Completions::release(Completion* completion) {
  if (completion && --completion->users == 0 && !completion->broken)
    free_.push_back(completion);
}

} // namespace gpusched
