// CubinPutTogether.cpp - orders sections and symbols as ptxas does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptxas makes functions one after another, each with its sections and symbols, and what the module
// has when a function is the first to use it. The file has sections by class and within a class in
// the order they were made in; so here the order of symbols, which tells that one, is found first.
#include "tools/gpusched-ptxas/CubinParts.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace gpusched::ptxas {
namespace {

constexpr size_t kModule = SIZE_MAX;
constexpr size_t kMostSymbols = ~kRegistersInInfo;

/// Classes of sections, in the file's order.
enum class Class {
  Fixed, // one after another in kFixed
  FunctionInfo,
  CallGraph,
  Actions,
  Relocations,
  Constants,
  Text,
  Data,
  Memory,
  Parameters
};

constexpr const char* kFixed[] = {"",
                                  ".shstrtab",
                                  ".strtab",
                                  ".symtab",
                                  ".debug_frame",
                                  kLineTableNames[0],
                                  kInlinedNames,
                                  kLineTableNames[1],
                                  kPtxTextName,
                                  ".note.nv.tkinfo",
                                  ".note.nv.cuinfo",
                                  ".nv.info",
                                  ".nv.compat"};

/// In kFixed.
size_t placeOf(const std::string& name) {
  return static_cast<size_t>(std::find(std::begin(kFixed), std::end(kFixed), name) -
                             std::begin(kFixed));
}

/// In front of the name of the section that these relocations are for; empty for other sections.
std::string relocationPrefix(const Section& section) {
  return section.type == kRelocations ? ".rela" : section.type == kShortRelocations ? ".rel" : "";
}

/// Up to sm_89 (`isOlder`) a function's parameters are with its other constants.
Class classOf(const Section& section, bool isOlder) {
  if (std::count(std::begin(kFixed), std::end(kFixed), section.name))
    return Class::Fixed;
  if (section.name.starts_with(".nv.info."))
    return Class::FunctionInfo;
  if (section.name == ".nv.callgraph")
    return Class::CallGraph;
  if (section.type == kRelocationActions)
    return Class::Actions;
  if (!relocationPrefix(section).empty())
    return Class::Relocations;
  if (section.name.starts_with(".nv.constant0.") && !isOlder)
    return Class::Parameters;
  if (section.type == kNoBits)
    return Class::Memory;
  if (section.flags & kExecutable)
    return Class::Text;
  return section.flags & kWritable ? Class::Data : Class::Constants;
}

/// Place in the file: class, when it was made, and what before what of things made at once.
using Rank = std::tuple<Class, size_t, int>;

struct RankedSection {
  Rank rank;
  const PartSection* part = nullptr;
  size_t function = kModule;
};

bool isOfFrames(const std::string& name) {
  return name == ".rela.debug_frame" || name == ".rel.debug_frame";
}

/// Among the module's relocations: lines', others, call frames'.
int placeOfRelocations(const std::string& name) {
  return isOfFrames(name) ? kLineTables + 1 : static_cast<int>(relocatedLineTable(name));
}

bool isOfText(const Section& relocations) {
  return relocations.name.starts_with(relocationPrefix(relocations) + ".text.");
}

class Putting {
public:
  explicit Putting(const CubinParts& parts)
      : parts_(parts),
        isOlder_(anyOf(parts,
                       [](const Section& section) { return section.type == kRelocationActions; })),
        isMercury_(anyOf(parts, [](const Section& section) { return section.flags & kMercury; })) {}

  Result<Cubin> put() {
    cubin_ = parts_.header;
    putSymbols();
    orderSections();
    if (ranked_.size() > kMostSections || cubin_.symbols.size() > kMostSymbols)
      return Status::error("too many sections or symbols");
    for (const RankedSection& ranked : ranked_)
      sectionIndices_.emplace(ranked.part->header.name, sectionIndices_.size());
    for (size_t i = 0; i < cubin_.symbols.size(); ++i)
      cubin_.symbols[i].section = static_cast<uint16_t>(sectionIndices_[order_[i]->section]);
    for (const RankedSection& ranked : ranked_)
      if (Status status = putSection(ranked); !status)
        return status;
    return std::move(cubin_);
  }

private:
  template <class Test> static bool anyOf(const CubinParts& parts, const Test& test) {
    return std::any_of(parts.sections.begin(), parts.sections.end(),
                       [&](const PartSection& part) { return test(part.header); });
  }

  void putSymbol(const PartSymbol& part) {
    const auto [index, isNew] = symbolIndices_.emplace(part.key, cubin_.symbols.size());
    if (!isNew)
      return; // the module's, which a function before used first
    Symbol symbol = part.symbol;
    if (part.isNumbered)
      symbol.name = "$__internal_" + std::to_string(numbered_++) + "_$" + symbol.name;
    firstSymbols_.emplace(part.section, cubin_.symbols.size());
    cubin_.symbols.push_back(symbol);
    order_.push_back(&part);
  }

  void putSymbols(const std::vector<PartSymbol>& symbols) {
    for (const PartSymbol& symbol : symbols)
      putSymbol(symbol);
  }

