// VariableEscape.h - local variables that something else than a plain assignment can change.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mention of a variable is harmless when it is read, assigned, incremented or copied; through
// members, subscripts and functions that only name a part of the variable itself as well. Any other
// mention (its address, a reference, an assignment in a lambda, the result of an assignment taken
// for the variable, inline assembly) makes it escape.
#pragma once

#include "clang/AST/Expr.h"

#include <optional>
#include <set>

namespace gpusched::passes {

std::set<const clang::VarDecl*> escapingVariables(const clang::Stmt& body);

/// How often the text assigns a variable, its initialiser included. None if it escapes there.
std::optional<unsigned> assignmentsOf(const clang::VarDecl& variable, const clang::Stmt& body);

/// The local variable that an assignment to this lvalue changes, as a whole or in part.
const clang::VarDecl* assignedVariable(const clang::Expr& lvalue);

/// Where the call copies an object as it is: what it is copied to, its first argument. Else null.
const clang::Expr* assignedObject(const clang::CallExpr& call);

} // namespace gpusched::passes
