// HostCompiler.h - what the compiler behind nvcc predefines.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc lets its host compiler preprocess every file, so conditions on __GNUC__ or __clang__ are
// that compiler's to answer.
#pragma once

#include <string>
#include <vector>

namespace gpusched::cc {

/// The program that nvcc starts: `chosen` is the value of -ccbin, a program or its folder; without
/// one NVCC_CCBIN counts, then gcc.
std::string hostCompiler(const std::string& chosen);

/// What `compiler -dM -E` prints, one "#define NAME VALUE" a line; "" when it cannot be run. Of
/// `options` those count that may change it: -std, -f, -m and -O. Takes about 10 ms.
std::string predefinedMacros(const std::string& compiler, const std::vector<std::string>& options);

} // namespace gpusched::cc
