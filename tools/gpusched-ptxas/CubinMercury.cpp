// CubinMercury.cpp - sections of the second cubin under the names of the first, and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptxas/CubinMercury.h"

#include "tools/gpusched-ptxas/CubinLines.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

namespace gpusched::ptxas {
namespace {

/// How names of sections begin in the first cubin and in the second; the first that fits counts.
struct Form {
  std::string_view name, mercuryName;
  uint32_t mercuryType;
  bool isShared = false; ///< the second one has the first one's bytes, once in the file
};
constexpr std::string_view kCode = ".text.", kCallGraph = ".nv.callgraph";
constexpr uint32_t kPlainType = 1, kMercuryRelocations = 0x70000082;
constexpr Form kForms[] = {
    {kCode, ".nv.capmerc.text.", 0x70000016},
    {".nv.info", ".nv.merc.nv.info", 0x70000083},
    {kCallGraph, ".nv.merc.nv.callgraph", 0x7000008a},
    {".rela.nv.constant4", ".nv.merc.rela.nv.constant.pic", kMercuryRelocations},
    {".rela.", ".nv.merc.rela.", kMercuryRelocations},
    {".nv.constant3", ".nv.merc.nv.constant.user", 0x7000007c, true},
    {".nv.constant4", ".nv.merc.nv.constant.pic", 0x7000007d, true},
    {".nv.global.init", ".nv.merc.nv.global.init", 0x70000008, true},
    {".nv.shared.reserved.0", ".nv.merc.nv.shared.reserved.0", 0x70000015},
    {kInlinedNames, ".nv.merc.debug_str", kPlainType, true},
    {".debug_", ".nv.merc.debug_", kPlainType},
    {kPtxTextName, ".nv.merc.nv_debug_ptx_txt", kPlainType, true},
    {".nv_debug_", ".nv.merc.nv_debug_", kPlainType},
    {".symtab", ".nv.merc.symtab", kMercurySymbolTable},
};

Status refusal(const std::string& what) {
  return Status::error("finalizable code not understood: " + what);
}

bool isMercury(const Section& section) {
  return section.flags & kMercury;
}

bool isCode(const Section& section) {
  return section.name.starts_with(kCode);
}

/// Null for none.
const Form* formOf(const std::string& name, std::string_view Form::* part) {
  const auto form = std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& candidate) {
    return name.starts_with(candidate.*part);
  });
  return form == std::end(kForms) ? nullptr : form;
}

/// Of a section of the second one; its own where the first has none such.
std::string nameInFirst(const std::string& name) {
  const Form* form = formOf(name, &Form::mercuryName);
  return form ? std::string(form->name) + name.substr(form->mercuryName.size()) : name;
}

/// Where each section of the second one is in the file. Up to CUDA 13.3, when it had no call graph
/// of its own, code is in front and symbols are last.
std::vector<uint32_t> placesInFile(const Cubin& mercury) {
  std::vector<uint32_t> places(mercury.sections.size());
  uint32_t next = static_cast<uint32_t>(mercury.sections.size());
  const auto place = [&](const auto& isPlaced) {
    for (size_t i = 0; i < places.size(); ++i)
      if (isMercury(mercury.sections[i]) && isPlaced(mercury.sections[i]))
        places[i] = next++;
  };
  std::iota(places.begin(), places.end(), 0); // of what both have
  const bool isInOrder =
      std::any_of(mercury.sections.begin(), mercury.sections.end(), [](const Section& section) {
        return section.name == kCallGraph && isMercury(section);
      });
  if (isInOrder) {
    place([](const Section&) { return true; });
    return places;
  }
  const auto isTable = [](const Section& section) { return section.type == kSymbolTable; };
  place(isCode);
  place([&](const Section& section) { return !isCode(section) && !isTable(section); });
  place(isTable);
  return places;
}

/// Symbols up to the last local one.
uint32_t localCount(const std::vector<Symbol>& symbols) {
  const auto isLocal = [](const Symbol& symbol) { return symbol.binding() == kLocal; };
  return static_cast<uint32_t>(symbols.rend() -
                               std::find_if(symbols.rbegin(), symbols.rend(), isLocal));
}

