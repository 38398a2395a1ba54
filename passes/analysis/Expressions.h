// Expressions.h - small questions about expressions that several analyses ask.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/AST/Expr.h"

#include <string>

namespace gpusched::passes {

/// One of the toolkit's functions behind threadIdx.x, blockIdx.x and the like.
bool isBuiltinAccessor(const clang::FunctionDecl& function);

/// Are both the same text, up to parentheses and implicit casts? Its value may change in between.
bool isSameExpression(const clang::Expr& a, const clang::Expr& b, const clang::ASTContext& context);

/// const T&, const T&&: what it refers to cannot be changed through it.
bool isConstReference(clang::QualType type);

/// Name of the class that a type is or refers to; empty for any other.
std::string recordName(clang::QualType type);

/// The variable that the expression is, itself or its value; null for any other.
const clang::VarDecl* variableOf(const clang::Expr& expression);
/// The same, if it is a local variable or a parameter.
const clang::VarDecl* localOrParameterOf(const clang::Expr& expression);

/// The expression itself, if it calls a function of that name; null for any other.
const clang::CallExpr* callOf(const clang::Expr& expression, llvm::StringRef function);

/// What a function returns that does nothing else; null for any other.
const clang::Expr* onlyReturned(const clang::FunctionDecl& function);

} // namespace gpusched::passes
