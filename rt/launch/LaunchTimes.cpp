// LaunchTimes.cpp - a pool of timing events and a clock made of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/LaunchTimes.h"

#include "rt/launch/Cudart.h"

#include <utility>

namespace gpusched {
namespace {

using cudart::succeeded;

bool microsecondsBetween(const gpusched_cudart& runtime, void* from, void* to, double& us) {
  float milliseconds = 0;
  const bool known = succeeded(runtime, runtime.eventElapsedTime(&milliseconds, from, to));
  us = 1000.0 * double(milliseconds);
  return known;
}

} // namespace

void* LaunchTimes::take(const gpusched_cudart& runtime) {
  void* event = nullptr;
  if (free_.empty())
    return succeeded(runtime, runtime.eventCreateWithFlags(&event, 0)) ? event : nullptr;
  event = free_.back();
  free_.pop_back();
  return event;
}

bool LaunchTimes::make(const gpusched_cudart& runtime, Span& span) {
  span = {take(runtime), take(runtime)};
  if (span.before && span.after)
    return true;
  release(span);
  return false;
}

bool LaunchTimes::begin(const gpusched_cudart& runtime, const Span& span, void* stream) {
  return succeeded(runtime, runtime.eventRecord(span.before, stream));
}

bool LaunchTimes::end(const gpusched_cudart& runtime, const Span& span, void* stream) {
  return succeeded(runtime, runtime.eventRecord(span.after, stream));
}

LaunchTimes::State LaunchTimes::state(const gpusched_cudart& runtime, const Span& span) {
  const int error = runtime.eventQuery(span.after);
  if (error == cudart::kSuccess)
    return State::Ended;
  cudart::discardError(runtime);
  return error == cudart::kErrorNotReady ? State::Pending : State::Broken;
}

bool LaunchTimes::read(const gpusched_cudart& runtime, Span& span, double& beginUs, double& endUs) {
  double sinceAnchor = 0, length = 0;
  if ((anchor_ && !microsecondsBetween(runtime, anchor_, span.before, sinceAnchor)) ||
      !microsecondsBetween(runtime, span.before, span.after, length))
    return false;
  beginUs = anchorUs_ + sinceAnchor;
  endUs = beginUs + length;
  if (!anchor_ || sinceAnchor > kMoveAfterUs) {
    std::swap(anchor_, span.before);
    anchorUs_ = beginUs;
  }
  return true;
}

void LaunchTimes::release(Span& span) {
  for (void* event : {span.before, span.after})
    if (event)
      free_.push_back(event);
  span = {};
}

} // namespace gpusched
