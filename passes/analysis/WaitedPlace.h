// WaitedPlace.h - which block may write the word that a loop waits for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Told from the address: one that comes from the block's number, from a call or from memory may be
// an earlier block's, which ends whatever happens. One that has nothing to do with the block is the
// same for all; one behind the block's own number is a later block's. What a function is given
// depends on who calls it, so the arguments are asked the same there.
#pragma once

#include <compare>
#include <set>
#include <string>

namespace clang {
class CallExpr;
class Expr;
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace gpusched::passes {

/// A word that other blocks write.
struct ForeignWord {
  std::string name;     ///< "'count'"; empty: it may be an earlier block's
  bool isLater = false; ///< it is a later block's
  /// Parameters of the function, by index: it is such a word if what they get is the same for every
  /// block, or behind the block's own.
  std::set<unsigned> parameters;

  auto operator<=>(const ForeignWord&) const = default;
  std::string text() const { return isLater ? name + " of a later block" : name; }
};

/// Of a place that is the same for every block or behind the block's own. `moving`: variables of
/// `function` that change while it waits.
ForeignWord foreignWord(const clang::Expr& place, const clang::FunctionDecl& function,
                        const std::set<const clang::VarDecl*>& moving);

/// What becomes of a word of `call`'s callee in `caller`.
ForeignWord wordOfCall(const ForeignWord& word, const clang::CallExpr& call,
                       const clang::FunctionDecl& caller);

} // namespace gpusched::passes
