// ApiCall.h - what every API function does around its own work.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// apiCall(name, body): finds the runtime, refuses when the device has failed, lets no exception
// out, and records the result as the thread's last error. apiQuery() is the same for functions
// that work without a device or after a failure.
#pragma once

#include "rt/device/cpu/cudart/Runtime.h"

#include <cuda_runtime_api.h>

#include <new>

/// An exported API function.
#define GPUSCHED_API extern "C" __attribute__((visibility("default")))

namespace gpusched::cudart {

/// The calling thread's last error; success leaves it as it is. Returns `error`.
cudaError_t recordError(const char* function, cudaError_t error);

/// Undoes the record of the error that the thread's last call has returned. Returns `error`.
cudaError_t takeBackError(cudaError_t error);

template <class Body> cudaError_t guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (...) {
    return cudaErrorUnknown;
  }
}

/// `body(Runtime&)` -> cudaError_t.
template <class Body> cudaError_t apiCall(const char* function, Body&& body) {
  Runtime* runtime = Runtime::instance();
  if (!runtime)
    return recordError(function, cudaErrorInitializationError);
  if (runtime->failure.failed())
    return recordError(function, runtime->failure.code());
  return recordError(function, guarded([&] { return body(*runtime); }));
}

/// How the calling thread goes along with captures (cudaThreadExchangeStreamCaptureMode).
cudaStreamCaptureMode& threadsCaptureMode();

/// apiCall for what CUDA calls potentially unsafe while streams are captured.
template <class Body> cudaError_t escapingCall(const char* function, Body&& body) {
  return apiCall(function, [&](Runtime& runtime) {
    const cudaError_t refused = runtime.streams.mayEscapeCaptures(threadsCaptureMode());
    return refused == cudaSuccess ? body(runtime) : refused;
  });
}

/// `body()` -> cudaError_t.
template <class Body> cudaError_t apiQuery(const char* function, Body&& body) {
  return recordError(function, guarded(body));
}

/// The same with the stream looked up: `body(Runtime&, const StreamRef&)`.
template <class Body>
cudaError_t streamCall(const char* function, cudaStream_t handle, Body&& body) {
  return apiCall(function, [&](Runtime& runtime) {
    StreamRef stream = runtime.streams.find(handle);
    return stream ? body(runtime, stream) : cudaErrorInvalidResourceHandle;
  });
}

/// What a stream means to the functions whose names end in _ptsz.
inline cudaStream_t perThread(cudaStream_t stream) {
  return stream ? stream : cudaStreamPerThread;
}

} // namespace gpusched::cudart
