// CubinMerge.cpp - functions of two cubins in the order of their PTX, with the module that both
// have.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptxas compiles each entry of a whole program for itself, with copies of all functions that it
// calls; so an entry's part of a cubin is the same whichever other entries there are. What all have
// in common (constants, variables, strings) has to be the same in both cubins. That ptxas itself
// would order the parts like that is not proven but tried, with many PTX texts; that both cubins
// keep to this order is checked each time: each has to be what its own parts are put together to.
#include "tools/gpusched-ptxas/CubinMerge.h"

#include "tools/gpusched-ptxas/CubinParts.h"

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

/// The parts, if they make the same cubin again.
Result<CubinParts> understood(const Cubin& cubin) {
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

Status haveSameModule(const CubinParts& natives, const CubinParts& twins) {
  if (natives.header != twins.header)
    return refusal("headers");
  if (natives.firstSymbols != twins.firstSymbols || natives.lastLocals != twins.lastLocals)
    return refusal("first or last symbols");
  for (const PartSection& section : natives.sections) {
    const auto other = std::find_if(
        twins.sections.begin(), twins.sections.end(),
        [&](const PartSection& candidate) { return candidate.header.name == section.header.name; });
    if (other == twins.sections.end())
      return refusal("section of one " + section.header.name);
    if (*other != section)
      return refusal("content of section " + section.header.name);
  }
  for (const PartSection& section : twins.sections)
    if (std::none_of(natives.sections.begin(), natives.sections.end(),
                     [&](const PartSection& candidate) {
                       return candidate.header.name == section.header.name;
                     }))
      return refusal("section of one " + section.header.name);
  return {};
}

} // namespace

bool isUnderstood(const Cubin& cubin) {
  return understood(cubin).ok();
}

Result<Cubin> mergeCubins(const Cubin& natives, const Cubin& twins,
                          const std::vector<std::string>& entriesInPtxOrder) {
  Result<CubinParts> parts = understood(natives);
  Result<CubinParts> others = understood(twins);
  if (!parts || !others)
    return (parts ? others : parts).status();
  if (Status status = haveSameModule(*parts, *others); !status)
    return status;
  std::map<std::string, FunctionParts> functions;
  for (std::vector<FunctionParts>* list : {&parts->functions, &others->functions})
    for (FunctionParts& function : *list) {
      const std::string name = function.name;
      if (!functions.emplace(name, std::move(function)).second)
        return refusal("function of both " + name);
    }
  parts->functions.clear();
  for (auto entry = entriesInPtxOrder.rbegin(); entry != entriesInPtxOrder.rend(); ++entry) {
    const auto function = functions.find(*entry);
    if (function == functions.end())
      return refusal("no function " + *entry);
    parts->functions.push_back(std::move(function->second));
    functions.erase(function);
  }
  if (!functions.empty())
    return refusal("no entry " + functions.begin()->first);
  return putTogether(*parts);
}

} // namespace gpusched::ptxas
