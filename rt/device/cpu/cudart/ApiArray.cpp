// ApiArray.cpp - making, freeing and asking about CUDA arrays.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Freeing waits for the device, as cudaFree does. Sparse arrays and arrays with deferred mapping
// are refused as an unknown flag.
#include "rt/device/cpu/cudart/ApiCall.h"

using namespace gpusched::cudart;

GPUSCHED_API cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc,
                                           cudaExtent extent, unsigned flags) {
  return apiCall("cudaMalloc3DArray", [&](Runtime& runtime) {
    if (!array || !desc)
      return cudaErrorInvalidValue;
    return runtime.arrays.create(*desc, extent, flags, *array);
  });
}

GPUSCHED_API cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc,
                                         size_t width, size_t height, unsigned flags) {
  return cudaMalloc3DArray(array, desc, {width, height, 0}, flags);
}

GPUSCHED_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                                  const cudaChannelFormatDesc* desc,
                                                  cudaExtent extent, unsigned levels,
                                                  unsigned flags) {
  return apiCall("cudaMallocMipmappedArray", [&](Runtime& runtime) {
    if (!array || !desc)
      return cudaErrorInvalidValue;
    return runtime.arrays.create(*desc, extent, flags, levels, *array);
  });
}

template <class Handle> static cudaError_t freeArray(const char* function, Handle array) {
  return apiCall(function, [&](Runtime& runtime) {
    if (!array)
      return cudaSuccess;
    cudaError_t error = runtime.synchronizeDevice();
    return runtime.arrays.free(array) ? error : cudaErrorInvalidValue;
  });
}

GPUSCHED_API cudaError_t cudaFreeArray(cudaArray_t array) {
  return freeArray("cudaFreeArray", array);
}

GPUSCHED_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  return freeArray("cudaFreeMipmappedArray", array);
}

GPUSCHED_API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* result,
                                                    cudaMipmappedArray_const_t array,
                                                    unsigned level) {
  return apiCall("cudaGetMipmappedArrayLevel", [&](Runtime& runtime) {
    const MipmappedArray* found = runtime.arrays.find(array);
    if (!result || !found || level >= found->levels.size())
      return cudaErrorInvalidValue;
    *result = reinterpret_cast<cudaArray_t>(found->levels[level]);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent,
                                          unsigned* flags, cudaArray_t array) {
  return apiCall("cudaArrayGetInfo", [&](Runtime& runtime) {
    const Array* found = runtime.arrays.find(array);
    if (!found)
      return cudaErrorInvalidValue;
    if (desc)
      *desc = found->description;
    if (extent)
      *extent = found->extent;
    if (flags)
      *flags = found->flags;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  if (!desc)
    return recordError("cudaGetChannelDesc", cudaErrorInvalidValue);
  return cudaArrayGetInfo(desc, nullptr, nullptr, const_cast<cudaArray_t>(array));
}

GPUSCHED_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                         cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
