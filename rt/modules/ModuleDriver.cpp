// ModuleDriver.cpp - finds the driver's functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcuda.so.1 is never closed. It is opened at the program's first call of a function of ours that
// forwards to it, so a program without CUDA does not load it.
#include "rt/modules/ModuleDriver.h"

#include "rt/modules/Lookup.h"
#include "rt/support/Log.h"

#include <dlfcn.h>

namespace gpusched::modules {
namespace {

using GetProcAddress = CUresult (*)(const char*, void**, int, cuuint64_t,
                                    CUdriverProcAddressQueryResult*);

struct Request {
  const char* name;
  int version;
  void** function;
};

const char* fill(ModuleDriver& table, DefaultStream kind) {
  const auto getProcAddress = reinterpret_cast<GetProcAddress>(driverSymbol("cuGetProcAddress_v2"));
  if (!getProcAddress)
    return "cuGetProcAddress_v2";
  const cuuint64_t flags = kind == DefaultStream::PerThread
                               ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                               : CU_GET_PROC_ADDRESS_LEGACY_STREAM;
  const Request requests[] = {
#define GPUSCHED_DRIVER_FUNCTION(NAME, VERSION)                                                    \
  {#NAME, VERSION, reinterpret_cast<void**>(&table.NAME)},
#include "rt/modules/ModuleDriver.def"
  };
  for (const Request& request : requests)
    if (getProcAddress(request.name, request.function, request.version, flags, nullptr) !=
            CUDA_SUCCESS ||
        !*request.function)
      return request.name;
  return nullptr;
}

const ModuleDriver* open(DefaultStream kind) {
  ModuleDriver* const table = new ModuleDriver; // in use until the process ends
  const char* const missing = fill(*table, kind);
  if (!missing)
    return table;
  log(LogLevel::Info, "the driver has no %s; kernels of modules launch natively", missing);
  delete table;
  return nullptr;
}

} // namespace

void* driverSymbol(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  void* const found = library ? systemLookup(library, name) : nullptr;
  // The cpu device's libcuda.so.1 has our own functions in front.
  return found && found == standIn(name) ? systemLookup(RTLD_NEXT, name) : found;
}

const ModuleDriver* driver(DefaultStream kind) {
  if (kind == DefaultStream::PerThread) {
    static const ModuleDriver* const perThread = open(kind);
    return perThread;
  }
  static const ModuleDriver* const legacy = open(kind);
  return legacy;
}

} // namespace gpusched::modules
