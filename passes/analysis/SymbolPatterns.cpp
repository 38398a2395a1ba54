// SymbolPatterns.cpp - a twin's symbol, cut and masked.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's pattern is made from the twin's: the twin's own parameter shows where the template
// arguments end. Up to there the two differ in the name alone.
#include "passes/analysis/SymbolPatterns.h"

#include "rt/include/gpusched/host/SymbolNames.h"

#include <string_view>

namespace gpusched::passes {
namespace {

constexpr std::string_view kSignature = "Ev15gpusched_params";
constexpr std::size_t kEnd = 1;  // of it: that of the arguments
constexpr std::size_t kKept = 2; // and the type that is returned

std::string spelled(const std::string& name) {
  return std::to_string(name.size()) + name;
}

std::string masked(const std::string& symbol) {
  std::string pattern;
  for (std::size_t i = 0; i < symbol.size();)
    if (const std::size_t length = referenceAt(symbol.c_str() + i)) {
      pattern += '?';
      i += length;
    } else {
      pattern += symbol[i++];
    }
  return pattern;
}

} // namespace

SymbolPatterns symbolPatterns(const SymbolPatterns& symbols, const std::string& name,
                              const std::string& twinName, Signature signature) {
  const std::size_t own = symbols.twin.find(spelled(twinName));
  const std::size_t end = symbols.twin.find(kSignature, own);
  if (end == symbols.twin.npos)
    return {};
  if (signature == Signature::Kept)
    return {masked(symbols.native), masked(symbols.twin)};
  const std::string twin = symbols.twin.substr(0, end + kKept);
  std::string native = twin;
  native.replace(own, spelled(twinName).size(), spelled(name));
  if (!symbols.native.starts_with(native)) // void only if a condition holds
    native.resize(native.size() - kKept + kEnd);
  return {masked(native) + '*', masked(twin) + '*'};
}

} // namespace gpusched::passes
