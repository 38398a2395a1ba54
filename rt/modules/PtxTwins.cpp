// PtxTwins.cpp - opens the library that makes twins, once, and asks it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/modules/PtxTwins.h"

#include "rt/modules/FileText.h"
#include "rt/modules/Lookup.h"
#include "rt/modules/ModuleDriver.h"
#include "rt/support/Environment.h"
#include "rt/support/JoinedPtx.h"
#include "rt/support/Log.h"

#include <dlfcn.h>

namespace gpusched::modules {
namespace {

gpusched_ptx_add_twins_function* openLibrary() {
  const std::string path = environment("GPUSCHED_PTX");
  if (path.empty())
    return nullptr;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = library ? systemLookup(library, GPUSCHED_PTX_ADD_TWINS_SYMBOL) : nullptr;
  if (!found)
    log(LogLevel::Warning, "no twins for PTX (%s); its kernels launch natively",
        library ? "the library of GPUSCHED_PTX makes none" : dlerror());
  return reinterpret_cast<gpusched_ptx_add_twins_function*>(found);
}

gpusched_ptx_add_twins_function* addTwins() {
  static gpusched_ptx_add_twins_function* const function = openLibrary();
  return function;
}

/// Of the device that a module is loaded for, or the first; 0 for none.
unsigned capabilityOf(const ModuleDriver& api) {
  CUdevice device = 0;
  int major = 0, minor = 0;
  if (api.cuCtxGetDevice(&device) != CUDA_SUCCESS && api.cuDeviceGet(&device, 0) != CUDA_SUCCESS)
    return 0;
  (void)api.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  (void)api.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return unsigned(major) * 10 + unsigned(minor);
}

/// Whose embedded PTX counts; 0: nobody's.
unsigned embeddedCapability() {
  static const bool embedded = environmentFlag("GPUSCHED_EMBEDDED_PTX");
  const ModuleDriver* const api = embedded ? driver(DefaultStream::Legacy) : nullptr;
  return api ? capabilityOf(*api) : 0;
}

void keep(void* context, const char* text, size_t bytes) {
  static_cast<std::string*>(context)->assign(text, bytes);
}

} // namespace

bool wantsPtxTwins() {
  return addTwins() != nullptr;
}

std::string withPtxTwins(const void* image, size_t bytes) {
  std::string text;
  if (!addTwins() || !image || isJoinedPtx(static_cast<const char*>(image)))
    return text;
  if (const int twins = addTwins()(image, bytes, embeddedCapability(), keep, &text))
    log(LogLevel::Info, "%d kernels of PTX have twins", twins);
  return text;
}

std::string fileWithPtxTwins(const char* path) {
  if (!addTwins() || !path)
    return "";
  const std::string image = fileText(path);
  return withPtxTwins(image.c_str(), image.size());
}

} // namespace gpusched::modules
