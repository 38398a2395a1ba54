// FatBinary.h - the device code that nvcc and clang put into a host program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fat binary is a 16-byte header (magic 0xBA55ED50) and entries, each PTX or a cubin (or an
// intermediate form) for one architecture, stored plainly or compressed. Programs of several
// source files concatenate them. Everything here is bounds-checked: arbitrary bytes give an
// error, never a crash. Entries point into the bytes they were read from.
#pragma once

#include "rt/device/cpu/image/ByteView.h"
#include "rt/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpusched::image {

enum class ImageKind : uint8_t { Ptx, Elf, Other };
enum class Compression : uint8_t { None, Lz4, Zstd };

struct FatBinaryEntry {
  ImageKind kind = ImageKind::Other;
  unsigned sm = 0;  // 90 for compute_90 and sm_90
  char variant = 0; // 'a' of sm_90a, 'f' of sm_100f, or 0
  Compression compression = Compression::None;
  uint64_t bytes = 0;     // after decompression
  std::string sourceName; // "axpy.cu", only with -lineinfo or -G
  std::string options;    // ptxas options recorded for PTX: "--compile-only"
  ByteView stored;
  uint64_t togetherBytes = 0; // of all images that `stored` holds in one, after decompression; or 0
  uint64_t begin = 0;         // of this one among them
};

/// True when the bytes start with a fat binary's header.
bool isFatBinary(ByteView bytes);

/// All entries of one or several concatenated fat binaries (an .nv_fatbin section).
Result<std::vector<FatBinaryEntry>> readFatBinaries(ByteView bytes);

/// The entry's PTX text or cubin, decompressed.
Result<std::string> unpack(const FatBinaryEntry& entry);

/// "PTX compute_90" or "ELF sm_90a".
std::string describe(const FatBinaryEntry& entry);

} // namespace gpusched::image
