// CubinMerge.cpp - functions of two cubins in the order of their PTX, with the module that both
// have.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptxas compiles each entry of a whole program for itself, with copies of all functions that it
// calls; so an entry's part of a cubin is the same whichever other entries there are. What all have
// in common (constants, variables, strings) has to be the same in both cubins; of the PTX, which
// goes along with -lineinfo, each has its lines. That ptxas itself
// would order the parts like that is not proven but tried, with many PTX texts; that both cubins
// keep to this order is checked each time: each has to be what its own parts are put together to.
#include "tools/gpusched-ptxas/CubinMerge.h"

#include <algorithm>
#include <map>

namespace gpusched::ptxas {
namespace {

Status refusal(const std::string& what) {
  return Status::error("cubins not merged: " + what);
}

/// What of `cubin` is not as it was put together again.
std::string firstDifference(const Cubin& cubin, const Cubin& again) {
  for (size_t i = 0; i < std::min(cubin.symbols.size(), again.symbols.size()); ++i)
    if (cubin.symbols[i] != again.symbols[i])
      return "symbol " + cubin.symbols[i].name;
  for (size_t i = 0; i < std::min(cubin.sections.size(), again.sections.size()); ++i)
    if (cubin.sections[i] != again.sections[i])
      return "section " + cubin.sections[i].name;
  return "number of sections or symbols";
}

/// Null for none.
PartSection* find(CubinParts& parts, const std::string& name) {
  const auto found =
      std::find_if(parts.sections.begin(), parts.sections.end(),
                   [&name](const PartSection& section) { return section.header.name == name; });
  return found == parts.sections.end() ? nullptr : &*found;
}

std::map<std::string, const PartSection*> byName(const std::vector<PartSection>& sections) {
  std::map<std::string, const PartSection*> named;
  for (const PartSection& section : sections)
    named[section.header.name] = &section;
  return named;
}

/// As if a row named an inlined function.
void bringNamesForward(CubinParts& parts) {
  const auto placeOf = [&](const char* name) {
    return std::find_if(parts.lastLocals.begin(), parts.lastLocals.end(),
                        [name](const PartSymbol& symbol) { return symbol.section == name; });
  };
  const auto table = placeOf(kLineTableNames[1]), names = placeOf(kInlinedNames);
  if (table < names && names != parts.lastLocals.end())
    std::rotate(table, names, names + 1);
  parts.hasInlinedRows = true;
}

/// Gives both the places in the source and in the PTX that either has.
Status shareLines(CubinParts& natives, CubinParts& twins) {
  if (natives.hasInlinedRows != twins.hasInlinedRows)
    bringNamesForward(natives.hasInlinedRows ? twins : natives);
  for (size_t table = 0; table < kLineTables; ++table) {
    const Result<std::string> header =
        commonHeader(natives.lineHeaders[table], twins.lineHeaders[table]);
    if (!header)
      return header.status();
    natives.lineHeaders[table] = twins.lineHeaders[table] = *header;
  }
  PartSection *const text = find(natives, kPtxTextName), *const other = find(twins, kPtxTextName);
  if (!text || !other)
    return {};
  Result<std::string> common = commonText(text->content.bytes, other->content.bytes);
  if (!common)
    return common.status();
  text->header.size = other->header.size = common->size();
  other->content.bytes = *common;
  text->content.bytes = std::move(*common);
  return {};
}

Status haveSameModule(const CubinParts& natives, const CubinParts& twins) {
  if (natives.header != twins.header || natives.lineHeaders != twins.lineHeaders ||
      natives.lineRelocationBytes != twins.lineRelocationBytes)
    return refusal("headers");
  if (natives.firstSymbols != twins.firstSymbols || natives.lastLocals != twins.lastLocals)
    return refusal("first or last symbols");
  std::map<std::string, const PartSection*> others = byName(twins.sections);
  for (const auto& [name, section] : byName(natives.sections)) {
    const auto other = others.find(name);
    if (other == others.end())
      return refusal("section of one " + name);
    if (*other->second != *section)
      return refusal("content of section " + name);
    others.erase(other);
  }
  return others.empty() ? Status() : refusal("section of one " + others.begin()->first);
}

} // namespace

Result<CubinParts> partsOf(const std::string& bytes) {
  const Result<Cubin> cubin = readCubin(bytes);
  if (!cubin)
    return cubin.status();
  Result<CubinParts> parts = takeApart(*cubin);
  if (!parts)
    return parts;
  const Result<Cubin> again = putTogether(*parts);
  if (!again)
    return again.status();
  if (*again != *cubin)
    return refusal("order of " + firstDifference(*cubin, *again));
  return parts;
}

Result<std::string> mergedCubin(CubinParts natives, CubinParts twins,
                                const std::vector<std::string>& entriesInPtxOrder) {
  if (Status status = shareLines(natives, twins); !status)
    return status;
  if (Status status = haveSameModule(natives, twins); !status)
    return status;
  std::map<std::string, FunctionParts> functions;
  for (CubinParts* parts : {&natives, &twins})
    for (FunctionParts& function : parts->functions) {
      const std::string name = function.name;
      if (!functions.emplace(name, std::move(function)).second)
        return refusal("function of both " + name);
    }
  natives.functions.clear();
  for (auto entry = entriesInPtxOrder.rbegin(); entry != entriesInPtxOrder.rend(); ++entry) {
    const auto function = functions.find(*entry);
    if (function == functions.end())
      return refusal("no function " + *entry);
    natives.functions.push_back(std::move(function->second));
    functions.erase(function);
  }
  if (!functions.empty())
    return refusal("no entry " + functions.begin()->first);
  const Result<Cubin> merged = putTogether(natives);
  return merged ? Result<std::string>(writeCubin(*merged)) : merged.status();
}

} // namespace gpusched::ptxas
