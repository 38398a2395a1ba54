// Telling.cpp - reads a loop's text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/Telling.h"

#include "tools/gpusched-ptxas/OurFunctions.h"
#include "tools/gpusched-ptxas/PtxEntries.h"

#include <algorithm>

namespace gpusched::cicc {
namespace {

constexpr int kCounted = 3; // see Drain of device/SplicedLoop.cuh

/// What follows the first symbol that begins so.
std::string_view behind(std::string_view loop, std::string_view symbol) {
  const size_t found = loop.find(symbol);
  if (found == loop.npos)
    return {};
  const size_t at = found + symbol.size();
  return loop.substr(at, ptxas::wordEnd(loop, at) - at);
}

/// "NS_12SharedBesideE" of "NS_12SharedBesideEEEvv"
std::string lanesIn(std::string_view loop) {
  const std::string_view arguments = behind(loop, ptxas::kMeetForBarrier);
  return std::string(arguments.substr(0, arguments.rfind("EEvv")));
}

/// The alignment of SharedBehind<16u>, which is "...ILj16EE"; "" for SharedBeside.
std::string alignmentIn(const std::string& memory) {
  const size_t number = memory.find("Lj");
  return number == std::string::npos
             ? std::string()
             : memory.substr(number + 2, memory.find('E', number) - number - 2);
}

} // namespace

Telling tellingOf(std::string_view loop, size_t digit) {
  const int number = loop[digit] - '0';
  const bool counts = number > static_cast<int>(Drain::AnyLanes);
  const Drain drain = static_cast<Drain>(counts ? number - kCounted : number);
  return {std::max(drain, Drain::Nothing), counts, std::string(behind(loop, ptxas::kAdded)),
          lanesIn(loop)};
}

std::string suffixOf(const Telling& telling) {
  static constexpr const char* kDrains[] = {"", "", "d", "l", "m"};
  std::string suffix = std::string("__gs") + kDrains[static_cast<size_t>(telling.drain)];
  suffix += alignmentIn(telling.lanes);
  if (telling.counts)
    suffix += 'c';
  return telling.notes.empty() ? suffix : suffix + 'b' + alignmentIn(telling.notes);
}

} // namespace gpusched::cicc
