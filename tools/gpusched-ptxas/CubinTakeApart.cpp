// CubinTakeApart.cpp - whose what is in a cubin.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections are a function's by their names, symbols by their sections, attributes, calls and call
// frames by the symbols that they name. What is listed below is all that is known; an index of a
// symbol in anything else would be wrong after a merge, so anything else is refused. Linear in the
// cubin but for maps of names.
#include "tools/gpusched-ptxas/CubinAttributes.h"
#include "tools/gpusched-ptxas/CubinParts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace gpusched::ptxas {
namespace {

/// What a function's sections are called in front of its name.
constexpr std::string_view kFunctionSections[] = {
    ".text.",      ".nv.info.",           ".nv.shared.", ".nv.constant0.",    ".nv.constant2.",
    ".rela.text.", ".rela.nv.constant2.", ".rel.text.",  ".rel.nv.constant2."};

/// Sections that a cubin has one of.
constexpr std::string_view kModuleSections[] = {"",
                                                ".shstrtab",
                                                ".strtab",
                                                ".symtab",
                                                ".debug_frame",
                                                kInlinedNames,
                                                kPtxTextName,
                                                ".nv.info",
                                                ".nv.compat",
                                                ".nv.callgraph",
                                                ".note.nv.tkinfo",
                                                ".note.nv.cuinfo",
                                                ".nv.constant3",
                                                ".nv.constant4",
                                                ".nv.global",
                                                ".nv.global.init",
                                                ".nv.shared.reserved.0",
                                                ".rela.nv.constant4",
                                                ".rela.nv.global.init",
                                                ".nv.rel.action",
                                                ".rel.nv.constant4",
                                                ".rel.nv.global.init",
                                                ".rel.debug_frame",
                                                ".rela.debug_frame"};

/// How an attribute refers to symbols.
enum class Symbols { None, First, All };

struct Attribute {
  uint8_t format, code;
  Symbols symbols;
};
constexpr uint8_t kRegisterCount = 0x2f, kFrameSize = 0x11, kLeastStack = 0x12;

/// Attributes of functions.
constexpr Attribute kAttributes[] = {
    {kSizedFormat, 0x05, Symbols::None},  // most threads of a block
    {kSizedFormat, 0x0a, Symbols::First}, // bank of parameters
    {kSizedFormat, 0x0f, Symbols::All},   // functions of the driver
    {kSizedFormat, 0x10, Symbols::None},  // threads of a block
    {kSizedFormat, 0x17, Symbols::None},  // a parameter
    {kHalfFormat, 0x19, Symbols::None},   // bytes of parameters
    {kHalfFormat, 0x1b, Symbols::None},   // most registers
    {kSizedFormat, 0x1c, Symbols::None},  // places of exits
    {kSizedFormat, 0x1e, Symbols::None},  // stack of calls
    {kSizedFormat, 0x28, Symbols::None},  // places of instructions for groups of threads
    {kSizedFormat, 0x29, Symbols::None},  // their masks' registers
    {kSizedFormat, 0x31, Symbols::None},  // places of instructions for whole warps
    {kSizedFormat, 0x34, Symbols::None},  // places and targets of indirect branches
    {kSizedFormat, 0x36, Symbols::None},  // about the hardware's bugs
    {kSizedFormat, 0x37, Symbols::None},  // version of the API
    {kHalfFormat, 0x38, Symbols::None},   // number of barriers in memory
    {kSizedFormat, 0x39, Symbols::None},  // places of their instructions
    {kSizedFormat, 0x3d, Symbols::None},  // blocks of a cluster
    {kSizedFormat, 0x44, Symbols::None},
    {kSizedFormat, 0x45, Symbols::None}, // a parameter, where there are large ones
    {kSizedFormat, 0x46, Symbols::None}, // places of system calls
    {kByteFormat, 0x4a, Symbols::None},
    {kByteFormat, 0x4c, Symbols::None}, // number of barriers
    {kHalfFormat, 0x50, Symbols::None},
    {kSizedFormat, 0x55, Symbols::None}, // places of calls where registers are limited
    {kSizedFormat, 0x5a, Symbols::None}, // of Mercury, the same for all
    {kHalfFormat, 0x5f, Symbols::None},
    {kSizedFormat, 0x66, Symbols::None}, // language, from 13.2 on
    {kHalfFormat, 0x6b, Symbols::None},  // about the hardware's bugs
    {kByteFormat, 0x6d, Symbols::None},  // does it let successors begin
};

Status refusal(const std::string& what) {
  return Status::error("cubin not understood: " + what);
}

std::string hexadecimal(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", value);
  return text;
}

constexpr size_t kRelocationSymbolAt = 12; // behind place and type

/// Of one of a section's; 0 for other sections.
size_t relocationBytes(const Section& section) {
  return section.type == kRelocations        ? kRelocationBytes
         : section.type == kShortRelocations ? kShortRelocationBytes
                                             : 0;
}

bool isOfFrames(const std::string& name) {
  return name == ".rela.debug_frame" || name == ".rel.debug_frame";
}

bool isOfLines(const std::string& name) {
  return lineTableOf(name) != kLineTables || relocatedLineTable(name) != kLineTables;
}

/// "name" for "$__internal_12_$name".
std::optional<std::string> withoutNumber(const std::string& name) {
  constexpr std::string_view kInternal = "$__internal_";
  if (!name.starts_with(kInternal))
    return std::nullopt;
  const size_t end = name.find_first_not_of("0123456789", kInternal.size());
  if (end == std::string::npos || end == kInternal.size() || name.compare(end, 2, "_$") != 0)
    return std::nullopt;
  return name.substr(end + 2);
}

class Taking {
public:
  explicit Taking(const Cubin& cubin) : cubin_(cubin) {}

