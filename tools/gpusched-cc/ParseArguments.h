// ParseArguments.h - nvcc's options as the parse by Clang needs them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only what changes the meaning of the source is mirrored: include folders, macros, the standard,
// a few host-compiler options. What is dropped here is still passed to nvcc.
#pragma once

#include "passes/Transform.h"
#include "tools/gpusched-cc/CommandLine.h"

namespace gpusched::cc {

/// The part of a request that is the same for every file of the command; no path, no folders.
passes::TransformRequest parseRequest(const CommandLine& line);

/// Where an input's text comes from besides its own file, told to nvcc or to the host compiler.
struct TextSources {
  std::vector<std::string> folders;     ///< of -I, -isystem, -iquote, -idirafter, in order
  std::vector<std::string> preIncludes; ///< of -include and -imacros, as written
};
TextSources textSourcesOf(const CommandLine& line);

/// Real architectures that the command compiles for, highest first: {"sm_90a", "sm_80"}. nvcc's
/// default is sm_75.
std::vector<std::string> architecturesOf(const CommandLine& line);

/// True under --default-stream per-thread, or the macro that stands for it.
bool usesPerThreadStream(const CommandLine& line);

/// True when the objects hold relocatable device code.
bool isRelocatable(const CommandLine& line);

} // namespace gpusched::cc
