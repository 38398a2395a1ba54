// Cubin.cpp - reads and writes the ELF files that ptxas makes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   header | sections, each at its alignment | section headers | program headers
//
// The reader computes all places and program headers as the writer does and refuses a file that has
// others. One freedom is left: room behind a string table, where ptxas counts names that it does
// not write in the end.
#include "tools/gpusched-ptxas/Cubin.h"

#include "rt/device/cpu/image/ByteView.h"
#include "rt/support/RoundUp.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace gpusched::ptxas {
namespace {

using image::ByteView;

constexpr std::string_view kMagic("\x7f"
                                  "ELF\x02\x01\x01",
                                  7); // 64 bits, little endian
constexpr size_t kIdentityBytes = 16;
constexpr uint16_t kExecutableFile = 2, kCuda = 190;
constexpr uint64_t kMostAlignment = 4096;
constexpr uint64_t kMostNoBits = uint64_t(1) << 32;
constexpr uint32_t kLoad = 1, kHeaders = 6;                      // types of program headers
constexpr uint32_t kMayExecute = 1, kMayWrite = 2, kMayRead = 4; // their flags
constexpr uint64_t kHeaderAlignment = 8;

struct FileHeader {
  char identity[kIdentityBytes];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, programHeaders, sectionHeaders;
  uint32_t flags;
  uint16_t headerBytes, programHeaderBytes, programHeaderCount, sectionHeaderBytes,
      sectionHeaderCount, sectionNames;
};
struct SectionHeader {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t alignment, entrySize;
};
struct ProgramHeader {
  uint32_t type, flags;
  uint64_t offset, address, physicalAddress, fileBytes, memoryBytes, alignment;

  bool operator==(const ProgramHeader&) const = default;
};
struct SymbolRecord {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;
};
static_assert(sizeof(FileHeader) == 64 && sizeof(SectionHeader) == 64);
static_assert(sizeof(ProgramHeader) == 56 && sizeof(SymbolRecord) == kSymbolBytes);

Status refusal(const std::string& what) {
  return Status::error("not a cubin as ptxas writes it: " + what);
}

template <class T> void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// The text that starts at `at` and ends with a zero.
std::optional<std::string> textAt(ByteView table, uint64_t at) {
  const std::string_view all = table.characters();
  const size_t end = at < all.size() ? all.find('\0', at) : std::string_view::npos;
  if (end == std::string_view::npos)
    return std::nullopt;
  return std::string(all.substr(at, end - at));
}

/// A string table in the making.
class Names {
public:
  uint32_t placeOf(const std::string& name) {
    const auto [entry, isNew] = places_.try_emplace(name, static_cast<uint32_t>(table_.size()));
    if (isNew)
      table_.append(name.c_str(), name.size() + 1);
    return entry->second;
  }
  const std::string& table() const { return table_; }

private:
  std::string table_ = std::string(1, '\0');
  std::map<std::string, uint32_t> places_ = {{"", 0}};
};

/// Of the allocated sections [begin, end), which may be used in the same way. What has no bytes in
/// the file is laid out behind the place that the last such section would have there.
ProgramHeader loadOf(const std::vector<SectionHeader>& sections, size_t begin, size_t end) {
  const uint64_t start = sections[begin].offset;
  const SectionHeader& last = sections[end - 1];
  const uint64_t fileEnd = last.offset + (last.type == kNoBits ? 0 : last.size);
  uint64_t memoryEnd = fileEnd;
  for (size_t i = begin; i < end; ++i)
    if (sections[i].type == kNoBits)
      memoryEnd = roundUp(memoryEnd, sections[i].alignment) + sections[i].size;
  return {kLoad, 0, start, 0, 0, fileEnd - start, memoryEnd - start, kHeaderAlignment};
}

/// Up to sm_89 what is read only may be executed, and the headers themselves come last.
bool isOfOlderKind(const std::vector<SectionHeader>& sections) {
  return std::any_of(sections.begin(), sections.end(), [](const SectionHeader& section) {
    return section.type == kRelocationActions;
  });
}

/// What Mercury has is not loaded.
bool isLoaded(const SectionHeader& section) {
  return (section.flags & kAllocated) && !(section.flags & kMercury);
}

/// All of a file's, which are at `offset`.
std::vector<ProgramHeader> programHeaders(const std::vector<SectionHeader>& sections,
                                          uint64_t offset) {
  const bool isOlder = isOfOlderKind(sections);
  const auto permissions = [&](uint64_t flags) {
    return kMayRead | (flags & kWritable ? kMayWrite : 0) |
           ((flags & kExecutable) || (isOlder && !(flags & kWritable)) ? kMayExecute : 0);
  };
  std::vector<ProgramHeader> headers(1);
  for (size_t begin = 0, end; begin < sections.size(); begin = end) {
    end = begin + 1;
    if (!isLoaded(sections[begin]))
      continue;
    while (end < sections.size() && isLoaded(sections[end]) &&
           permissions(sections[end].flags) == permissions(sections[begin].flags))
      ++end;
    headers.push_back(loadOf(sections, begin, end));
    headers.back().flags = permissions(sections[begin].flags);
  }
  const uint64_t bytes = (headers.size() + 1) * sizeof(ProgramHeader);
  headers[0] = {kHeaders, permissions(0), offset, 0, 0, bytes, bytes, kHeaderAlignment};
  ProgramHeader own = headers[0];
  own.type = kLoad;
  headers.insert(isOlder ? headers.end() : headers.begin() + 1, own);
  return headers;
}

/// Reads one file; each step relies on those before it.
class Reader {
public:
  explicit Reader(ByteView bytes) : bytes_(bytes) {}

