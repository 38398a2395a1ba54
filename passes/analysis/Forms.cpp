// Forms.cpp - finds what does not go together.
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

bool hasTwoForms(const KernelInfo& kernel) {
  return kernel.isMixed ||
         std::any_of(kernel.others.begin(), kernel.others.end(), [&](const KernelInfo& other) {
           return other.onDevice && other.spliced != kernel.spliced;
         });
}

void addSymbols(const KernelInfo& kernel, std::set<std::string>& symbols) {
  for (const KernelInfo* definition : kernel.definitions()) {
    symbols.insert(definition->record.persistentSymbol);
    for (const KernelRecord& instance : definition->instanceRecords)
      symbols.insert(instance.persistentSymbol);
  }
  symbols.erase("");
}

} // namespace

std::set<std::string> twinsToOutline(const FileInfo& unit) {
  const bool tellsLambdas =
      std::any_of(unit.kernels.begin(), unit.kernels.end(), [](const KernelInfo& kernel) {
        return !kernel.record.refusal && !kernel.spliced && reachesToldLambda(kernel);
      });
  std::set<std::string> symbols;
  for (const KernelInfo& kernel : unit.kernels)
    if (!kernel.record.refusal && (hasTwoForms(kernel) || (tellsLambdas && kernel.spliced)))
      addSymbols(kernel, symbols);
  return symbols;
}

} // namespace gpusched::passes
