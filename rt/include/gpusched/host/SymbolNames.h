// SymbolNames.h - Clang's and nvcc's symbols of one function.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both follow Itanium's rules, but for what is local to a file, where nvcc has
//   a hash of the file in the name of an unnamed namespace,
//   N <file> name E, or the bare name, where Clang has L name,
//   __nv_static_<n>_<file>_ in front of everything, with -rdc=true.
// Read by the headers of every program and by gpusched-cc. No state, any thread.
#pragma once

#include "Once.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

namespace gpusched {

/// The length of a name "<n>PREFIX..." in a symbol, 0 if something else is there.
GPUSCHED_ONCE static inline size_t nameAt(const char* at, const char* prefix) {
  char* end = nullptr;
  const unsigned long length = *at >= '1' && *at <= '9' ? strtoul(at, &end, 10) : 0;
  return length && !strncmp(end, prefix, strlen(prefix)) && strlen(end) >= length
             ? static_cast<size_t>(end - at) + length
             : 0;
}

/// Behind "__nv_static_<n>_<file>_", which nvcc puts in front of static kernels with -rdc=true.
GPUSCHED_ONCE static inline const char* behindFile(const char* symbol) {
  if (strncmp(symbol, "__nv_static_", 12) != 0)
    return symbol;
  char* end = nullptr;
  const unsigned long length = strtoul(symbol + 12, &end, 10);
  return strlen(end) > length + 2 ? end + length + 2 : symbol;
}

/// The length of a reference to a template parameter, or to something that was named before.
GPUSCHED_ONCE static inline size_t referenceAt(const char* at) {
  if (*at != 'S' && *at != 'T')
    return 0;
  size_t length = 1;
  while ((at[length] >= '0' && at[length] <= '9') || (at[length] >= 'A' && at[length] <= 'Z'))
    ++length;
  return at[length] == '_' ? length + 1 : 0;
}

/// Do Clang and nvcc mean the same function? Clang's may be a pattern: '?' stands for a reference,
/// '*' at the end for anything.
GPUSCHED_ONCE static inline bool sameSymbol(const char* clang, const char* symbol) {
  const char* nvcc = behindFile(symbol);
  unsigned open = 0; // E of nvcc's that Clang does not have
  while (*nvcc && *clang != '*') {
    const size_t file = *nvcc == 'N' ? nameAt(nvcc + 1, "_INTERNAL_") : 0;
    const size_t mine = nameAt(clang, "_GLOBAL__N_"), theirs = nameAt(nvcc, "_GLOBAL__N_");
    if (file) {
      if (*clang != 'L' && *clang != 'N')
        return false;
      open += *clang++ == 'L';
      nvcc += 1 + file;
    } else if (mine && theirs) {
      clang += mine;
      nvcc += theirs;
    } else if (*clang == *nvcc) {
      ++clang;
      ++nvcc;
    } else if (*clang == '?' && referenceAt(nvcc)) {
      ++clang;
      nvcc += referenceAt(nvcc);
    } else if (*nvcc == 'E' && open) {
      --open;
      ++nvcc;
    } else if (*clang == 'L' && clang[1] >= '1' && clang[1] <= '9') {
      ++clang;
    } else {
      return false;
    }
  }
  return !*clang || *clang == '*';
}

} // namespace gpusched
