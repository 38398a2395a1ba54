// ApiEvent.cpp - events: ordering between streams, and time by the host's clock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times are those of this machine running the engine: they order things, they say nothing about
// a GPU's speed.
#include "rt/device/cpu/cudart/ApiCall.h"

using namespace gpusched::cudart;

template <class Body>
static cudaError_t eventCall(const char* function, cudaEvent_t handle, Body&& body) {
  return apiCall(function, [&](Runtime& runtime) {
    EventRef event = runtime.streams.findEvent(handle);
    return event ? body(runtime, event) : cudaErrorInvalidResourceHandle;
  });
}

GPUSCHED_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return apiCall("cudaEventCreateWithFlags", [&](Runtime& runtime) {
    constexpr unsigned kKnown =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!event || (flags & ~kKnown))
      return cudaErrorInvalidValue;
    if (flags & cudaEventInterprocess)
      return cudaErrorNotSupported;
    *event = runtime.streams.createEvent(flags);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

GPUSCHED_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return apiCall("cudaEventDestroy", [&](Runtime& runtime) {
    return runtime.streams.destroyEvent(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

GPUSCHED_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t streamHandle,
                                                  unsigned flags) {
  return eventCall("cudaEventRecord", handle, [&](Runtime& runtime, const EventRef& event) {
    StreamRef stream = runtime.streams.find(streamHandle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    runtime.streams.record(event, stream, flags & cudaEventRecordExternal);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

GPUSCHED_API cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return eventCall("cudaEventQuery", handle, [](Runtime& runtime, const EventRef& event) {
    if (cudaError_t refused = runtime.streams.mayEscapeCaptures(threadsCaptureMode()))
      return refused;
    return runtime.graph.done(runtime.streams.recorded(event)) ? runtime.failure.code()
                                                               : cudaErrorNotReady;
  });
}

GPUSCHED_API cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return eventCall("cudaEventSynchronize", handle, [](Runtime& runtime, const EventRef& event) {
    return runtime.synchronize({runtime.streams.recorded(event)});
  });
}

GPUSCHED_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first,
                                              cudaEvent_t second) {
  return apiCall("cudaEventElapsedTime", [&](Runtime& runtime) {
    EventRef start = runtime.streams.findEvent(first), end = runtime.streams.findEvent(second);
    if (!milliseconds)
      return cudaErrorInvalidValue;
    if (!start || !end || ((start->flags | end->flags) & cudaEventDisableTiming))
      return cudaErrorInvalidResourceHandle;
    OperationRef from = runtime.streams.recorded(start), to = runtime.streams.recorded(end);
    if (!from || !to)
      return cudaErrorInvalidResourceHandle;
    if (!runtime.graph.done(from) || !runtime.graph.done(to))
      return cudaErrorNotReady;
    std::chrono::duration<float, std::milli> elapsed =
        runtime.graph.finishedAt(to) - runtime.graph.finishedAt(from);
    *milliseconds = elapsed.count();
    return cudaSuccess;
  });
}
