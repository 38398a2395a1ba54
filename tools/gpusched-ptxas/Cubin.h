// Cubin.h - a cubin as values: sections and symbols, without string tables and places in the file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only what ptxas writes is read: a 64-bit ELF file whose sections follow each other as writeCubin
// puts them, and whose program headers are the ones that it would write. So what was read can be
// written back, and only string tables differ. Everything else is refused: whoever asks has ptxas
// itself to go to. Reading and writing cost a copy of the file each.
#pragma once

#include "rt/device/cpu/image/ByteView.h"
#include "rt/support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::ptxas {

/// Values of ELF's that cubins use.
inline constexpr uint32_t kSymbolTable = 2, kStringTable = 3, kRelocations = 4, kNoBits = 8,
                          kShortRelocations = 9, kRelocationActions = 0x7000000b,
                          kMercurySymbolTable = 0x70000085;
inline constexpr uint64_t kWritable = 1, kAllocated = 2, kExecutable = 4,
                          kMercury = 0x10000000;            ///< of the second cubin within one
inline constexpr uint8_t kFunction = 2, kSectionSymbol = 3; // types of symbols
inline constexpr uint8_t kLocal = 0, kGlobal = 1;           // their bindings
inline constexpr size_t kSymbolBytes = 24, kRelocationBytes = 24, kShortRelocationBytes = 16;
inline constexpr size_t kMostSections = 0xfeff; // ELF's indices above it mean something else
/// Where ptxas always puts these.
inline constexpr uint32_t kSectionNamesIndex = 1, kNamesIndex = 2, kSymbolsIndex = 3;

struct Section {
  std::string name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint32_t link = 0, info = 0;
  uint64_t alignment = 0, entrySize = 0;
  std::string bytes;     ///< empty for what the writer makes: names and symbols
  uint64_t size = 0;     ///< of the bytes, or of what has none in the file (kNoBits)
  size_t sharedWith = 0; ///< index of another, whose bytes are its own too; 0 for none

  bool operator==(const Section&) const = default;
};

struct Symbol {
  std::string name;
  uint8_t info = 0, other = 0;
  uint16_t section = 0; ///< index
  uint64_t value = 0, size = 0;

  uint8_t type() const { return info & 0xf; }
  uint8_t binding() const { return info >> 4; }
  bool operator==(const Symbol&) const = default;
};

struct Cubin {
  std::string identity; ///< the 16 bytes in front
  uint16_t type = 0, machine = 0;
  uint32_t version = 0, flags = 0;
  std::vector<Section> sections;      ///< with the empty one in front
  std::vector<Symbol> symbols;        ///< with the empty one in front
  std::vector<Symbol> mercurySymbols; ///< of a second table, from sm_100 on

  bool operator==(const Cubin&) const = default;
};

/// 0 where it does not lie inside `bytes`.
template <class T> T valueAt(std::string_view bytes, size_t at) {
  return image::ByteView(bytes.data(), bytes.size()).readOrZero<T>(at);
}

/// REQUIRES: it lies inside `bytes`.
template <class T> void putValue(std::string& bytes, size_t at, const T& value) {
  bytes.replace(at, sizeof(T), reinterpret_cast<const char*>(&value), sizeof(T));
}

/// Of a whole file; an error for what ptxas does not write so.
Result<Cubin> readCubin(const std::string& bytes);

/// The whole file. REQUIRES: sections 1 to 3 are names of sections, names of symbols and symbols.
std::string writeCubin(const Cubin& cubin);

} // namespace gpusched::ptxas
