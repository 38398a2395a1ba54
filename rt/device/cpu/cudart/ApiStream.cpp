// ApiStream.cpp - streams: creation, ordering, callbacks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/ApiCall.h"

using namespace gpusched::cudart;

static constexpr int kLeastPriority = 0;
static constexpr int kGreatestPriority = -5;

GPUSCHED_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags,
                                                      int priority) {
  return apiCall("cudaStreamCreateWithPriority", [&](Runtime& runtime) {
    if (!stream || (flags & ~unsigned(cudaStreamNonBlocking)))
      return cudaErrorInvalidValue;
    int clamped = std::max(kGreatestPriority, std::min(kLeastPriority, priority));
    *stream = runtime.streams.create(flags, clamped);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

GPUSCHED_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

GPUSCHED_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return apiCall("cudaStreamDestroy", [&](Runtime& runtime) {
    return runtime.streams.destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

GPUSCHED_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least)
    *least = kLeastPriority;
  if (greatest)
    *greatest = kGreatestPriority;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return streamCall("cudaStreamGetPriority", handle, [&](Runtime&, const StreamRef& stream) {
    *priority = stream->priority;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return streamCall("cudaStreamGetFlags", handle, [&](Runtime&, const StreamRef& stream) {
    *flags = stream->flags;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return streamCall("cudaStreamGetId", handle, [&](Runtime&, const StreamRef& stream) {
    *id = stream->id;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return streamCall("cudaStreamGetDevice", handle, [&](Runtime&, const StreamRef&) {
    *device = 0;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return streamCall("cudaStreamSynchronize", handle,
                    [&](Runtime& runtime, const StreamRef& stream) {
                      if (runtime.streams.spoilCapture(stream))
                        return cudaErrorStreamCaptureUnsupported;
                      return runtime.synchronize(runtime.streams.pending(stream));
                    });
}

GPUSCHED_API cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return streamCall("cudaStreamQuery", handle, [&](Runtime& runtime, const StreamRef& stream) {
    if (runtime.streams.spoilCapture(stream))
      return cudaErrorStreamCaptureUnsupported;
    for (const OperationRef& operation : runtime.streams.pending(stream))
      if (!runtime.graph.done(operation))
        return cudaErrorNotReady;
    return runtime.failure.code();
  });
}

GPUSCHED_API cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t eventHandle,
                                             unsigned flags) {
  return streamCall("cudaStreamWaitEvent", handle, [&](Runtime& runtime, const StreamRef& stream) {
    EventRef event = runtime.streams.findEvent(eventHandle);
    return event ? runtime.streams.waitFor(stream, event, flags & cudaEventWaitExternal)
                 : cudaErrorInvalidResourceHandle;
  });
}

GPUSCHED_API cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function,
                                            void* data) {
  return streamCall("cudaLaunchHostFunc", handle, [&](Runtime& runtime, const StreamRef& stream) {
    if (!function)
      return cudaErrorInvalidValue;
    runtime.streams.append(
        stream, makeOperation(Operation::Kind::HostFunction, [function, data] { function(data); }));
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback,
                                               void* data, unsigned flags) {
  return streamCall(
      "cudaStreamAddCallback", handle, [&](Runtime& runtime, const StreamRef& stream) {
        if (!callback || flags != 0)
          return cudaErrorInvalidValue;
        OperationRef operation = makeOperation(Operation::Kind::HostFunction,
                                               [&failure = runtime.failure, callback, handle,
                                                data] { callback(handle, failure.code(), data); });
        operation->runsAfterFailure = true;
        runtime.streams.append(stream, operation);
        return cudaSuccess;
      });
}

/// Managed memory is host memory here: attaching it to a stream changes nothing.
GPUSCHED_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void*, size_t, unsigned) {
  return streamCall("cudaStreamAttachMemAsync", handle,
                    [](Runtime&, const StreamRef&) { return cudaSuccess; });
}

GPUSCHED_API cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                                cudaStreamAttrValue* value) {
  return streamCall("cudaStreamGetAttribute", handle, [&](Runtime&, const StreamRef& stream) {
    if (attribute != cudaLaunchAttributePriority)
      return cudaErrorNotSupported;
    value->priority = stream->priority;
    return cudaSuccess;
  });
}

/// Everything but the priority is a hint about caches and polling.
GPUSCHED_API cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                                const cudaStreamAttrValue* value) {
  return streamCall("cudaStreamSetAttribute", handle, [&](Runtime&, const StreamRef& stream) {
    if (attribute == cudaLaunchAttributePriority)
      stream->priority = value->priority;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return streamCall("cudaStreamCopyAttributes", to, [&](Runtime& runtime, const StreamRef& target) {
    StreamRef source = runtime.streams.find(from);
    if (!source)
      return cudaErrorInvalidResourceHandle;
    target->priority = source->priority;
    return cudaSuccess;
  });
}
