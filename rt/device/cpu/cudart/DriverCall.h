// DriverCall.h - what the driver functions share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver function is its runtime twin behind another signature: streams, events and arrays are
// the runtime's handles, a CUmodule is a RegisteredBinary, a CUfunction a RegisteredKernel, a
// CUdeviceptr a host pointer. cuda.h's macros give the exported names their _v2 endings.
#pragma once

#include "rt/device/cpu/cudart/ApiCall.h"

#include <cuda.h>

namespace gpusched::cudart {

/// Of an error that a function of the runtime has returned; cudaGetLastError() does not tell the
/// driver's. The codes agree except where the runtime tells wrong arguments apart.
inline CUresult driverResult(cudaError_t error) {
  switch (takeBackError(error)) {
  case cudaErrorInvalidSymbol:
  case cudaErrorInvalidDeviceFunction:
  case cudaErrorSymbolNotFound:
    return CUDA_ERROR_NOT_FOUND;
  case cudaErrorInvalidConfiguration:
  case cudaErrorInvalidPitchValue:
  case cudaErrorInvalidChannelDescriptor:
  case cudaErrorInvalidMemcpyDirection:
  case cudaErrorInvalidFilterSetting:
  case cudaErrorInvalidNormSetting:
    return CUDA_ERROR_INVALID_VALUE;
  default:
    return CUresult(error);
  }
}

/// Buffers for what the compiler says: it says nothing.
inline void emptyLogs(unsigned count, const CUjit_option* options, void** values) {
  for (unsigned i = 0; options && i < count; ++i)
    if (options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER)
      *static_cast<char*>(values[i]) = 0;
    else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
             options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      values[i] = nullptr; // bytes written
}

inline void* hostPointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}

} // namespace gpusched::cudart

#define GPUSCHED_DRIVER extern "C" __attribute__((visibility("default"))) CUresult