  Result<CubinParts> take() {
    for (const auto step : {&Taking::findFunctions, &Taking::findOwners, &Taking::takeSymbols,
                            &Taking::takeSections, &Taking::takeAttributes, &Taking::takeCalls,
                            &Taking::takeFrames, &Taking::takeFrameRelocations, &Taking::takeLines})
      if (Status status = (this->*step)(); !status)
        return status;
    return std::move(parts_);
  }

private:
  static constexpr size_t kNone = SIZE_MAX;

  Status findFunctions() {
    parts_.header = cubin_;
    parts_.header.sections.clear();
    parts_.header.symbols.clear();
    for (const Section& section : cubin_.sections) {
      const std::string name = withoutPrefix(section.name, ".text.");
      if (name.empty())
        continue;
      if (!functions_.emplace(name, parts_.functions.size()).second)
        return refusal("two functions " + name);
      parts_.functions.push_back({});
      parts_.functions.back().name = name;
    }
    return parts_.functions.empty() ? refusal("no functions") : Status();
  }

  /// Function that a section is of; kNone for one of the module.
  std::optional<size_t> ownerOf(const Section& section) const {
    for (const std::string_view prefix : kFunctionSections)
      if (const auto function = functions_.find(withoutPrefix(section.name, std::string(prefix)));
          function != functions_.end())
        return function->second;
    return isOfLines(section.name) ||
                   std::count(std::begin(kModuleSections), std::end(kModuleSections), section.name)
               ? std::optional(kNone)
               : std::nullopt;
  }

  Status findOwners() {
    std::set<std::string> names;
    for (const Section& section : cubin_.sections) {
      const std::optional<size_t> owner = ownerOf(section);
      if (!owner)
        return refusal("section " + section.name);
      if (!names.insert(section.name).second)
        return refusal("two sections " + section.name);
      owners_.push_back(*owner);
    }
    return {};
  }

