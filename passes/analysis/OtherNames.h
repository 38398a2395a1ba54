// OtherNames.h - the names in a text that mean something else than a free function.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   namespace n { int f(int); }  struct f { f(int); };
//   n::f(1) + f(2)               // with an object `f` in sight, both would mean it
//
// A parameter or an object takes its name away from whatever else the text means by it: variables,
// members without an object in front, types, what a template's parameter stands for. A namespace in
// front of a variable or a member keeps it; types are counted with one, too.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/TypeLoc.h"

#include <set>
#include <string>

namespace gpusched::passes {

using Names = std::set<std::string>;

void addOtherName(const clang::DeclRefExpr& reference, Names& names);
void addOtherName(const clang::MemberExpr& member, Names& names);
void addOtherName(const clang::SubstNonTypeTemplateParmExpr& value, Names& names);
void addOtherName(clang::TypeLoc type, Names& names);

} // namespace gpusched::passes
