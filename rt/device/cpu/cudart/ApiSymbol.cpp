// ApiSymbol.cpp - __device__, __constant__ and __managed__ variables seen from the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/Copy.h"

using namespace gpusched::cudart;

static cudaError_t resolveSymbol(Runtime& runtime, const void* symbol,
                                 RegisteredVariable** variable) {
  return Registry::instance().resolve(*runtime.gpu, symbol, variable);
}

/// One end of a copy: the symbol's storage at `offset`, if `bytes` fit there.
static cudaError_t symbolPlane(Runtime& runtime, const void* symbol, size_t bytes, size_t offset,
                               Plane& plane) {
  RegisteredVariable* variable = nullptr;
  if (cudaError_t error = resolveSymbol(runtime, symbol, &variable); error != cudaSuccess)
    return error;
  if (offset > variable->symbol.bytes || bytes > variable->symbol.bytes - offset)
    return cudaErrorInvalidValue;
  plane.base = static_cast<char*>(variable->symbol.address) + offset;
  return cudaSuccess;
}

static cudaError_t copyTo(const char* function, const void* symbol, const void* from, size_t bytes,
                          size_t offset, cudaMemcpyKind kind, cudaStream_t handle,
                          Blocking blocking) {
  return streamCall(function, handle, [&](Runtime& runtime, const StreamRef& stream) {
    Plane to;
    if (cudaError_t error = symbolPlane(runtime, symbol, bytes, offset, to); error != cudaSuccess)
      return error;
    return copyBox(runtime, stream, to, {const_cast<void*>(from), 0, 0}, {bytes, 1, 1}, kind,
                   blocking);
  });
}

static cudaError_t copyFrom(const char* function, void* to, const void* symbol, size_t bytes,
                            size_t offset, cudaMemcpyKind kind, cudaStream_t handle,
                            Blocking blocking) {
  return streamCall(function, handle, [&](Runtime& runtime, const StreamRef& stream) {
    Plane from;
    if (cudaError_t error = symbolPlane(runtime, symbol, bytes, offset, from); error != cudaSuccess)
      return error;
    return copyBox(runtime, stream, {to, 0, 0}, from, {bytes, 1, 1}, kind, blocking);
  });
}

GPUSCHED_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes,
                                            size_t offset, cudaMemcpyKind kind) {
  return copyTo("cudaMemcpyToSymbol", symbol, from, bytes, offset, kind, cudaStreamLegacy,
                Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, size_t bytes,
                                                 size_t offset, cudaMemcpyKind kind) {
  return copyTo("cudaMemcpyToSymbol", symbol, from, bytes, offset, kind, cudaStreamPerThread,
                Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                                 size_t offset, cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  return copyTo("cudaMemcpyToSymbolAsync", symbol, from, bytes, offset, kind, stream, Blocking::No);
}

GPUSCHED_API cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes,
                                              size_t offset, cudaMemcpyKind kind) {
  return copyFrom("cudaMemcpyFromSymbol", to, symbol, bytes, offset, kind, cudaStreamLegacy,
                  Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, size_t bytes,
                                                   size_t offset, cudaMemcpyKind kind) {
  return copyFrom("cudaMemcpyFromSymbol", to, symbol, bytes, offset, kind, cudaStreamPerThread,
                  Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes,
                                                   size_t offset, cudaMemcpyKind kind,
                                                   cudaStream_t stream) {
  return copyFrom("cudaMemcpyFromSymbolAsync", to, symbol, bytes, offset, kind, stream,
                  Blocking::No);
}

GPUSCHED_API cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return apiCall("cudaGetSymbolAddress", [&](Runtime& runtime) {
    RegisteredVariable* variable = nullptr;
    cudaError_t error = resolveSymbol(runtime, symbol, &variable);
    if (error == cudaSuccess)
      *address = variable->symbol.address;
    return error;
  });
}

GPUSCHED_API cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return apiCall("cudaGetSymbolSize", [&](Runtime& runtime) {
    RegisteredVariable* variable = nullptr;
    cudaError_t error = resolveSymbol(runtime, symbol, &variable);
    if (error == cudaSuccess)
      *bytes = variable->symbol.bytes;
    return error;
  });
}