  /// Those of the module among them are in sections that were made with the function, though its
  /// global symbols come late.
  void putGlobals(size_t function) {
    for (const PartSymbol& symbol : parts_.functions[function].globals)
      if (!firstSymbols_.count(symbol.section))
        madeWith_.emplace(symbol.section, function);
    putSymbols(parts_.functions[function].globals);
  }

  void putSymbols() {
    putSymbols(parts_.firstSymbols);
    for (const FunctionParts& function : parts_.functions)
      putSymbols(function.locals);
    putSymbols(parts_.lastLocals);
    for (size_t i = 0; i < parts_.functions.size(); ++i)
      putGlobals(i);
    for (const FunctionParts& function : parts_.functions)
      putSymbols(function.constants);
  }

  /// Of the first symbol in a section, as a measure of when it was made.
  size_t firstSymbol(const std::string& section) const {
    const auto first = firstSymbols_.find(section);
    return first == firstSymbols_.end() ? SIZE_MAX : first->second;
  }

  Rank rankOf(const Section& section, size_t function) const {
    const Class kind = classOf(section, isOlder_);
    switch (kind) {
    case Class::Fixed:
      if (section.name == kInlinedNames && !parts_.hasInlinedRows)
        return {kind, placeOf(kPtxTextName), 1};
      return {kind, placeOf(section.name), 0};
    case Class::Relocations: // the module's behind the functions'
      return function == kModule ? Rank(kind, kModule, placeOfRelocations(section.name))
                                 : Rank(kind, function, !isOfText(section));
    case Class::Constants:
      return {kind, firstSymbol(section.name), 0};
    case Class::Memory: // a function's is made right behind its text, with or without a symbol
      if (const auto with = madeWith_.find(section.name); with != madeWith_.end())
        return {kind, firstSymbol(".text." + parts_.functions[with->second].name), 2};
      return function == kModule
                 ? Rank(kind, firstSymbol(section.name), 0)
                 : Rank(kind, firstSymbol(".text." + parts_.functions[function].name), 1);
    default:
      return {kind, function == kModule ? 0 : function, 0};
    }
  }

  void orderSections() {
    for (const PartSection& part : parts_.sections)
      ranked_.push_back({rankOf(part.header, kModule), &part, kModule});
    for (size_t i = 0; i < parts_.functions.size(); ++i)
      for (const PartSection& part : parts_.functions[i].sections)
        ranked_.push_back({rankOf(part.header, i), &part, i});
    std::stable_sort(
        ranked_.begin(), ranked_.end(),
        [](const RankedSection& a, const RankedSection& b) { return a.rank < b.rank; });
  }

  /// Static functions first.
  std::vector<const FunctionParts*> inOrderOfSymbols() const {
    std::map<uint32_t, const FunctionParts*> ordered;
    for (size_t i = 0; i < parts_.functions.size(); ++i)
      ordered[functionSymbol(i)] = &parts_.functions[i];
    std::vector<const FunctionParts*> functions;
    for (const auto& [symbol, function] : ordered)
      functions.push_back(function);
    return functions;
  }

  std::vector<const FunctionParts*> inOrderOfLines() const {
    if (!isOlder_ && !isMercury_)
      return inOrderOfSymbols();
    std::vector<const FunctionParts*> functions;
    for (const FunctionParts& function : parts_.functions)
      functions.push_back(&function);
    return functions;
  }

  Piece moduleAttributes() const {
    const std::vector<FunctionParts>& functions = parts_.functions;
    Piece piece;
    for (auto function = functions.rbegin(); function != functions.rend(); ++function)
      piece.append(function->registers);
    for (const FunctionParts* function : inOrderOfSymbols())
      piece.append(function->stack);
    return piece;
  }

  Piece calls() const {
    Piece piece;
    for (uint32_t kind = 0; kind < kCallKinds; ++kind) {
      const uint32_t row[] = {0, ~kind};
      piece.append({std::string(reinterpret_cast<const char*>(row), sizeof(row)), {}});
      for (const FunctionParts& function : parts_.functions)
        piece.append(function.calls[kind]);
    }
    return piece;
  }

  static void addTo(std::string& bytes, size_t at, uint64_t addend) {
    putValue(bytes, at, valueAt<uint64_t>(bytes, at) + addend);
  }

  Piece frames() const {
    Piece all;
    for (const FunctionParts& function : parts_.functions) {
      Piece piece = function.frames.entries;
      for (const size_t place : function.frames.entryPlaces)
        addTo(piece.bytes, place, all.bytes.size());
      all.append(piece);
    }
    return all;
  }

  /// The last function's first.
  Piece frameRelocations() const {
    Piece all;
    size_t begin = 0;
    for (const FunctionParts& function : parts_.functions)
      begin += function.frames.entries.bytes.size();
    for (auto function = parts_.functions.rbegin(); function != parts_.functions.rend();
         ++function) {
      begin -= function->frames.entries.bytes.size();
      Piece piece = function->frames.relocations;
      for (size_t at = 0; at < piece.bytes.size(); at += parts_.frameRelocationBytes)
        addTo(piece.bytes, at, begin);
      all.append(piece);
    }
    return all;
  }