  PartSymbol named(const Symbol& symbol) const {
    PartSymbol part{"", symbol, cubin_.sections[symbol.section].name, false};
    part.symbol.section = 0;
    if (const auto name = withoutNumber(symbol.name); name && owners_[symbol.section] != kNone) {
      part.symbol.name = *name;
      part.isNumbered = true;
    }
    for (const std::string& text :
         {part.section, part.symbol.name, std::to_string(symbol.value), std::to_string(symbol.size),
          std::to_string(symbol.info), std::to_string(symbol.other)})
      part.key += text + '\n';
    return part;
  }

  Status takeSymbols() {
    std::set<std::string> keys;
    for (const Symbol& symbol : cubin_.symbols) {
      symbols_.push_back(named(symbol));
      if (!keys.insert(symbols_.back().key).second)
        return refusal("two symbols " + symbol.name);
    }
    std::vector<PartSymbol>* block = &parts_.firstSymbols;
    size_t function = kNone;
    for (size_t i = 0; i < symbols_.size(); ++i) {
      const PartSymbol& part = symbols_[i];
      const size_t owner = owners_[cubin_.symbols[i].section];
      const bool isSection = part.symbol.type() == kSectionSymbol;
      const bool isFunction = isFunctionItself(part);
      if (isFunction)
        parts_.functions[owner].symbol = part.key;
      if (isFunction && part.symbol.binding() != kLocal)
        block = &parts_.functions[function = owner].globals;
      else if (isFunction || (isSection && part.section.starts_with(".text.")))
        block = &parts_.functions[function = owner].locals;
      else if (isSection && owner != kNone && part.section.starts_with(".nv.constant0.") &&
               !parts_.lastLocals.empty()) // the older kind has it among the locals
        block = &parts_.functions[function = owner].constants;
      else if (isSection && part.section == ".debug_frame") {
        block = &parts_.lastLocals;
        function = kNone;
      }
      if (owner != kNone && owner != function)
        return refusal("place of symbol " + part.symbol.name);
      const bool isOfFirst = block == &parts_.lastLocals && isOfReserve(part);
      (isOfFirst ? parts_.functions.front().globals : *block).push_back(part);
    }
    for (const FunctionParts& parts : parts_.functions)
      if (parts.symbol.empty())
        return refusal("no symbol of " + parts.name);
    return {};
  }

  /// Function that a symbol is of; kNone for the module's, and for what is no symbol.
  size_t functionOf(uint32_t symbol) const {
    return symbol < symbols_.size() ? owners_[cubin_.symbols[symbol].section] : kNone;
  }

  Status refer(Piece& piece, size_t at) const {
    const uint32_t symbol = valueAt<uint32_t>(piece.bytes, at);
    if (symbol >= symbols_.size())
      return refusal("index of a symbol");
    piece.references.push_back({at, symbols_[symbol].key});
    piece.bytes.replace(at, sizeof(symbol), sizeof(symbol), '\0');
    return {};
  }

  Result<Piece> attributesOf(const Section& section) const {
    Piece piece{section.bytes, {}};
    for (size_t at = 0; at < piece.bytes.size();) {
      const std::optional<ListedAttribute> listed = attributeAt(piece.bytes, at);
      if (!listed)
        return refusal("attributes in " + section.name);
      at = listed->end;
      if (listed->format == kNoFormat)
        continue; // holds nothing
      const auto known = std::find_if(
          std::begin(kAttributes), std::end(kAttributes), [&](const Attribute& attribute) {
            return attribute.code == listed->code && attribute.format == listed->format;
          });
      if (known == std::end(kAttributes))
        return refusal("attribute " + hexadecimal(listed->code) + " of format " +
                       std::to_string(listed->format));
      const size_t last = known->symbols == Symbols::None    ? listed->value
                          : known->symbols == Symbols::First ? listed->value + sizeof(uint32_t)
                                                             : listed->end;
      if (last > listed->end || (last - listed->value) % sizeof(uint32_t) != 0)
        return refusal("size of attribute " + hexadecimal(listed->code));
      for (size_t word = listed->value; word < last; word += sizeof(uint32_t))
        if (Status status = refer(piece, word); !status)
          return status;
    }
    return piece;
  }

