// Instances.h - the text of a function, and the functions of a text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

#include <vector>

namespace gpusched::passes {

/// The declaration whose text is the function's: the pattern of an instantiation. Null where no
/// text is here.
const clang::FunctionDecl* textOf(const clang::FunctionDecl& function);

/// The text whose object stands for the function: that of the template, for an explicit
/// specialisation of a free function, or its first declaration if that is all there is.
const clang::FunctionDecl* objectTextOf(const clang::FunctionDecl& function);

/// The explicit specialisations of the template that the free function is, or is of.
std::vector<const clang::FunctionDecl*> specialisationsOf(const clang::FunctionDecl& function);

/// The template that the class is, or is an instance or a specialisation of; null if there is none.
const clang::ClassTemplateDecl* templateOf(const clang::CXXRecordDecl& record);

/// The instantiations of a text, as a template or a member of a class template; of nested ones only
/// the innermost is looked at.
std::vector<const clang::FunctionDecl*> instancesOf(const clang::FunctionDecl& definition);

} // namespace gpusched::passes
