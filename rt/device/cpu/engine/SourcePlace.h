// SourcePlace.h - where a micro-op comes from: kernel, PTX line, line of the source file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source line is known when the program was compiled with -lineinfo (or -G). name() and at()
// say the same for a kernel and for the persistent form that gpusched-cc made of it, so that
// findings of the two can be compared.
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"

#include <string>

namespace gpusched::cpu {

class Kernel;
class LoadedModule;

/// A kernel's demangled name; that of its native form if `symbol` is a twin's.
std::string nativeKernelName(const std::string& symbol);

struct SourcePlace {
  std::string kernel;   // native name
  std::string function; // a device function the micro-op is in, or empty
  std::string file;     // empty without line information
  uint32_t line = 0;
  uint32_t ptxLine = 0;
  std::string text;   // of the PTX instruction
  std::string opcode; // with its modifiers

  /// "saxpy.cu:12", or without line information the opcode.
  std::string at() const;
  /// "kernel k(int), saxpy.cu:12, PTX line 30 `st.global.f32 ...`"
  std::string describe() const;
};

SourcePlace sourcePlace(const Kernel& kernel, const MicroOp* op);

} // namespace gpusched::cpu
