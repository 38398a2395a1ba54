// DriverTable.cpp - opens the driver library.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cuda/DriverTable.h"

#include <dlfcn.h>

namespace gpusched {

std::string DriverTable::text(CUresult result) const {
  const char* name = nullptr;
  if (!cuGetErrorName || cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    name = "error";
  return std::string(name) + " (" + std::to_string(int(result)) + ")";
}

Result<DriverTable> openDriver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Status::error(std::string("no NVIDIA driver: ") + dlerror());
  DriverTable table;
  const char* missing = nullptr;
#define GPUSCHED_DRIVER_SYMBOL(NAME)                                                               \
  table.NAME = reinterpret_cast<decltype(table.NAME)>(dlsym(library, #NAME));                      \
  if (!table.NAME && !missing)                                                                     \
    missing = #NAME;
#define GPUSCHED_DRIVER_OPTIONAL(NAME)                                                             \
  table.NAME = reinterpret_cast<decltype(table.NAME)>(dlsym(library, #NAME));
#include "rt/device/cuda/DriverSymbols.def"
  if (missing)
    return Status::error(std::string("libcuda.so.1 has no ") + missing +
                         "; is it NVIDIA's driver, 525 or newer?");
  return table;
}

} // namespace gpusched