  Result<Cubin> read() {
    for (const auto step :
         {&Reader::readHeader, &Reader::readSectionHeaders, &Reader::checkPlaces,
          &Reader::checkProgramHeaders, &Reader::readSections, &Reader::readSymbols})
      if (Status status = (this->*step)(); !status)
        return status;
    return std::move(cubin_);
  }

private:
  /// REQUIRES: readSectionHeaders has found it inside the file.
  ByteView bytesOf(const SectionHeader& section) const {
    return section.type == kNoBits ? ByteView() : *bytes_.slice(section.offset, section.size);
  }

  Status readHeader() {
    const auto header = bytes_.read<FileHeader>(0);
    if (!header || std::string_view(header->identity, kMagic.size()) != kMagic)
      return refusal("no ELF file of 64 bits");
    if (header->type != kExecutableFile || header->machine != kCuda || header->entry != 0)
      return refusal("no executable for CUDA");
    if (header->headerBytes != sizeof(FileHeader) ||
        header->sectionHeaderBytes != sizeof(SectionHeader) ||
        header->programHeaderBytes != sizeof(ProgramHeader) ||
        header->sectionNames != kSectionNamesIndex)
      return refusal("header");
    header_ = *header;
    cubin_.identity.assign(header->identity, kIdentityBytes);
    cubin_.type = header->type;
    cubin_.machine = header->machine;
    cubin_.version = header->version;
    cubin_.flags = header->flags;
    return {};
  }

  Status readSectionHeaders() {
    for (size_t i = 0; i < header_.sectionHeaderCount; ++i) {
      const auto section =
          bytes_.read<SectionHeader>(header_.sectionHeaders + i * sizeof(SectionHeader));
      if (!section || section->address != 0 || section->alignment > kMostAlignment)
        return refusal("section header");
      const bool isInFile = section->type != kNoBits;
      if (isInFile && !bytes_.slice(section->offset, section->size))
        return refusal("section beyond the file");
      if (!isInFile && section->size > kMostNoBits)
        return refusal("section beyond memory");
      sections_.push_back(*section);
    }
    if (sections_.size() <= kSymbolsIndex || sections_[kSectionNamesIndex].type != kStringTable ||
        sections_[kNamesIndex].type != kStringTable ||
        sections_[kSymbolsIndex].type != kSymbolTable)
      return refusal("no symbols");
    return {};
  }

