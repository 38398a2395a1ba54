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

Completion* Completions::announce(const gpusched_cudart& runtime) {
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
  completion->announced = true;
  return completion;
}

bool Completions::recordEvent(const gpusched_cudart& runtime, void* stream,
                              const Completion& announced) {
  if (cudart::succeeded(runtime, runtime.eventRecord(announced.event, stream)))
    return true;
  GPUSCHED_LOG_ONCE(LogLevel::Warning, "cannot record an event behind a launch; its control "
                                       "block will not be used again");
  return false;
}

void Completions::settle(Completion& announced, bool recorded) {
  announced.announced = false;
  announced.broken = !recorded;
}

Completion* Completions::record(const gpusched_cudart& runtime, void* stream) {
  Completion* const completion = announce(runtime);
  if (completion)
    settle(*completion, recordEvent(runtime, stream, *completion));
  return completion;
}

/// An event that was never recorded would say that it is over.
bool Completions::finished(const gpusched_cudart& runtime, Completion* completion) {
  if (completion->done || completion->broken || completion->announced)
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
