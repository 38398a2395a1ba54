// DriverLibrary.cpp - driver functions: libraries, their kernels, what a module holds.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUlibrary and its CUmodule are one RegisteredBinary, a CUkernel and its CUfunction one
// RegisteredKernel: a library is loaded once for the one device memory there is.
#include "rt/device/cpu/cudart/DriverCall.h"

using namespace gpusched::cudart;

static cudaLibrary_t libraryOf(CUlibrary library) {
  return reinterpret_cast<cudaLibrary_t>(library);
}

static CUfunction functionOf(CUkernel kernel) {
  return reinterpret_cast<CUfunction>(kernel);
}

GPUSCHED_DRIVER cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options,
                                  void** values, unsigned count, CUlibraryOption*, void**,
                                  unsigned) {
  emptyLogs(count, options, values);
  return driverResult(cudaLibraryLoadData(reinterpret_cast<cudaLibrary_t*>(library), code, nullptr,
                                          nullptr, 0, nullptr, nullptr, 0));
}

GPUSCHED_DRIVER cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option* options,
                                      void** values, unsigned count, CUlibraryOption*, void**,
                                      unsigned) {
  emptyLogs(count, options, values);
  return driverResult(cudaLibraryLoadFromFile(reinterpret_cast<cudaLibrary_t*>(library), path,
                                              nullptr, nullptr, 0, nullptr, nullptr, 0));
}

GPUSCHED_DRIVER cuLibraryUnload(CUlibrary library) {
  return driverResult(cudaLibraryUnload(libraryOf(library)));
}

GPUSCHED_DRIVER cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return driverResult(
      cudaLibraryGetKernel(reinterpret_cast<cudaKernel_t*>(kernel), libraryOf(library), name));
}

GPUSCHED_DRIVER cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  return driverResult(cudaLibraryGetKernelCount(count, libraryOf(library)));
}

GPUSCHED_DRIVER cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
  return driverResult(cudaLibraryEnumerateKernels(reinterpret_cast<cudaKernel_t*>(kernels), count,
                                                  libraryOf(library)));
}

GPUSCHED_DRIVER cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  if (!module)
    return CUDA_ERROR_INVALID_VALUE;
  *module = reinterpret_cast<CUmodule>(library);
  return Registry::instance().findLibrary(library) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

GPUSCHED_DRIVER cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library,
                                   const char* name) {
  return driverResult(
      cudaLibraryGetGlobal(reinterpret_cast<void**>(address), bytes, libraryOf(library), name));
}

GPUSCHED_DRIVER cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary library,
                                    const char* name) {
  return driverResult(
      cudaLibraryGetManaged(reinterpret_cast<void**>(address), bytes, libraryOf(library), name));
}

GPUSCHED_DRIVER cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  return cuLibraryGetKernelCount(count, reinterpret_cast<CUlibrary>(module));
}

GPUSCHED_DRIVER cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
  return cuLibraryEnumerateKernels(reinterpret_cast<CUkernel*>(functions), count,
                                   reinterpret_cast<CUlibrary>(module));
}

/// Code is decoded when it is first used.
GPUSCHED_DRIVER cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  *function = functionOf(kernel);
  return Registry::instance().findKernel(kernel) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

GPUSCHED_DRIVER cuKernelGetName(const char** name, CUkernel kernel) {
  return cuFuncGetName(name, functionOf(kernel));
}

GPUSCHED_DRIVER cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel,
                                     CUdevice) {
  return cuFuncGetAttribute(value, attribute, functionOf(kernel));
}

GPUSCHED_DRIVER cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                     CUdevice) {
  return cuFuncSetAttribute(functionOf(kernel), attribute, value);
}

GPUSCHED_DRIVER cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice) {
  return cuFuncSetCacheConfig(functionOf(kernel), config);
}

GPUSCHED_DRIVER cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset,
                                   size_t* bytes) {
  return driverResult(cudaFuncGetParamInfo(function, index, offset, bytes));
}

GPUSCHED_DRIVER cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
  return cuFuncGetParamInfo(functionOf(kernel), index, offset, bytes);
}

static CUresult modulesOf(const void* kernel, CUmodule* module) {
  const RegisteredKernel* const found = Registry::instance().findKernel(kernel);
  if (!found || !module)
    return found ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  *module = reinterpret_cast<CUmodule>(found->binary);
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuFuncGetModule(CUmodule* module, CUfunction function) {
  return modulesOf(function, module);
}

GPUSCHED_DRIVER cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  return modulesOf(kernel, reinterpret_cast<CUmodule*>(library));
}

GPUSCHED_DRIVER cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  if (!Registry::instance().findKernel(function))
    return CUDA_ERROR_INVALID_HANDLE;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuFuncLoad(CUfunction function) {
  CUfunctionLoadingState state;
  return cuFuncIsLoaded(&state, function);
}