  Result<Piece> relocationsOf(const Section& section, size_t owner) const {
    Piece piece{section.bytes, {}};
    const size_t bytes = relocationBytes(section);
    if (bytes == 0 || piece.bytes.size() % bytes != 0)
      return refusal("relocations in " + section.name);
    for (size_t at = 0; at < piece.bytes.size(); at += bytes) {
      const size_t function = functionOf(valueAt<uint32_t>(piece.bytes, at + kRelocationSymbolAt));
      if (function != kNone && function != owner)
        return refusal("relocation to a function in " + section.name);
      if (Status status = refer(piece, at + kRelocationSymbolAt); !status)
        return status;
    }
    return piece;
  }

  /// Made anew out of functions' parts, or by the writer.
  static bool isCollected(const std::string& name) {
    return isOfLines(name) || name.empty() || name == ".shstrtab" || name == ".strtab" ||
           name == ".symtab" || name == ".debug_frame" || isOfFrames(name) || name == ".nv.info" ||
           name == ".nv.callgraph";
  }

  Result<Piece> contentOf(const Section& section, size_t owner) const {
    if (isCollected(section.name))
      return Piece();
    if (section.name.starts_with(".nv.info."))
      return attributesOf(section);
    if (section.name.starts_with(".rel"))
      return relocationsOf(section, owner);
    return Piece{section.bytes, {}};
  }

  Status takeSections() {
    for (size_t i = 0; i < cubin_.sections.size(); ++i) {
      const Section& section = cubin_.sections[i];
      const Result<Piece> content = contentOf(section, owners_[i]);
      if (!content)
        return content.status();
      PartSection part{section, *content};
      if (section.name != ".note.nv.cuinfo") // numbers of the format
        part.header.link = part.header.info = 0;
      if (section.name.starts_with(".text."))
        part.header.info = section.info & kRegistersInInfo;
      part.header.bytes.clear();
      if (isCollected(section.name))
        part.header.size = 0;
      auto& sections =
          owners_[i] == kNone ? parts_.sections : parts_.functions[owners_[i]].sections;
      sections.push_back(std::move(part));
      if (isCollected(section.name))
        collected_[section.name] = section.bytes;
      if (section.name == kLineTableNames[1])
        parts_.hasInlinedRows = cubin_.sections[i - 1].name == kInlinedNames;
      if (const size_t table = relocatedLineTable(section.name); table != kLineTables) {
        parts_.lineRelocationBytes[table] = relocationBytes(section);
        lineRelocations_[table] = section.bytes;
      }
      if (isOfFrames(section.name)) {
        frameRelocations_ = section.bytes;
        parts_.frameRelocationBytes = relocationBytes(section);
        if (parts_.frameRelocationBytes == 0 ||
            section.bytes.size() % parts_.frameRelocationBytes != 0)
          return refusal("relocations of call frames");
      }
    }
    return {};
  }

  /// The module's: registers and frames by function, then stacks.
  Status takeAttributes() {
    const std::string& list = collected_[".nv.info"];
    size_t function = kNone;
    for (size_t at = 0; at < list.size();) {
      const std::optional<ListedAttribute> listed = attributeAt(list, at);
      if (!listed || listed->format != kSizedFormat || listed->end - at != 3 * sizeof(uint32_t))
        return refusal("the module's attributes");
      const size_t owner = functionOf(valueAt<uint32_t>(list, listed->value));
      if (listed->code == kRegisterCount)
        function = owner;
      else if (listed->code != kFrameSize && listed->code != kLeastStack)
        return refusal("the module's attribute " + hexadecimal(listed->code));
      const bool isStack = listed->code == kLeastStack;
      if (owner == kNone || (!isStack && owner != function))
        return refusal("whose attribute " + hexadecimal(listed->code) + " is");
      Piece piece{list.substr(at, listed->end - at), {}};
      if (Status status = refer(piece, listed->value - at); !status)
        return status;
      FunctionParts& parts = parts_.functions[owner];
      (isStack ? parts.stack : parts.registers).append(piece);
      at = listed->end;
    }
    return {};
  }

