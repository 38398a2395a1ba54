// Registrar.h - one static object per kernel: adds it to the program's list before main.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rewritten file appends the objects; the runtime finds a kernel in the list by the address
// of its host stub. Taking the address of the persistent twin of a template is also what makes
// the compiler instantiate it. Nothing is ever removed: a shared library's list is unloaded with
// the library.
#pragma once

#include "Program.h"

namespace gpusched {

/// Sizes of a kernel's parameters, so that the runtime can keep a launch's arguments. Static, since
/// a shared library that exports a static variable of an inline function is never unloaded.
template <class... Parameters>
GPUSCHED_ONCE static inline const gpusched_u32* parameterBytes(void (*)(Parameters...)) {
  static const gpusched_u32 kBytes[] = {static_cast<gpusched_u32>(sizeof(Parameters))..., 0};
  return kBytes;
}

class __attribute__((visibility("hidden"))) Registrar {
public:
  template <class Native, class Persistent>
  GPUSCHED_ONCE Registrar(Native native, Persistent persistent, const char* name, const char* file,
                          gpusched_u32 line, gpusched_u32 parameters, gpusched_u32 flags,
                          gpusched_u32 formFlags = GPUSCHED_FORM_FLAGS)
      : kernel_() {
    kernel_.native = reinterpret_cast<const void*>(native);
    kernel_.persistent = reinterpret_cast<const void*>(persistent);
    kernel_.name = name;
    kernel_.file = file;
    kernel_.line = line;
    kernel_.parameters = parameters;
    kernel_.flags = flags | formFlags;
    kernel_.parameterBytes = gpusched::parameterBytes(native);
    push(kernel_);
  }

  GPUSCHED_ONCE static void push(gpusched_kernel& kernel) {
    kernel.next = __atomic_load_n(&gpusched_program.kernels, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&gpusched_program.kernels, &kernel.next, &kernel, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
  }

private:
  gpusched_kernel kernel_;
};

} // namespace gpusched
