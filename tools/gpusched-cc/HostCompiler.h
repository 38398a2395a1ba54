// HostCompiler.h - what the compiler behind nvcc predefines, and where it looks for headers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc lets its host compiler preprocess every file, so conditions on __GNUC__ or __clang__ are
// that compiler's to answer. Headers of its own, like GCC's omp.h, are found there and nowhere
// else.
#pragma once

#include <string>
#include <vector>

namespace gpusched::cc {

/// The program that nvcc starts: `chosen` is the value of -ccbin, a program or its folder; without
/// one NVCC_CCBIN counts, then gcc.
std::string hostCompiler(const std::string& chosen);

struct HostCompiler {
  std::string macros;               ///< one "#define NAME VALUE" a line
  std::vector<std::string> folders; ///< of system headers, in its order
};

/// Asks `compiler`; nothing when it cannot be run. Of `options` those count that may change the
/// macros: -std, -f, -m and -O. Takes about 10 ms.
HostCompiler askHostCompiler(const std::string& compiler, const std::vector<std::string>& options);

} // namespace gpusched::cc