  Status takeCalls() {
    constexpr size_t kRow = 2 * sizeof(uint32_t);
    const std::string& rows = collected_[".nv.callgraph"];
    size_t kind = kNone;
    for (size_t at = 0; at < rows.size(); at += kRow) {
      if (rows.size() - at < kRow)
        return refusal("size of the call graph");
      if (valueAt<uint32_t>(rows, at) == 0) {
        kind = ~valueAt<uint32_t>(rows, at + sizeof(uint32_t));
        if (kind >= kCallKinds)
          return refusal("division of the call graph");
        continue;
      }
      const size_t owner = functionOf(valueAt<uint32_t>(rows, at));
      if (kind != 0 || owner == kNone)
        return refusal("call graph");
      Piece piece{rows.substr(at, kRow), {}};
      for (const size_t word : {size_t(0), sizeof(uint32_t)})
        if (Status status = refer(piece, word); !status)
          return status;
      parts_.functions[owner].calls[kind].append(piece);
    }
    return {};
  }

  /// Symbol that each place of the call frames is relocated to.
  Result<std::map<uint64_t, uint32_t>> relocatedFrames() {
    std::map<uint64_t, uint32_t> symbols;
    for (size_t at = 0; at < frameRelocations_.size(); at += parts_.frameRelocationBytes)
      if (!symbols
               .emplace(valueAt<uint64_t>(frameRelocations_, at),
                        valueAt<uint32_t>(frameRelocations_, at + kRelocationSymbolAt))
               .second)
        return refusal("two relocations of one place");
    return symbols;
  }

  /// Entries: a common one in front of those that refer to it, which name their function.
  Status takeFrames() {
    constexpr size_t kLengthBytes = 12, kLeastEntry = 16;
    const Result<std::map<uint64_t, uint32_t>> symbols = relocatedFrames();
    if (!symbols)
      return symbols.status();
    const std::string& entries = collected_[".debug_frame"];
    size_t begin = 0; // of those whose function is not known yet
    for (size_t at = 0; at < entries.size();) {
      if (entries.size() - at < kLengthBytes + kLeastEntry ||
          valueAt<uint32_t>(entries, at) != UINT32_MAX)
        return refusal("call frames");
      const uint64_t length = valueAt<uint64_t>(entries, at + sizeof(uint32_t));
      if (length < kLeastEntry || length > entries.size() - at - kLengthBytes)
        return refusal("length of a call frame");
      const size_t end = at + kLengthBytes + length;
      if (valueAt<uint64_t>(entries, at + kLengthBytes) != UINT64_MAX) {
        const auto symbol = symbols->find(at + kLengthBytes + sizeof(uint64_t));
        const size_t owner = symbol == symbols->end() ? kNone : functionOf(symbol->second);
        if (owner == kNone)
          return refusal("whose call frame it is");
        if (Status status = addFrames(owner, begin, at + kLengthBytes, end); !status)
          return status;
        begin = end;
      }
      at = end;
    }
    return begin == entries.size() ? Status() : refusal("call frames of none");
  }

  /// Entries [begin, end), the last of which has the place of another at `place`.
  Status addFrames(size_t owner, size_t begin, size_t place, size_t end) {
    const std::string& entries = collected_[".debug_frame"];
    const auto [first, isNew] = frameBegins_.emplace(owner, begin);
    Frames& frames = parts_.functions[owner].frames;
    const uint64_t other = valueAt<uint64_t>(entries, place);
    if (begin - first->second != frames.entries.bytes.size() || other < first->second ||
        other >= end)
      return refusal("order of call frames");
    const uint64_t moved = other - first->second;
    frames.entries.bytes += entries.substr(begin, end - begin);
    frames.entryPlaces.push_back(place - first->second);
    putValue(frames.entries.bytes, frames.entryPlaces.back(), moved);
    return {};
  }

