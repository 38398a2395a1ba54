// ElfFile - the sections and symbols of a 64-bit little-endian ELF file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets below are those of the System V ABI's Elf64 structures. A section whose bytes lie
// outside the file is kept with no bytes: the other sections stay readable.
#include "rt/device/cpu/image/ElfFile.h"

namespace gpusched::image {

namespace {

constexpr uint64_t kHeaderBytes = 64, kSectionHeaderBytes = 64, kSymbolBytes = 24;
constexpr uint32_t kSectionSymbols = 2, kSectionNoBits = 8;

ElfSection readSection(ByteView file, uint64_t header) {
  ElfSection section;
  section.type = file.readOrZero<uint32_t>(header + 4);
  section.size = file.readOrZero<uint64_t>(header + 32);
  section.link = file.readOrZero<uint32_t>(header + 40);
  section.info = file.readOrZero<uint32_t>(header + 44);
  if (section.type != kSectionNoBits)
    section.bytes =
        file.slice(file.readOrZero<uint64_t>(header + 24), section.size).value_or(ByteView());
  return section;
}

} // namespace

bool ElfFile::hasMagic(ByteView bytes) {
  return bytes.characters().starts_with("\x7f"
                                        "ELF");
}

Result<ElfFile> ElfFile::read(ByteView bytes) {
  constexpr uint8_t kClass64 = 2, kLittleEndian = 1;
  if (!hasMagic(bytes) || bytes.size() < kHeaderBytes)
    return Status::error("not an ELF file");
  if (bytes.data()[4] != kClass64 || bytes.data()[5] != kLittleEndian)
    return Status::error("not a 64-bit little-endian ELF file");

  ElfFile file;
  file.abiVersion_ = bytes.data()[8];
  file.machine_ = bytes.readOrZero<uint16_t>(18);
  file.flags_ = bytes.readOrZero<uint32_t>(48);
  const uint64_t table = bytes.readOrZero<uint64_t>(40);
  uint64_t count = bytes.readOrZero<uint16_t>(60);
  uint32_t names = bytes.readOrZero<uint16_t>(62);
  if (table == 0)
    return file;
  if (bytes.readOrZero<uint16_t>(58) != kSectionHeaderBytes ||
      !bytes.slice(table, kSectionHeaderBytes))
    return Status::error("the ELF section table is damaged or cut off");
  // Files with 65,280 sections and more keep the real numbers in section 0.
  const ElfSection zero = readSection(bytes, table);
  if (count == 0)
    count = zero.size;
  if (names == 0xffff)
    names = zero.link;
  if (count > bytes.size() / kSectionHeaderBytes ||
      !bytes.slice(table, count * kSectionHeaderBytes))
    return Status::error("the ELF section table is damaged or cut off");

  for (uint64_t i = 0; i < count; ++i)
    file.sections_.push_back(readSection(bytes, table + i * kSectionHeaderBytes));
  if (names >= count)
    return file;
  const ByteView nameTable = file.sections_[names].bytes;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t header = table + i * kSectionHeaderBytes;
    file.sections_[i].name = nameTable.text(bytes.readOrZero<uint32_t>(header));
    file.byName_.emplace(file.sections_[i].name, i);
  }
  return file;
}

const ElfSection* ElfFile::find(std::string_view name) const {
  const auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : &sections_[found->second];
}

std::vector<ElfSymbol> ElfFile::symbols() const {
  std::vector<ElfSymbol> symbols;
  for (const ElfSection& table : sections_) {
    if (table.type != kSectionSymbols || table.name != ".symtab" || table.link >= sections_.size())
      continue;
    for (uint64_t at = 0; at + kSymbolBytes <= table.bytes.size(); at += kSymbolBytes) {
      ElfSymbol symbol;
      symbol.name = sections_[table.link].bytes.text(table.bytes.readOrZero<uint32_t>(at));
      symbol.type = table.bytes.readOrZero<uint8_t>(at + 4) & 0xf;
      symbol.other = table.bytes.readOrZero<uint8_t>(at + 5);
      symbol.section = table.bytes.readOrZero<uint16_t>(at + 6);
      symbol.value = table.bytes.readOrZero<uint64_t>(at + 8);
      symbol.size = table.bytes.readOrZero<uint64_t>(at + 16);
      symbols.push_back(symbol);
    }
    break;
  }
  return symbols;
}

} // namespace gpusched::image
