// Uniformity.h - which values of a kernel are the same for all threads of a block, or of a warp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Abstract interpretation over local variables along the control flow, plus control dependence: a
// variable that is assigned under a condition is at most as uniform as the condition.
//
//   Block    same in all threads of the block: parameters, blockIdx, constants, __syncthreads_or
//   Warp     same in all lanes of a warp
//   Lanes    32 * (same in the warp) + lane: threadIdx.x and what is added to it in steps of 32
//   Mixed    anything
//
// Where `lanes` is less than 32, "warp" means an aligned part of one with so many lanes, and 32
// that. Two assumptions, which the caller makes or not:
//   wholeWarpRows  blockDim.x is a multiple of 32; without it threadIdx.x says nothing about warps
//   raceFree       threads that have come the same way read the same from the same place. A program
//                  without data races cannot do otherwise: a write in between would race with one
//                  of the reads. volatile objects and atomics are meant to race and stay Mixed.
// Sound, not complete: everything whose address is taken is Mixed, and so are calls, except of
// functions that ask nothing about the thread, and memory loads without raceFree.
#pragma once

#include "passes/analysis/CallGraph.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace gpusched::passes {

struct Uniform {
  enum Level { Unset, Block, Warp, Lanes, Mixed };
  Level level = Unset;
  bool isMultiple = false; ///< of `lanes`; of a Block or Warp value
  bool mayBeNegative = true;
  bool operator==(const Uniform&) const = default;
};

/// Where a value is one or the other.
Uniform join(Uniform a, Uniform b);

/// A value computed from others by something unknown but deterministic.
Uniform derived(Uniform from);

/// What a function is called with.
struct CallValues {
  Uniform object{Uniform::Mixed, false}; ///< what a const member function sees in *this
  std::vector<Uniform> arguments = {};   ///< Mixed beyond its end
};

struct UniformityAssumptions {
  bool wholeWarpRows = false;
  bool raceFree = false;
  unsigned lanes = 32;                ///< a power of two
  const CallValues* values = nullptr; ///< null for a kernel, whose parameters are all uniform
};

class Uniformity {
public:
  Uniformity(const clang::FunctionDecl& kernel, clang::CFG& cfg, CallGraph& calls,
             UniformityAssumptions assume);

  /// Is the branch at the end of the block taken alike by all threads of a block / of a warp?
  bool branchIsBlockUniform(const clang::CFGBlock& block) const;
  bool branchIsWarpUniform(const clang::CFGBlock& block) const;

  /// What a call of a function with a body, or of a constructor, hands on.
  CallValues valuesAt(const clang::Expr& call) const;

private:
  Uniform branchOf(const clang::CFGBlock& block) const;
  Uniform evaluate(const clang::Expr& expression) const;
  Uniform evaluateBinary(const clang::BinaryOperator& operation) const;
  Uniform combine(const clang::BinaryOperator& operation, clang::BinaryOperatorKind kind,
                  Uniform left, Uniform right) const;
  Uniform addressOf(const clang::Expr& place) const;
  Uniform evaluateUnary(const clang::UnaryOperator& operation) const;
  Uniform evaluateSubscript(const clang::ArraySubscriptExpr& subscript) const;
  Uniform evaluateCall(const clang::CallExpr& call) const;
  Uniform evaluateSystemCall(const clang::CallExpr& call, const clang::FunctionDecl& callee) const;
  bool isCommonMask(const clang::Expr& mask) const;
  Uniform evaluateWarpPrimitive(const clang::CallExpr& call, llvm::StringRef name) const;
  Uniform evaluateUserCall(const clang::CallExpr& call, const clang::FunctionDecl& callee) const;
  std::optional<Uniform> evaluateReturned(const clang::CallExpr& call,
                                          const clang::FunctionDecl& callee) const;
  Uniform evaluateConstruct(const clang::CXXConstructExpr& construct) const;
  Uniform evaluateMember(const clang::MemberExpr& member) const;
  std::optional<Uniform> evaluateGroup(const clang::CallExpr& call,
                                       const clang::FunctionDecl& callee) const;
  Uniform evaluateTile(const clang::CallExpr& call, llvm::StringRef name) const;
  Uniform objectOf(const clang::CallExpr& call) const;
  void noteCall(const clang::Expr& call);
  Uniform loadedFrom(const clang::Expr& place, Uniform address) const;
  Uniform evaluateCast(const clang::CastExpr& cast) const;
  Uniform evaluateReference(const clang::DeclRefExpr& reference) const;
  Uniform evaluateBuiltinMember(llvm::StringRef variable, llvm::StringRef member) const;
  void assignTo(const clang::Expr& place, const clang::VarDecl& variable, Uniform value,
                Uniform control);
  void assign(const clang::VarDecl& variable, Uniform value, bool whole);
  void visit(const clang::Stmt& statement, Uniform control);
  void transfer(const clang::Stmt& statement, Uniform control);
  void transferDeclaration(const clang::DeclStmt& declaration, Uniform control);
  bool run(const clang::CFGBlock& block, Uniform control);
  void iterate(clang::CFG& cfg);
  std::optional<int64_t> constantOf(const clang::Expr& expression) const;

  clang::ASTContext& context_;
  CallGraph& calls_;
  UniformityAssumptions assume_;
  /// Of each variable by its number; those beyond the end are unset.
  using Values = std::vector<Uniform>;
  Uniform& valueIn(Values& values, const clang::VarDecl& variable) const;

  std::set<const clang::VarDecl*> escaping_; ///< always Mixed
  mutable llvm::DenseMap<const clang::VarDecl*, unsigned> numbers_;
  mutable llvm::DenseMap<const clang::Expr*, std::optional<int64_t>> constants_;
  std::vector<Values> atEnd_;     ///< of each block of the control flow, by its ID
  std::vector<Uniform> branches_; ///< at the end of each block
  mutable Values values_;         ///< at the place that is evaluated
  mutable unsigned depth_ = 0;    ///< of functions evaluated for what they return
  std::map<const clang::Expr*, CallValues> handedOn_;
};

} // namespace gpusched::passes
