// Lookup.cpp - dlsym, so that programs that look the driver's functions up find ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All but the names of StandIns.def is the C library's business, which is reached by a tail call:
// with RTLD_NEXT the meaning of a look-up depends on the caller's address. So nothing stands behind
// that call, and where a compiler cannot be told to make it one, this file is always optimised
// (CMakeLists.txt). A name of ours is only found where the driver's is.
#include "rt/modules/Lookup.h"

#include "rt/modules/MachineCode.h"
#include "rt/modules/ModuleDriver.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>

#if __has_cpp_attribute(clang::musttail)
#define GPUSCHED_TAIL_CALL [[clang::musttail]]
#else
#define GPUSCHED_TAIL_CALL
#endif

namespace gpusched::modules {
namespace {

/// noexcept, without which a caller that is could not leave by it.
using LookupFunction = void* (*)(void*, const char*) noexcept;

/// dlsym had another version in each C library and architecture; dlvsym is not stood before.
LookupFunction findSystemLookup() {
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"})
    if (void* const found = dlvsym(RTLD_NEXT, "dlsym", version))
      return reinterpret_cast<LookupFunction>(found);
  return nullptr;
}

/// No static object: constructors of other libraries may look things up before ours have run.
std::atomic<LookupFunction> known{nullptr};

LookupFunction system() noexcept {
  LookupFunction lookup = known.load(std::memory_order_acquire);
  if (!lookup) {
    lookup = findSystemLookup();
    known.store(lookup, std::memory_order_release);
  }
  return lookup;
}

/// With RTLD_DEFAULT the first that is found is ours, whether or not there is a driver behind it.
void* findOurs(void* handle, const char* name) noexcept {
  void* const ours = standIn(name);
  void* const found = systemLookup(handle, name);
  return (found == ours ? driverSymbol(name) : found) ? ours : nullptr;
}

/// With RTLD_DEFAULT ours may be the only one so far.
void* findOfNvrtc(void* handle, const char* name) noexcept {
  void* const found = systemLookup(handle, name);
  if (handle != RTLD_DEFAULT)
    return nvrtcStandIn(handle, name, found);
  return found && found == standIn(name) && !systemLookup(RTLD_NEXT, name) ? nullptr : found;
}

void* findOfJitLink(void* handle, const char* name) noexcept {
  return jitLinkStandIn(handle, name, systemLookup(handle, name));
}

bool startsWith(const char* name, const char* prefix) {
  return std::strncmp(name, prefix, std::strlen(prefix)) == 0;
}

__attribute__((noinline)) LookupFunction choose(void* handle, const char* name) noexcept {
  if (handle == RTLD_NEXT || !name)
    return system();
  if (startsWith(name, "nvrtc"))
    return findOfNvrtc;
  if (startsWith(name, "nvJitLink") || startsWith(name, "__nvJitLink"))
    return findOfJitLink;
  return name[0] == 'c' && name[1] == 'u' && standIn(name) ? findOurs : system();
}

} // namespace

void* systemLookup(void* handle, const char* name) {
  return system()(handle, name);
}

} // namespace gpusched::modules

extern "C" __attribute__((visibility("default"))) void* dlsym(void* handle,
                                                              const char* name) noexcept {
  GPUSCHED_TAIL_CALL return gpusched::modules::choose(handle, name)(handle, name);
}
