// Destruction.h - the destructors that run where an object dies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No expression of the AST calls them: a class's own, those of its members and bases, and those of
// the members' members. Each may read blockIdx or wait at a barrier like any other callee.
#pragma once

#include "clang/AST/DeclCXX.h"

#include <vector>

namespace gpusched::passes {

/// What the end of an object of this type runs, arrays by their elements; only what somebody
/// wrote. Empty for what is no class.
std::vector<const clang::CXXDestructorDecl*> destructorsOf(clang::QualType type);

} // namespace gpusched::passes
