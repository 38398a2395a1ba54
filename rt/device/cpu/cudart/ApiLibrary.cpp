// ApiLibrary.cpp - modules that the program loads at run time: cudaLibrary* and cudaKernel*.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JIT and library options only tune a compiler that is not there; they are accepted and have no
// effect. A cudaLibrary_t is a RegisteredBinary, a cudaKernel_t a RegisteredKernel.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/support/Log.h"

#include <fstream>
#include <iterator>

using namespace gpusched;
using namespace gpusched::cudart;

static Registry& registry() {
  return Registry::instance();
}

static RegisteredBinary* libraryOf(cudaLibrary_t library) {
  return registry().findLibrary(library);
}

GPUSCHED_API cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code,
                                             cudaJitOption*, void**, unsigned, cudaLibraryOption*,
                                             void**, unsigned) {
  return apiCall("cudaLibraryLoadData", [&](Runtime& runtime) {
    if (!library || !code)
      return cudaErrorInvalidValue;
    RegisteredBinary* loaded = nullptr;
    cudaError_t error = registry().loadLibrary(*runtime.gpu, code, &loaded);
    *library = reinterpret_cast<cudaLibrary_t>(loaded);
    return error;
  });
}

GPUSCHED_API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path,
                                                 cudaJitOption*, void**, unsigned,
                                                 cudaLibraryOption*, void**, unsigned) {
  return apiCall("cudaLibraryLoadFromFile", [&](Runtime&) {
    std::ifstream file(path ? path : "", std::ios::binary);
    if (!file) {
      log(LogLevel::Error, "cannot open the module %s; does it exist and may it be read?",
          path ? path : "(null)");
      return cudaErrorFileNotFound;
    }
    // The end of the string ends PTX text.
    const std::string code{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return cudaLibraryLoadData(library, code.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  });
}

GPUSCHED_API cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return apiCall("cudaLibraryUnload", [&](Runtime& runtime) {
    cudaError_t error = runtime.synchronizeDevice();
    return registry().unloadLibrary(libraryOf(library)) ? error : cudaErrorInvalidResourceHandle;
  });
}

GPUSCHED_API cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library,
                                              const char* name) {
  return apiCall("cudaLibraryGetKernel", [&](Runtime&) {
    if (!kernel || !name)
      return cudaErrorInvalidValue;
    if (!libraryOf(library))
      return cudaErrorInvalidResourceHandle;
    RegisteredKernel* found = registry().findKernel(libraryOf(library), name);
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return found ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}

static cudaError_t findGlobal(const char* function, void** address, size_t* bytes,
                              cudaLibrary_t library, const char* name) {
  return apiCall(function, [&](Runtime&) {
    RegisteredBinary* binary = libraryOf(library);
    if (!binary || !name)
      return binary ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    cpu::GlobalSymbol symbol = cpu::Gpu::findGlobal(*binary->module, name);
    if (!symbol.address)
      return cudaErrorSymbolNotFound;
    if (address)
      *address = symbol.address;
    if (bytes)
      *bytes = symbol.bytes;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library,
                                              const char* name) {
  return findGlobal("cudaLibraryGetGlobal", address, bytes, library, name);
}

GPUSCHED_API cudaError_t cudaLibraryGetManaged(void** address, size_t* bytes, cudaLibrary_t library,
                                               const char* name) {
  return findGlobal("cudaLibraryGetManaged", address, bytes, library, name);
}

GPUSCHED_API cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return apiCall("cudaLibraryGetKernelCount", [&](Runtime&) {
    RegisteredBinary* binary = libraryOf(library);
    if (!binary || !count)
      return cudaErrorInvalidValue;
    *count = unsigned(registry().kernelsOf(binary).size());
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count,
                                                     cudaLibrary_t library) {
  return apiCall("cudaLibraryEnumerateKernels", [&](Runtime&) {
    RegisteredBinary* binary = libraryOf(library);
    if (!binary || !kernels)
      return cudaErrorInvalidValue;
    std::vector<RegisteredKernel*> all = registry().kernelsOf(binary);
    for (unsigned i = 0; i < count && i < all.size(); ++i)
      kernels[i] = reinterpret_cast<cudaKernel_t>(all[i]);
    return cudaSuccess;
  });
}
