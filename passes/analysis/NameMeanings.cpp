// NameMeanings.cpp - by the calls, and the types that are asked of calls, of each instantiation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/NameMeanings.h"

#include "passes/analysis/CalleeForms.h"
#include "passes/analysis/Instances.h"

#include "clang/AST/DeclCXX.h"

#include <algorithm>

namespace gpusched::passes {

void noteMeanings(const FunctionUses& caller, KernelText& text) {
  const auto note = [&](const clang::FunctionDecl& function) {
    if (llvm::isa<clang::CXXMethodDecl>(function) || !function.getIdentifier())
      return;
    const clang::FunctionDecl* const written = objectTextOf(function);
    const clang::FunctionDecl* const meant = written ? written : function.getCanonicalDecl();
    const std::string name = function.getNameAsString();
    std::set<const clang::FunctionDecl*>& all = text.meanings[name];
    for (const clang::FunctionDecl* other : all)
      if (other != meant && !canShareObject(*other, *meant))
        text.apart.insert(name);
    all.insert(meant);
  };
  for (const CallSite& call : caller.calls)
    note(*call.callee);
  for (const clang::FunctionDecl* function : caller.typeMentions)
    note(*function);
}

const VirtualFunction* ambiguousCallee(const std::vector<const VirtualFunction*>& callees,
                                       const KernelText& text) {
  for (const VirtualFunction* callee : callees) {
    const auto meant = text.meanings.find(callee->name);
    if (meant == text.meanings.end() || callee->elsewhere.code.empty())
      continue;
    const auto hasObject = [&](const clang::FunctionDecl* function) {
      return std::any_of(callees.begin(), callees.end(), [&](const VirtualFunction* other) {
        return other->definition == function;
      });
    };
    if (text.apart.count(callee->name) ||
        !std::all_of(meant->second.begin(), meant->second.end(), hasObject))
      return callee;
  }
  return nullptr;
}

} // namespace gpusched::passes