  /// The section in front of Mercury's `index` that has the same place in the file; 0 for none.
  size_t sameBytesAs(size_t index) const {
    const SectionHeader& section = sections_[index];
    for (size_t i = 1; (section.flags & kMercury) && i < index; ++i)
      if (sections_[i].type != kNoBits && sections_[i].offset == section.offset &&
          sections_[i].size == section.size)
        return i;
    return 0;
  }

  Status checkPlaces() {
    sharedWith_.assign(1, 0);
    uint64_t end = sizeof(FileHeader);
    if (sections_[0].offset != 0 || sections_[0].size != 0)
      return refusal("first section");
    for (size_t i = 1; i < sections_.size(); ++i) {
      const SectionHeader& section = sections_[i];
      const bool isBehindNames = i == kNamesIndex || i == kSymbolsIndex;
      const uint64_t expected = roundUp(end, section.alignment);
      sharedWith_.push_back(section.offset < expected ? sameBytesAs(i) : 0);
      if (sharedWith_.back() != 0)
        continue;
      if (isBehindNames ? section.offset < expected : section.offset != expected)
        return refusal("place of section " + std::to_string(i));
      end = section.offset + (section.type == kNoBits ? 0 : section.size);
    }
    // ptxas 13.4 and later do not align them, which nothing depends on.
    if (header_.sectionHeaders < end || header_.sectionHeaders > roundUp(end, kHeaderAlignment) ||
        header_.programHeaders !=
            header_.sectionHeaders + sections_.size() * sizeof(SectionHeader) ||
        bytes_.size() !=
            header_.programHeaders + header_.programHeaderCount * sizeof(ProgramHeader))
      return refusal("place of headers");
    return {};
  }

  Status checkProgramHeaders() {
    const std::vector<ProgramHeader> expected = programHeaders(sections_, header_.programHeaders);
    if (expected.size() != header_.programHeaderCount)
      return refusal("number of program headers");
    for (size_t i = 0; i < expected.size(); ++i)
      if (bytes_.read<ProgramHeader>(header_.programHeaders + i * sizeof(ProgramHeader)) !=
          expected[i])
        return refusal("program header " + std::to_string(i));
    return {};
  }

  Status readSections() {
    const ByteView names = bytesOf(sections_[kSectionNamesIndex]);
    for (size_t i = 0; i < sections_.size(); ++i) {
      const SectionHeader& header = sections_[i];
      const std::optional<std::string> name = textAt(names, header.name);
      if (!name)
        return refusal("name of section " + std::to_string(i));
      Section section{*name,       header.type,      header.flags,     header.link,
                      header.info, header.alignment, header.entrySize, "",
                      0,           sharedWith_[i]};
      if (i == 0 || (i > kSymbolsIndex && header.type != kMercurySymbolTable)) {
        section.bytes = bytesOf(header).characters();
        section.size = header.size;
      }
      cubin_.sections.push_back(std::move(section));
    }
    return {};
  }

  Status readSymbols() {
    if (Status status = readSymbols(sections_[kSymbolsIndex], cubin_.symbols); !status)
      return status;
    for (const SectionHeader& section : sections_)
      if (section.type == kMercurySymbolTable)
        if (Status status = cubin_.mercurySymbols.empty()
                                ? readSymbols(section, cubin_.mercurySymbols)
                                : refusal("third table of symbols");
            !status)
          return status;
    return {};
  }

