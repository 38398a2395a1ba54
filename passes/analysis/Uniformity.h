// Uniformity.h - which values of a kernel are the same for all threads of a block, or of a warp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Abstract interpretation over local variables, flow-insensitive, plus control dependence: a
// variable that is assigned under a condition is at most as uniform as the condition.
//
//   Block    same in all threads of the block: parameters, blockIdx, constants, __syncthreads_or
//   Warp     same in all lanes of a warp
//   Lanes    32 * (same in the warp) + lane: threadIdx.x and what is added to it in steps of 32
//   Mixed    anything
//
// Warp and Lanes assume that blockDim.x is a multiple of 32; the caller asks twice, with and
// without that assumption, and records when the answer needs it.
// Sound, not complete: memory loads, calls and everything whose address is taken are Mixed.
#pragma once

#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"

#include <map>

namespace gpusched::passes {

struct Uniform {
  enum Level { Unset, Block, Warp, Lanes, Mixed };
  Level level = Unset;
  bool multipleOf32 = false; ///< of a Block or Warp value
};

class Uniformity {
public:
  /// `wholeWarpRows`: assume that blockDim.x is a multiple of 32.
  Uniformity(const clang::FunctionDecl& kernel, clang::CFG& cfg, bool wholeWarpRows);

  /// Is the branch at the end of the block taken alike by all threads of a block / of a warp?
  bool branchIsBlockUniform(const clang::CFGBlock& block) const;
  bool branchIsWarpUniform(const clang::CFGBlock& block) const;

private:
  Uniform branch(const clang::CFGBlock& block) const;
  Uniform evaluate(const clang::Expr& expression) const;
  Uniform evaluateBinary(const clang::BinaryOperator& operation) const;
  Uniform evaluateCall(const clang::CallExpr& call) const;
  Uniform evaluateReference(const clang::DeclRefExpr& reference) const;
  Uniform evaluateBuiltinMember(const clang::MSPropertyRefExpr& member) const;
  bool assign(const clang::VarDecl& variable, Uniform value);
  bool transfer(const clang::Stmt& statement, Uniform control);
  void iterate(clang::CFG& cfg);

  clang::ASTContext& context_;
  bool wholeWarpRows_;
  std::map<const clang::VarDecl*, Uniform> values_;
};

} // namespace gpusched::passes
