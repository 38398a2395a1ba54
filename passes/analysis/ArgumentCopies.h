// ArgumentCopies.h - what handing an argument on by value would run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   __global__ void k(Owner owner) { k__gs_body(..., owner); }   // Owner(const Owner&), ~Owner()
#pragma once

#include "clang/AST/Type.h"

namespace gpusched::passes {

/// False where a copy of a variable of this type, as a call makes it of an argument, or the end of
/// that copy runs a function, or is not allowed.
bool copiesLikeBits(clang::QualType type);

/// True where only a constant is copied like bits: of a variable a constructor for anything could
/// be given the copy to make.
bool copiesAsConstant(clang::QualType type);

/// True where the class's copy constructor only copies each base and member, as
/// `Vector(const Vector& v) : x(v.x), y(v.y) {}` does, and an implicit one of a class of such: one
/// copy more is not noticed. It may be called where the variable is.
bool copiesItsMembers(clang::QualType type);

} // namespace gpusched::passes
