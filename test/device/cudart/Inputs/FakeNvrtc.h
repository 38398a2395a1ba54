// FakeNvrtc.h - an NVRTC that "compiles" files of PTX, for tests where none is installed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "FileText.h"

#include <cstddef>
#include <cstring>
#include <string>

static std::string ptx, machineCode = "\177ELF";

/// What it has compiled from now on.
inline void compileFile(const char* path) { ptx = fileText(path); }

inline int size(const std::string& text, std::size_t* bytes) {
  *bytes = text.size() + 1;
  return 0;
}

inline int copy(const std::string& text, char* out) {
  std::memcpy(out, text.c_str(), text.size() + 1);
  return 0;
}

extern "C" {
int nvrtcGetPTXSize(void*, std::size_t* bytes) { return size(ptx, bytes); }
int nvrtcGetPTX(void*, char* text) { return copy(ptx, text); }
int nvrtcGetCUBINSize(void*, std::size_t* bytes) { return size(machineCode, bytes); }
int nvrtcGetCUBIN(void*, char* code) { return copy(machineCode, code); }
}
