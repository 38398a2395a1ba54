// Refusals.cpp - Refusals.def as a table that can be listed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says nothing about when a reason applies; that is in analysis/.
#include "passes/Refusals.h"

namespace gpusched::passes {

const std::vector<RefusalDescription>& refusalDescriptions() {
  static const std::vector<RefusalDescription> descriptions = {
#define GPUSCHED_REFUSAL(code, name, title, explanation) {code, #name, title, explanation},
#include "passes/Refusals.def"
#undef GPUSCHED_REFUSAL
  };
  return descriptions;
}

std::string codeOf(RefusalCode code) {
  return refusalDescriptions()[static_cast<std::size_t>(code)].code;
}

Refusal refuse(RefusalCode code, std::string detail, SourcePlace where) {
  const RefusalDescription& description = refusalDescriptions()[static_cast<std::size_t>(code)];
  return {description.code, description.title, std::move(detail), std::move(where)};
}

} // namespace gpusched::passes
