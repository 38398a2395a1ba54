// BindStubs12.cpp - finds what the jumps of libgpusched_cudart12.so lead to.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs when the library is loaded, and it is preloaded: before any code of the program's. On the
// loading thread; nothing changes afterwards.
#include <dlfcn.h>

#include <cstring>

extern "C" {
extern const char gpusched_stub_names[]; ///< each with its zero, and an empty one
extern void* gpusched_stub_targets[];    ///< one for each name
}

__attribute__((constructor)) static void bindStubs() {
  void** target = gpusched_stub_targets;
  for (const char* name = gpusched_stub_names; *name != '\0'; name += std::strlen(name) + 1)
    *target++ = dlvsym(RTLD_DEFAULT, name, "libcudart.so.13");
}