  Status readSymbols(const SectionHeader& section, std::vector<Symbol>& symbols) {
    const ByteView names = bytesOf(sections_[kNamesIndex]);
    const ByteView table = bytesOf(section);
    if (table.size() % kSymbolBytes != 0)
      return refusal("number of symbols");
    for (size_t at = 0; at < table.size(); at += kSymbolBytes) {
      const auto record = table.read<SymbolRecord>(at);
      const std::optional<std::string> name = textAt(names, record->name);
      if (!name || record->section >= sections_.size())
        return refusal("symbol " + std::to_string(at / kSymbolBytes));
      symbols.push_back(
          {*name, record->info, record->other, record->section, record->value, record->size});
    }
    return {};
  }

  const ByteView bytes_;
  FileHeader header_{};
  std::vector<SectionHeader> sections_;
  std::vector<size_t> sharedWith_;
  Cubin cubin_;
};

std::string symbolTable(const std::vector<Symbol>& symbols, Names& names) {
  std::string table;
  for (const Symbol& symbol : symbols)
    append(table, SymbolRecord{names.placeOf(symbol.name), symbol.info, symbol.other,
                               symbol.section, symbol.value, symbol.size});
  return table;
}

FileHeader fileHeader(const Cubin& cubin, uint64_t sectionHeaders, size_t programHeaderCount) {
  FileHeader header{};
  cubin.identity.copy(header.identity, kIdentityBytes);
  header.type = cubin.type;
  header.machine = cubin.machine;
  header.version = cubin.version;
  header.sectionHeaders = sectionHeaders;
  header.programHeaders = sectionHeaders + cubin.sections.size() * sizeof(SectionHeader);
  header.flags = cubin.flags;
  header.headerBytes = sizeof(FileHeader);
  header.programHeaderBytes = sizeof(ProgramHeader);
  header.programHeaderCount = static_cast<uint16_t>(programHeaderCount);
  header.sectionHeaderBytes = sizeof(SectionHeader);
  header.sectionHeaderCount = static_cast<uint16_t>(cubin.sections.size());
  header.sectionNames = kSectionNamesIndex;
  return header;
}

} // namespace

Result<Cubin> readCubin(const std::string& bytes) {
  return Reader(ByteView(bytes.data(), bytes.size())).read();
}

std::string writeCubin(const Cubin& cubin) {
  Names sectionNames, names;
  std::vector<SectionHeader> headers;
  for (const Section& section : cubin.sections)
    headers.push_back({sectionNames.placeOf(section.name), section.type, section.flags, 0, 0,
                       section.size, section.link, section.info, section.alignment,
                       section.entrySize});
  const std::string symbols = symbolTable(cubin.symbols, names);
  const std::string mercurySymbols = symbolTable(cubin.mercurySymbols, names);

  std::string file(sizeof(FileHeader), '\0');
  for (size_t i = 1; i < headers.size(); ++i) {
    const std::string& bytes = i == kSectionNamesIndex                  ? sectionNames.table()
                               : i == kNamesIndex                       ? names.table()
                               : i == kSymbolsIndex                     ? symbols
                               : headers[i].type == kMercurySymbolTable ? mercurySymbols
                                                                        : cubin.sections[i].bytes;
    if (const size_t other = cubin.sections[i].sharedWith; other != 0) {
      headers[i].offset = headers[other].offset;
      continue;
    }
    file.resize(roundUp(file.size(), headers[i].alignment));
    headers[i].offset = file.size();
    if (headers[i].type != kNoBits)
      headers[i].size = bytes.size();
    file += bytes;
  }
  file.resize(roundUp(file.size(), kHeaderAlignment));
  const uint64_t sectionHeaders = file.size();
  for (const SectionHeader& header : headers)
    append(file, header);
  const std::vector<ProgramHeader> loads = programHeaders(headers, file.size());
  for (const ProgramHeader& load : loads)
    append(file, load);
  const FileHeader header = fileHeader(cubin, sectionHeaders, loads.size());
  putValue(file, 0, header);
  return file;
}

} // namespace gpusched::ptxas
