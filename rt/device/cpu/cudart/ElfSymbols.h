// ElfSymbols.h - the symbols and a few facts of an ELF file, read from disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enough to find a statically linked CUDA runtime in a program: .symtab is not mapped at run time,
// so the file is read. Used before libstdc++ is initialised: no iostreams, no locale.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::cudart {

struct ElfSymbol {
  std::string_view name; // into the mapped file
  uint64_t value = 0;    // address as linked, without the load offset
  uint64_t bytes = 0;
};

class ElfSymbols {
public:
  /// An unreadable or foreign file leaves everything empty.
  explicit ElfSymbols(const char* path);
  ~ElfSymbols();
  ElfSymbols(const ElfSymbols&) = delete;
  ElfSymbols& operator=(const ElfSymbols&) = delete;

  bool hasSymbolTable() const { return hasSymbolTable_; }
  /// nvcc's device code is in sections that `strip` keeps.
  bool hasDeviceCode() const { return hasDeviceCode_; }
  /// Names with this prefix that the dynamic symbol table wants from other objects.
  std::vector<std::string_view> imports(std::string_view prefix) const;
  /// Functions of .symtab that are defined here and whose name starts with `prefix`.
  std::vector<ElfSymbol> functions(std::string_view prefix) const;
  /// All functions that a shared object exports.
  std::vector<ElfSymbol> exportedFunctions() const;

private:
  struct Table {
    const Elf64_Sym* symbols = nullptr;
    size_t count = 0;
    const char* names = nullptr;
    size_t nameBytes = 0;
  };
  void readSections();
  std::vector<ElfSymbol> definedFunctions(const Table& table, std::string_view prefix) const;
  Table table(const Elf64_Shdr* sections, size_t count, const Elf64_Shdr& section) const;
  std::string_view nameIn(const Table& table, uint32_t offset) const;
  bool inFile(uint64_t offset, uint64_t bytes) const;

  const char* file_ = nullptr;
  size_t bytes_ = 0;
  bool hasSymbolTable_ = false, hasDeviceCode_ = false;
  Table symbols_, dynamic_;
};

} // namespace gpusched::cudart
