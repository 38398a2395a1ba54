// ElfFile.h - the sections and symbols of a 64-bit little-endian ELF file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enough to find sections by name and to read a symbol table: host objects, executables and
// shared objects that carry device code, and NVIDIA cubins. Nothing is relocated or loaded.
#pragma once

#include "rt/device/cpu/image/ByteView.h"
#include "rt/support/Result.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpusched::image {

struct ElfSection {
  std::string_view name;
  uint32_t type = 0, link = 0, info = 0;
  uint64_t size = 0; // of a section without bytes (.bss, .nv.shared): its size in memory
  ByteView bytes;    // empty for such a section
};

struct ElfSymbol {
  std::string_view name;
  uint8_t type = 0;  // 2 = function
  uint8_t other = 0; // of a cubin: 0x10 marks a kernel
  uint16_t section = 0;
  uint64_t value = 0, size = 0;
};

class ElfFile {
public:
  static bool hasMagic(ByteView bytes);
  /// The views point into `bytes`.
  static Result<ElfFile> read(ByteView bytes);

  uint16_t machine() const { return machine_; }
  uint8_t abiVersion() const { return abiVersion_; }
  uint32_t flags() const { return flags_; }
  const std::vector<ElfSection>& sections() const { return sections_; }
  /// The first section of that name, or null.
  const ElfSection* find(std::string_view name) const;
  /// Of .symtab, in file order; empty without one.
  std::vector<ElfSymbol> symbols() const;

private:
  uint16_t machine_ = 0;
  uint8_t abiVersion_ = 0;
  uint32_t flags_ = 0;
  std::vector<ElfSection> sections_;
  std::unordered_map<std::string_view, std::size_t> byName_; // the first of each name
};

} // namespace gpusched::image
