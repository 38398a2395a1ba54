// VariableEscape.h - local variables that something else than a plain assignment can change.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mention of a variable is harmless when it is read, assigned, incremented or copied; through
// members, subscripts and functions that only name a part of the variable itself as well. Any other
// mention (its address, a reference, an assignment in a lambda, the result of an assignment taken
// for the variable, inline assembly) makes it escape.
#pragma once

#include "clang/AST/DeclCXX.h"
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

/// May a result of this type hold the address of an argument, or of the object? Of a local variable
/// each thread has another one, and what is there may change.
bool mayHoldPlaces(clang::QualType type);

/// May the function hand on its object, or a part of it, rather than what is in it?
bool handsOutObject(const clang::CXXMethodDecl& method);

} // namespace gpusched::passes
