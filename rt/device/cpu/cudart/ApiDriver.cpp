// ApiDriver.cpp - finding driver functions by name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program reaches a driver function in three ways, and gets ours in each: linked with libcuda
// (`gpusched run` preloads a library of that soname; the functions are exported from here),
// through cuGetProcAddress, through cudaGetDriverEntryPoint. Stream 0 is the legacy stream in all.
#include "rt/device/cpu/cudart/DriverCall.h"
#include "rt/device/cpu/cudart/DriverOlderForms.h"

#include <cstring>

using namespace gpusched::cudart;

// Of cudaProfiler.h, which not every toolkit has.
extern "C" CUresult cuProfilerStart();
extern "C" CUresult cuProfilerStop();

namespace {
struct EntryPoint {
  const char* name;
  void* function;
};
} // namespace

/// The operand of # is not expanded, so the name is the one without _v2.
#define GPUSCHED_ENTRY(NAME) EntryPoint{#NAME, address(NAME)},

/// Null: a function, or a form of it, that we lack.
static void* findEntryPoint(const char* name, int version) {
  if (const std::optional<void*> older = olderForm(name, version))
    return *older;
  static const EntryPoint kEntryPoints[] = {
#include "rt/device/cpu/cudart/DriverEntryPoints.def"
  };
  for (const EntryPoint& entry : kEntryPoints)
    if (std::strcmp(entry.name, name) == 0)
      return entry.function;
  return nullptr;
}

GPUSCHED_DRIVER cuGetProcAddress(const char* name, void** function, int version, cuuint64_t,
                                 CUdriverProcAddressQueryResult* status) {
  if (!name || !function)
    return CUDA_ERROR_INVALID_VALUE;
  *function = findEntryPoint(name, version);
  if (status)
    *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/// An unknown name is no error when the caller asked for the status, as in CUDA.
GPUSCHED_API cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function,
                                                          unsigned version, unsigned long long,
                                                          cudaDriverEntryPointQueryResult* status) {
  return apiQuery("cudaGetDriverEntryPointByVersion", [&] {
    if (!name || !function)
      return cudaErrorInvalidValue;
    *function = findEntryPoint(name, int(version));
    if (status)
      *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return *function || status ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}

GPUSCHED_API cudaError_t cudaGetDriverEntryPoint(const char* name, void** function,
                                                 unsigned long long flags,
                                                 cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

// The functions handed out take stream 0 as the legacy stream either way.
GPUSCHED_API cudaError_t cudaGetDriverEntryPoint_ptsz(const char* name, void** function,
                                                      unsigned long long flags,
                                                      cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

GPUSCHED_API cudaError_t cudaGetDriverEntryPointByVersion_ptsz(
    const char* name, void** function, unsigned version, unsigned long long flags,
    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, version, flags, status);
}
