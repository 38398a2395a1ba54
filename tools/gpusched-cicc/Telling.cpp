// Telling.cpp - reads a loop's text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/Telling.h"

#include "tools/gpusched-ptxas/PtxEntries.h"

namespace gpusched::cicc {
namespace {

constexpr int kCounted = 3; // see Drain of device/SplicedLoop.cuh

std::string wordWith(std::string_view prefix, std::string_view text) {
  const size_t at = text.find(prefix);
  return at == text.npos ? std::string()
                         : std::string(text.substr(at, ptxas::wordEnd(text, at) - at));
}

} // namespace

Telling tellingOf(std::string_view loop, size_t digit) {
  const int number = loop[digit] - '0';
  const bool counts = number > kCounted;
  return {static_cast<Drain>(counts ? number - kCounted : number), counts, wordWith(kAdded, loop),
          wordWith(kEnded, loop)};
}

std::string suffixOf(const Telling& telling) {
  static constexpr const char* kDrains[] = {"", "d", "l", "m"};
  std::string suffix = std::string("__gs") + kDrains[static_cast<size_t>(telling.drain)];
  if (telling.counts)
    suffix += 'c';
  if (telling.added.empty())
    return suffix;
  // SharedBehind<16u> is "...ILj16EE"
  const size_t number = telling.added.find("Lj");
  return suffix + 'b' +
         (number == std::string::npos
              ? std::string()
              : telling.added.substr(number + 2, telling.added.find('E', number) - number - 2));
}

} // namespace gpusched::cicc
