// LaneMasks.cpp - follows a mask from the call down to the primitives.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conservative: a function with any other warp primitive, one with __activemask() too, has no mask
// parameter.
#include "passes/analysis/LaneMasks.h"

#include "passes/analysis/Expressions.h"
#include "passes/analysis/VariableEscape.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include <set>

namespace gpusched::passes {
namespace {

using Functions = std::set<const clang::FunctionDecl*>;

bool namesLanes(const CallSite& call, CallGraph& calls) {
  return calls.findFrom(call, &FunctionUses::warpPrimitive) ||
         calls.findFrom(call, &FunctionUses::groupPrimitive);
}

bool isWholeWarp(const clang::Expr& mask, const clang::ASTContext& context) {
  clang::Expr::EvalResult value;
  const auto* standard = llvm::dyn_cast<clang::CXXDefaultArgExpr>(&mask);
  const clang::Expr& given = standard ? *standard->getExpr() : mask;
  return !given.isValueDependent() && given.EvaluateAsInt(value, context) &&
         value.Val.getInt().extOrTrunc(32).getZExtValue() == 0xffffffffu;
}

const clang::Expr* argumentAt(const CallSite& call, unsigned index) {
  return call.call && !llvm::isa<clang::CXXOperatorCallExpr>(call.call) &&
                 index < call.call->getNumArgs()
             ? call.call->getArg(index)
             : nullptr;
}

/// The parameter whose lanes are all that the function names, here and below; null: none.
const clang::ParmVarDecl* maskParameterOf(const clang::FunctionDecl& function, CallGraph& calls,
                                          Functions& active) {
  const FunctionUses* const uses = calls.uses(function);
  const clang::FunctionDecl* definition = nullptr;
  if (!uses || !function.hasBody(definition) || uses->indirectCall || uses->hiddenPrimitive ||
      uses->warpPrimitives != uses->variableMasks.size() || !active.insert(definition).second)
    return nullptr;
  std::set<const clang::VarDecl*> masks;
  for (const VariableMask& primitive : uses->variableMasks)
    masks.insert(primitive.mask);
  for (const CallSite& call : uses->calls) {
    if (!namesLanes(call, calls))
      continue;
    const clang::ParmVarDecl* const below = maskParameterOf(*call.callee, calls, active);
    const clang::Expr* const given =
        below ? argumentAt(call, below->getFunctionScopeIndex()) : nullptr;
    masks.insert(given ? variableOf(*given) : nullptr);
  }
  active.erase(definition);
  const auto* mask =
      masks.size() == 1 ? llvm::dyn_cast_or_null<clang::ParmVarDecl>(*masks.begin()) : nullptr;
  return mask && assignmentsOf(*mask, *definition->getBody()) == 0u ? mask : nullptr;
}

} // namespace

bool namesWholeWarp(const clang::Expr& mask, const clang::FunctionDecl& function) {
  const clang::ASTContext& context = function.getASTContext();
  if (isWholeWarp(mask, context))
    return true;
  const clang::VarDecl* const variable = variableOf(mask);
  return variable && variable->isLocalVarDecl() && !variable->isStaticLocal() &&
         variable->getInit() && isWholeWarp(*variable->getInit(), context) &&
         assignmentsOf(*variable, *function.getBody()) == 1u;
}

NamedLanes lanesNamedBehind(const CallSite& call, const clang::FunctionDecl& caller,
                            const FormedLanes& formed, CallGraph& calls) {
  Functions active;
  const clang::ParmVarDecl* const mask =
      namesLanes(call, calls) ? maskParameterOf(*call.callee, calls, active) : nullptr;
  const clang::Expr* const given = mask ? argumentAt(call, mask->getFunctionScopeIndex()) : nullptr;
  if (!given)
    return NamedLanes::Any;
  if (formed && formed.mask && variableOf(*given) == formed.mask)
    return NamedLanes::Formed;
  return namesWholeWarp(*given, caller) ? NamedLanes::WholeWarp : NamedLanes::Any;
}

} // namespace gpusched::passes
