// Forms.cpp - looks at facts and callees; one definition that needs outlining outlines them all.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Forms.h"

#include <algorithm>

namespace gpusched::passes {
namespace {

bool reachesToldLambda(const KernelInfo& definition) {
  const std::vector<const VirtualFunction*> all = reachedFrom(definition.callees, definition.text);
  return std::any_of(all.begin(), all.end(),
                     [](const VirtualFunction* function) { return function->isLambda; });
}

bool canBeSpliced(const KernelInfo& definition) {
  const KernelFacts& facts = definition.record.facts;
  return definition.onDevice && !definition.text.isSpecialization && !facts.countingDrain() &&
         !facts.laneDrain && !facts.mbarriers && !reachesToldLambda(definition);
}

} // namespace

void chooseForms(FileInfo& unit) {
  for (KernelInfo& kernel : unit.kernels) {
    if (kernel.record.refusal)
      continue;
    const std::vector<const KernelInfo*> all = kernel.definitions();
    const bool spliced = std::all_of(all.begin(), all.end(), [](const KernelInfo* definition) {
      return canBeSpliced(*definition);
    });
    kernel.spliced = spliced;
    for (KernelInfo& other : kernel.others)
      other.spliced = spliced;
  }
}

} // namespace gpusched::passes
