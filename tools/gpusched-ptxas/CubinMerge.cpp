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

#include "tools/gpusched-ptxas/CubinAttributes.h"
#include "tools/gpusched-ptxas/CubinMercury.h"

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

/// Gives both what ptxas says of all functions together: the most that one asks of the driver, and
/// the GPUs that the code of each may be finished for.
void shareCompatibility(CubinParts& natives, CubinParts& twins) {
  constexpr uint8_t kAsked = 0x02, kFinishedFor = 0x0b;
  constexpr size_t kByteAt = 2; // behind format and code
  PartSection *const one = find(natives, ".nv.compat"), *const other = find(twins, ".nv.compat");
  if (!one || !other)
    return;
  std::string &a = one->content.bytes, &b = other->content.bytes;
  for (size_t at = 0; at < a.size();) {
    const auto attribute = attributeAt(a, at);
    if (!attribute || attribute != attributeAt(b, at))
      return; // then they differ in more than this
    if (attribute->format == kByteFormat && attribute->code == kAsked)
      a[at + kByteAt] = b[at + kByteAt] = std::max(a[at + kByteAt], b[at + kByteAt]);
    for (size_t i = attribute->value; attribute->code == kFinishedFor && i < attribute->end; ++i)
      a[i] = b[i] = static_cast<char>(a[i] & b[i]);
    at = attribute->end;
  }
}

bool isAsked(const PartSymbol& part) {
  return part.symbol.name == kAskedReserve;
}

using Symbols = std::vector<PartSymbol>;

/// Gives the first function, at `place` of its own, what one behind it asks for.
void insertAsked(std::vector<FunctionParts>& functions, Symbols FunctionParts::* kind,
                 Symbols::iterator place) {
  for (const FunctionParts& function : functions) {
    const Symbols& symbols = function.*kind;
    const auto asked = std::find_if(symbols.begin(), symbols.end(), isAsked);
    if (asked == symbols.end())
      continue;
    if (&function != &functions.front())
      (functions.front().*kind).insert(place, *asked);
    return;
  }
}

/// What a function asks for of the shared memory that the driver keeps is the first function's in
/// the file, whichever this is: ptxas has it, with threads, before it writes functions. Natives
/// need not ask for it.
void bringReserveForward(std::vector<FunctionParts>& functions) {
  Symbols &locals = functions.front().locals, &globals = functions.front().globals;
  const auto callee = std::find_if(locals.begin(), locals.end(), [](const PartSymbol& part) {
    return part.symbol.type() == kFunction && !isFunctionItself(part);
  });
  insertAsked(functions, &FunctionParts::locals, callee);
  const auto behindReserve = std::find_if(globals.rbegin(), globals.rend(), isOfReserve).base();
  insertAsked(functions, &FunctionParts::globals, behindReserve);
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

Result<CubinParts> partsOf(const Cubin& cubin) {
  Result<CubinParts> parts = takeApart(cubin);
  if (!parts)
    return parts;
  const Result<Cubin> again = putTogether(*parts);
  if (!again)
    return again.status();
  if (*again != cubin)
    return refusal("order of " + firstDifference(cubin, *again));
  return parts;
}

Result<Cubin> merged(CubinParts natives, CubinParts twins,
                     const std::vector<std::string>& entriesInPtxOrder) {
  if (Status status = shareLines(natives, twins); !status)
    return status;
  shareCompatibility(natives, twins);
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
  bringReserveForward(natives.functions);
  return putTogether(natives);
}

} // namespace

Result<AllParts> partsOf(const std::string& bytes) {
  Result<Cubin> cubin = readCubin(bytes);
  Result<SplitCubin> split =
      cubin ? splitMercury(std::move(*cubin)) : Result<SplitCubin>(cubin.status());
  if (!split)
    return split.status();
  Result<CubinParts> first = partsOf(split->first);
  if (!first)
    return first.status();
  AllParts all{std::move(*first), {}};
  if (!split->mercury)
    return all;
  Result<CubinParts> mercury = partsOf(*split->mercury);
  if (!mercury)
    return mercury.status();
  all.mercury = std::move(*mercury);
  return all;
}

Result<std::string> mergedCubin(AllParts natives, AllParts twins,
                                const std::vector<std::string>& entriesInPtxOrder) {
  if (natives.mercury.has_value() != twins.mercury.has_value())
    return refusal("finalizable code of one");
  Result<Cubin> cubin = merged(std::move(natives.first), std::move(twins.first), entriesInPtxOrder);
  if (cubin && natives.mercury) {
    const Result<Cubin> mercury =
        merged(std::move(*natives.mercury), std::move(*twins.mercury), entriesInPtxOrder);
    if (!mercury)
      return mercury.status();
    cubin = joinMercury(std::move(*cubin), *mercury);
  }
  return cubin ? Result<std::string>(writeCubin(*cubin)) : cubin.status();
}

} // namespace gpusched::ptxas
