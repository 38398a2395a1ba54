// RegisteredBinary.h - the fat binaries behind the pointer __cudaRegisterFatBinary gets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/image/FatBinary.h"

namespace gpusched::image {

/// One program image. A program without relocatable device code registers one unit per source
/// file. A device-linked program (-rdc=true) registers once: `linked` is what nvlink made
/// (a cubin, no PTX) and `units` are the source files, whose PTX must be linked with each other.
struct RegisteredBinary {
  bool relocatable = false;
  std::vector<FatBinaryEntry> linked;
  std::vector<std::vector<FatBinaryEntry>> units;
};

/// True for the wrapper structure around a fat binary.
bool isWrapper(const void* pointer);

/// One fat binary in memory: its header says how far it reaches.
Result<std::vector<FatBinaryEntry>> readFatBinaryAt(const void* data);

/// Reads the wrapper structure (magic 0x466243B1). The memory is the program's own and its
/// extent is not known, so the headers in it are trusted.
Result<RegisteredBinary> readRegisteredBinary(const void* wrapper);

} // namespace gpusched::image
