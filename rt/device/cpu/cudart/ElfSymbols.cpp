// ElfSymbols.cpp - the symbols and a few facts of an ELF file, read from disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/ElfSymbols.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace gpusched::cudart {

ElfSymbols::ElfSymbols(const char* path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  struct stat facts;
  if (fstat(descriptor, &facts) == 0 && facts.st_size >= off_t(sizeof(Elf64_Ehdr))) {
    void* mapped = mmap(nullptr, size_t(facts.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped != MAP_FAILED) {
      file_ = static_cast<const char*>(mapped);
      bytes_ = size_t(facts.st_size);
    }
  }
  close(descriptor);
  if (file_)
    readSections();
}

ElfSymbols::~ElfSymbols() {
  if (file_)
    munmap(const_cast<char*>(file_), bytes_);
}

bool ElfSymbols::inFile(uint64_t offset, uint64_t bytes) const {
  return offset <= bytes_ && bytes <= bytes_ - offset;
}

void ElfSymbols::readSections() {
  const Elf64_Ehdr& header = *reinterpret_cast<const Elf64_Ehdr*>(file_);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      !inFile(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr)) ||
      header.e_shstrndx >= header.e_shnum)
    return;
  const Elf64_Shdr* sections = reinterpret_cast<const Elf64_Shdr*>(file_ + header.e_shoff);
  const Elf64_Shdr& names = sections[header.e_shstrndx];
  if (!inFile(names.sh_offset, names.sh_size))
    return;
  Table sectionNames;
  sectionNames.names = file_ + names.sh_offset;
  sectionNames.nameBytes = names.sh_size;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    if (nameIn(sectionNames, sections[i].sh_name) == ".nv_fatbin")
      hasDeviceCode_ = true;
    if (sections[i].sh_type == SHT_DYNSYM)
      dynamic_ = table(sections, header.e_shnum, sections[i]);
    if (sections[i].sh_type == SHT_SYMTAB) {
      symbols_ = table(sections, header.e_shnum, sections[i]);
      hasSymbolTable_ = symbols_.count != 0;
    }
  }
}

ElfSymbols::Table ElfSymbols::table(const Elf64_Shdr* sections, size_t count,
                                    const Elf64_Shdr& section) const {
  if (section.sh_link >= count || !inFile(section.sh_offset, section.sh_size))
    return {};
  const Elf64_Shdr& names = sections[section.sh_link];
  if (!inFile(names.sh_offset, names.sh_size))
    return {};
  return {reinterpret_cast<const Elf64_Sym*>(file_ + section.sh_offset),
          section.sh_size / sizeof(Elf64_Sym), file_ + names.sh_offset, names.sh_size};
}

std::string_view ElfSymbols::nameIn(const Table& table, uint32_t offset) const {
  if (offset >= table.nameBytes)
    return {};
  return {table.names + offset, strnlen(table.names + offset, table.nameBytes - offset)};
}

std::vector<std::string_view> ElfSymbols::imports(std::string_view prefix) const {
  std::vector<std::string_view> found;
  for (size_t i = 0; i < dynamic_.count; ++i) {
    if (dynamic_.symbols[i].st_shndx != SHN_UNDEF)
      continue;
    std::string_view name = nameIn(dynamic_, dynamic_.symbols[i].st_name);
    if (name.substr(0, prefix.size()) == prefix)
      found.push_back(name);
  }
  return found;
}

std::vector<ElfSymbol> ElfSymbols::definedFunctions(const Table& table,
                                                    std::string_view prefix) const {
  std::vector<ElfSymbol> found;
  for (size_t i = 0; i < table.count; ++i) {
    const Elf64_Sym& symbol = table.symbols[i];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
      continue;
    std::string_view name = nameIn(table, symbol.st_name);
    if (name.substr(0, prefix.size()) == prefix)
      found.push_back({name, symbol.st_value, symbol.st_size});
  }
  return found;
}

std::vector<ElfSymbol> ElfSymbols::functions(std::string_view prefix) const {
  return definedFunctions(symbols_, prefix);
}

std::vector<ElfSymbol> ElfSymbols::exportedFunctions() const {
  return definedFunctions(dynamic_, "");
}

} // namespace gpusched::cudart
