// Forms.cpp - looks at facts and callees; one definition that needs outlining outlines them all.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Forms.h"

#include <set>

namespace gpusched::passes {
namespace {

bool isToldLambda(const KernelInfo& definition) {
  std::vector<const VirtualFunction*> all = calledBy(definition.callees, definition.text);
  std::set<const VirtualFunction*> seen;
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (!seen.insert(all[index]).second)
      continue;
    if (all[index]->isLambda)
      return true;
    for (const VirtualFunction* callee : calledBy(*all[index]))
      all.push_back(callee);
  }
  return false;
}

bool canBeSpliced(const KernelInfo& definition) {
  const KernelFacts& facts = definition.record.facts;
  return definition.onDevice && !definition.text.isSpecialization && !facts.countingDrain() &&
         !facts.laneDrain && !facts.mbarriers && !isToldLambda(definition);
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
    kernel.record.spliced = spliced;
    for (KernelInfo& other : kernel.others)
      other.record.spliced = spliced;
    for (KernelRecord& instance : kernel.instanceRecords)
      instance.spliced = spliced;
  }
}

} // namespace gpusched::passes