/// The second one's section `index`, as it is in the file. `first` is the first one's.
Section inFile(const Cubin& mercury, size_t index, const Section& first,
               const std::vector<uint32_t>& places) {
  Section section = mercury.sections[index];
  const Form& form = *formOf(section.name, &Form::name);
  if (section.link == kSymbolsIndex)
    section.link = places[kSymbolsIndex];
  const bool namesSection = section.type == kRelocations || section.name.starts_with(".nv.info.");
  if (namesSection && section.info < places.size())
    section.info = places[section.info];
  if (section.type == kSymbolTable)
    section.info = localCount(mercury.symbols);
  if (isCode(section)) {
    section.flags = kMercury;
    putValue(section.bytes, 0, static_cast<uint32_t>(index));
  }
  if (form.isShared) {
    section.sharedWith = index;
    section.bytes = first.bytes;
    section.size = first.size;
  }
  section.name = std::string(form.mercuryName) + section.name.substr(form.name.size());
  section.type = form.mercuryType;
  return section;
}

/// Makes the first one's `section` the second one's.
Status replace(Section& section, const Section& mercury) {
  section.flags |= kMercury;
  section.alignment = mercury.alignment;
  section.entrySize = mercury.entrySize;
  const bool isShared = mercury.sharedWith != 0;
  section.bytes = isShared ? "" : mercury.bytes;
  section.size = isShared ? 0 : mercury.size;
  if (!isCode(section))
    return {};
  if (section.bytes.size() < sizeof(uint32_t))
    return refusal("code of " + section.name);
  putValue(section.bytes, 0, uint32_t{0});
  return {};
}

/// The second one of those that `cubin` holds.
Result<Cubin> mercuryOf(const Cubin& cubin, const Cubin& first) {
  const size_t begin = first.sections.size();
  if (begin <= kSymbolsIndex || !std::all_of(cubin.sections.begin() + static_cast<ptrdiff_t>(begin),
                                             cubin.sections.end(), isMercury))
    return refusal("not behind the first");
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < begin; ++i)
    places[first.sections[i].name] = i;
  Cubin mercury = first;
  std::vector<size_t> moved(cubin.sections.size()); // index in the second one
  std::iota(moved.begin(), moved.end(), 0);
  for (size_t i = begin; i < cubin.sections.size(); ++i) {
    const auto place = places.find(nameInFirst(cubin.sections[i].name));
    if (place == places.end())
      return refusal("section " + cubin.sections[i].name);
    moved[i] = place->second;
    if (Status status = replace(mercury.sections[moved[i]], cubin.sections[i]); !status)
      return status;
  }
  mercury.symbols = cubin.mercurySymbols;
  for (Symbol& symbol : mercury.symbols)
    symbol.section = static_cast<uint16_t>(moved[symbol.section]);
  mercury.sections[kSymbolsIndex].info = static_cast<uint32_t>(mercury.symbols.size());
  return mercury;
}

} // namespace

Result<SplitCubin> splitMercury(Cubin cubin) {
  if (cubin.mercurySymbols.empty())
    return SplitCubin{std::move(cubin), {}};
  Cubin first = cubin;
  std::erase_if(first.sections, isMercury);
  first.mercurySymbols.clear();
  Result<Cubin> mercury = mercuryOf(cubin, first);
  if (!mercury)
    return mercury.status();
  const Result<Cubin> again = joinMercury(first, *mercury);
  if (!again || *again != cubin)
    return refusal("order");
  return SplitCubin{std::move(first), std::move(*mercury)};
}

Result<Cubin> joinMercury(Cubin first, const Cubin& mercury) {
  const size_t count = first.sections.size();
  if (count != mercury.sections.size())
    return refusal("number of sections");
  const std::vector<uint32_t> places = placesInFile(mercury);
  const size_t total = *std::max_element(places.begin(), places.end()) + 1;
  if (total > kMostSections)
    return refusal("number of sections");
  first.sections.resize(total);
  for (size_t i = 0; i < count; ++i) {
    const Section &section = mercury.sections[i], &own = first.sections[i];
    if (isMercury(section) ? section.name != own.name : section != own)
      return refusal("section " + section.name);
    if (isMercury(section))
      first.sections[places[i]] = inFile(mercury, i, own, places);
  }
  first.mercurySymbols = mercury.symbols;
  for (Symbol& symbol : first.mercurySymbols)
    symbol.section = static_cast<uint16_t>(places[symbol.section]);
  return first;
}

} // namespace gpusched::ptxas
