// Telling.cpp - reads a loop's text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/Telling.h"

#include "tools/gpusched-ptxas/OurFunctions.h"
#include "tools/gpusched-ptxas/PtxEntries.h"

namespace gpusched::cicc {
namespace {

constexpr int kCounted = 3; // see Drain of device/SplicedLoop.cuh

/// "NS_12SharedBesideEEEvj"
std::string notesIn(std::string_view loop) {
  const size_t symbol = loop.find(ptxas::kAdded);
  if (symbol == loop.npos)
    return "";
  const size_t at = symbol + ptxas::kAdded.size();
  return std::string(loop.substr(at, ptxas::wordEnd(loop, at) - at));
}

} // namespace

Telling tellingOf(std::string_view loop, size_t digit) {
  const int number = loop[digit] - '0';
  const bool counts = number > kCounted;
  return {static_cast<Drain>(counts ? number - kCounted : number), counts, notesIn(loop)};
}

std::string suffixOf(const Telling& telling) {
  static constexpr const char* kDrains[] = {"", "d", "l", "m"};
  std::string suffix = std::string("__gs") + kDrains[static_cast<size_t>(telling.drain)];
  if (telling.counts)
    suffix += 'c';
  if (telling.notes.empty())
    return suffix;
  // SharedBehind<16u> is "...ILj16EE"
  const size_t number = telling.notes.find("Lj");
  return suffix + 'b' +
         (number == std::string::npos
              ? std::string()
              : telling.notes.substr(number + 2, telling.notes.find('E', number) - number - 2));
}

} // namespace gpusched::cicc
