// CalleeForms.h - forms of device functions that can be told of the logical block, or cannot.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"

namespace gpusched::passes {

/// Does its name mean other functions of the same scope as well?
bool isOverloaded(const clang::FunctionDecl& function);

/// Can each file have a definition of its own that the linker takes for the same?
bool isSharedByFiles(const clang::FunctionDecl& function);

/// Has the member template that it is an instance of explicit specialisations?
bool isSpecialisedMember(const clang::FunctionDecl& function);

/// Why an explicit specialisation of a free function cannot be one of an object's call operator;
/// null where it can.
const char* specialisationObstacle(const clang::FunctionDecl& specialisation);

/// The function that keeps the name hands its arguments on: what that runs would run once more.
bool handsOn(const clang::FunctionDecl& function);

/// Call operators and constructors can be given more parameters.
const char* unnamedObstacle(const clang::FunctionDecl& callee);

/// Can one object stand for both? Which is meant is then decided as between functions of one scope.
bool canShareObject(const clang::FunctionDecl& one, const clang::FunctionDecl& other);

/// Does the host compile it as well?
bool isOnHost(const clang::FunctionDecl& definition);

/// Can it be told if the host compiles it as well? What the compiler only takes to be for both
/// sides may be a constant there.
bool canBeOnHost(const clang::FunctionDecl& definition);

/// Must the object of a free function stand at its first declaration? There its namespace is open,
/// and its parameters have their defaults; or it is all there is.
bool belongsToDeclaration(const clang::FunctionDecl& definition);

/// Why a member function cannot be given parameters; null where it can.
const char* methodObstacle(const clang::CXXMethodDecl& definition);

} // namespace gpusched::passes