  Status takeFrameRelocations() {
    const size_t bytes = parts_.frameRelocationBytes;
    for (size_t at = 0; at < frameRelocations_.size(); at += bytes) {
      Piece piece{frameRelocations_.substr(at, bytes), {}};
      const size_t owner = functionOf(valueAt<uint32_t>(piece.bytes, kRelocationSymbolAt));
      const auto begin = frameBegins_.find(owner);
      if (begin == frameBegins_.end())
        return refusal("relocation of a call frame");
      Frames& frames = parts_.functions[owner].frames;
      const uint64_t moved = valueAt<uint64_t>(piece.bytes, 0) - begin->second;
      if (moved >= frames.entries.bytes.size())
        return refusal("relocation beyond a function's call frames");
      putValue(piece.bytes, 0, moved);
      if (Status status = refer(piece, kRelocationSymbolAt); !status)
        return status;
      frames.relocations.append(piece);
    }
    return {};
  }

  Status takeLines() {
    for (size_t table = 0; table < kLineTables; ++table)
      if (const auto bytes = collected_.find(kLineTableNames[table]); bytes != collected_.end())
        if (Status status = takeLines(table, bytes->second); !status)
          return status;
    return {};
  }

  /// Each sequence begins with the address of its function, which is relocated.
  Status takeLines(size_t table, const std::string& bytes) {
    const Result<LineSequences> sequences = sequencesOf(bytes);
    if (!sequences)
      return sequences.status();
    parts_.lineHeaders[table] =
        bytes.substr(kUnitLengthBytes, sequences->headerEnd - kUnitLengthBytes);
    const size_t each = parts_.lineRelocationBytes[table];
    const std::string& relocations = lineRelocations_[table];
    if (relocations.size() != each * sequences->ends.size())
      return refusal("relocations of lines");
    std::map<uint64_t, size_t> places; // up to sm_89 the last one is the first
    for (size_t at = 0; at < relocations.size(); at += each)
      places.emplace(valueAt<uint64_t>(relocations, at), at);
    size_t begin = sequences->headerEnd;
    for (const size_t end : sequences->ends) {
      const auto place = places.lower_bound(begin);
      if (place == places.end() || place->first >= end)
        return refusal("lines of none");
      Piece piece{relocations.substr(place->second, each), {}};
      const size_t owner = functionOf(valueAt<uint32_t>(piece.bytes, kRelocationSymbolAt));
      if (owner == kNone)
        return refusal("whose lines they are");
      Lines& lines = parts_.functions[owner].lines[table];
      const uint64_t moved = place->first - begin + lines.rows.size();
      putValue(piece.bytes, 0, moved);
      if (Status status = refer(piece, kRelocationSymbolAt); !status)
        return status;
      lines.relocations.append(piece);
      lines.rows += bytes.substr(begin, end - begin);
      begin = end;
    }
    return {};
  }

  const Cubin& cubin_;
  std::map<std::string, size_t> functions_;
  std::vector<size_t> owners_; ///< of sections
  std::vector<PartSymbol> symbols_;
  std::map<std::string, std::string> collected_;
  std::string frameRelocations_;
  std::array<std::string, kLineTables> lineRelocations_;
  std::map<size_t, size_t> frameBegins_;
  CubinParts parts_;
};

} // namespace

void Piece::append(const Piece& other) {
  for (const Reference& reference : other.references)
    references.push_back({bytes.size() + reference.at, reference.key});
  bytes += other.bytes;
}

bool isFunctionItself(const PartSymbol& part) {
  return part.symbol.type() == kFunction && part.section == ".text." + part.symbol.name;
}

bool isOfReserve(const PartSymbol& part) {
  return part.symbol.name.starts_with(".nv.reservedSmem.") ||
         part.section == ".nv.shared.reserved.0" ||
         (part.symbol.name.empty() && part.section.empty());
}

std::string withoutPrefix(const std::string& name, const std::string& prefix) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : "";
}

Result<CubinParts> takeApart(const Cubin& cubin) {
  return Taking(cubin).take();
}

} // namespace gpusched::ptxas