  Piece lines(size_t table) const {
    Piece all{std::string(kUnitLengthBytes, '\0') + parts_.lineHeaders[table], {}};
    for (const FunctionParts* function : inOrderOfLines())
      all.bytes += function->lines[table].rows;
    putValue(all.bytes, 0, static_cast<uint32_t>(all.bytes.size() - kUnitLengthBytes));
    return all;
  }

  /// Up to sm_89 and of Mercury the last function's first.
  Piece lineRelocations(size_t table) const {
    std::vector<Piece> pieces;
    size_t begin = kUnitLengthBytes + parts_.lineHeaders[table].size();
    for (const FunctionParts* function : inOrderOfLines()) {
      Piece piece = function->lines[table].relocations;
      for (size_t at = 0; at < piece.bytes.size(); at += parts_.lineRelocationBytes[table])
        addTo(piece.bytes, at, begin);
      pieces.push_back(std::move(piece));
      begin += function->lines[table].rows.size();
    }
    if (isOlder_ || isMercury_)
      std::reverse(pieces.begin(), pieces.end());
    Piece all;
    for (const Piece& piece : pieces)
      all.append(piece);
    return all;
  }

  Piece contentOf(const PartSection& part) const {
    const std::string& name = part.header.name;
    if (const size_t table = lineTableOf(name); table != kLineTables)
      return lines(table);
    if (const size_t table = relocatedLineTable(name); table != kLineTables)
      return lineRelocations(table);
    return name == ".nv.info"        ? moduleAttributes()
           : name == ".nv.callgraph" ? calls()
           : name == ".debug_frame"  ? frames()
           : isOfFrames(name)        ? frameRelocations()
                                     : part.content;
  }

  uint32_t indexOf(const std::string& section) const {
    const auto index = sectionIndices_.find(section);
    return index == sectionIndices_.end() ? 0 : static_cast<uint32_t>(index->second);
  }

  uint32_t functionSymbol(size_t function) const {
    return static_cast<uint32_t>(symbolIndices_.at(parts_.functions[function].symbol));
  }

  /// Up to sm_89, and up to CUDA 12, of those in front of the first global one.
  uint32_t symbolCount() const {
    constexpr size_t kAbiVersionAt = 8; // in the identity of an ELF file
    constexpr char kAbiVersion13 = 8;
    const bool countsLocals = isOlder_ || parts_.header.identity[kAbiVersionAt] < kAbiVersion13;
    const auto isGlobal = [&](const Symbol& symbol) {
      return countsLocals && symbol.binding() == kGlobal;
    };
    return static_cast<uint32_t>(
        std::find_if(cubin_.symbols.begin(), cubin_.symbols.end(), isGlobal) -
        cubin_.symbols.begin());
  }

  void link(Section& section, size_t function) const {
    const std::string& name = section.name;
    if (name == ".symtab") {
      section.link = kNamesIndex;
      section.info = symbolCount();
    } else if (name == ".nv.info" || name == ".nv.callgraph") {
      section.link = kSymbolsIndex;
    } else if (const std::string prefix = relocationPrefix(section);
               !prefix.empty() && !isOfText(section)) {
      section.link = kSymbolsIndex;
      section.info = indexOf(name.substr(prefix.size()));
    } else if (name.starts_with(".text.")) {
      section.link = kSymbolsIndex;
      section.info |= functionSymbol(function);
    } else if (function != kModule) {
      const bool hasSymbols = !prefix.empty() || name.starts_with(".nv.info.");
      section.link = hasSymbols ? kSymbolsIndex : 0;
      section.info = indexOf(".text." + parts_.functions[function].name);
    }
  }

  Status putSection(const RankedSection& ranked) {
    Section section = ranked.part->header;
    const Piece content = contentOf(*ranked.part);
    section.bytes = content.bytes;
    for (const Reference& reference : content.references) {
      const auto index = symbolIndices_.find(reference.key);
      if (index == symbolIndices_.end())
        return Status::error("no symbol " + reference.key);
      putValue(section.bytes, reference.at, static_cast<uint32_t>(index->second));
    }
    if (section.type != kNoBits)
      section.size = section.bytes.size();
    link(section, ranked.function);
    cubin_.sections.push_back(std::move(section));
    return {};
  }

  const CubinParts& parts_;
  const bool isOlder_, isMercury_;
  Cubin cubin_;
  size_t numbered_ = 0;
  std::vector<const PartSymbol*> order_;
  std::map<std::string, size_t> symbolIndices_, sectionIndices_;
  std::map<std::string, size_t> firstSymbols_; ///< by section
  std::map<std::string, size_t> madeWith_;     ///< function, by section of the module
  std::vector<RankedSection> ranked_;
};

} // namespace

Result<Cubin> putTogether(const CubinParts& parts) {
  return Putting(parts).put();
}

} // namespace gpusched::ptxas
