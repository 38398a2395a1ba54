// WaitedPlace.h - which block may write the word that a loop waits for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Told from the address: one that comes from the block's number, from a call or from memory may be
// an earlier block's, which ends whatever happens. One that has nothing to do with the block is the
// same for all; one behind the block's own number is a later block's.
#pragma once

#include <set>
#include <string>

namespace clang {
class Expr;
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace gpusched::passes {

/// "'count'" for a place that is the same for every block, "'done' of a later block" for one behind
/// the block's own, else empty. `moving`: variables of `function` that change while it waits.
std::string foreignWord(const clang::Expr& place, const clang::FunctionDecl& function,
                        const std::set<const clang::VarDecl*>& moving);

} // namespace gpusched::passes
