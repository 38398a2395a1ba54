// ApiError.cpp - error names, descriptions, and the thread's last error.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names come from the enumerators themselves, descriptions are our own words.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/ErrorText.h"
#include "rt/support/Log.h"

namespace gpusched::cudart {

static thread_local cudaError_t lastError = cudaSuccess, errorBefore = cudaSuccess;

cudaError_t recordError(const char* function, cudaError_t error) {
  // "Not ready" answers a query and is no error: the programming guide keeps it from
  // cudaGetLastError().
  if (error == cudaSuccess || error == cudaErrorNotReady)
    return error;
  errorBefore = lastError;
  lastError = error;
  log(LogLevel::Debug, "%s: %s (%s)", function, errorText(error).name,
      errorText(error).description);
  return error;
}

cudaError_t takeBackError(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady)
    lastError = errorBefore;
  return error;
}

/// A failed device is everybody's last error.
static cudaError_t stickyOr(cudaError_t error) {
  Runtime* runtime = Runtime::existing();
  return runtime && runtime->failure.failed() ? runtime->failure.code() : error;
}

} // namespace gpusched::cudart

using namespace gpusched::cudart;

GPUSCHED_API cudaError_t cudaGetLastError() {
  cudaError_t error = stickyOr(lastError);
  lastError = cudaSuccess;
  return error;
}

GPUSCHED_API cudaError_t cudaPeekAtLastError() {
  return stickyOr(lastError);
}

GPUSCHED_API const char* cudaGetErrorName(cudaError_t error) {
  return errorText(error).name;
}

GPUSCHED_API const char* cudaGetErrorString(cudaError_t error) {
  return errorText(error).description;
}
