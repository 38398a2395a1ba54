// FakeNvrtc.h - an NVRTC that "compiles" files of PTX, for tests where none is installed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

static std::string ptx;

/// What it has compiled from now on.
inline void compileFile(const char* path) {
  std::ifstream file(path);
  ptx.assign(std::istreambuf_iterator<char>(file), {});
}

extern "C" {
int nvrtcGetPTXSize(void*, std::size_t* bytes) {
  *bytes = ptx.size() + 1;
  return 0;
}
int nvrtcGetPTX(void*, char* text) {
  std::memcpy(text, ptx.c_str(), ptx.size() + 1);
  return 0;
}
int nvrtcGetCUBINSize(void*, std::size_t* bytes) {
  *bytes = 4;
  return 0;
}
int nvrtcGetCUBIN(void*, char* code) {
  std::memcpy(code, "\177ELF", 4);
  return 0;
}
}
