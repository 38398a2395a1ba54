// UniformGroups.cpp - what is the same for all threads of a cooperative group.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of Uniformity: the answers of groups to questions, and what their primitives return.
#include "passes/analysis/Expressions.h"
#include "passes/analysis/GroupCalls.h"
#include "passes/analysis/Uniformity.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

namespace gpusched::passes {
namespace {

constexpr Uniform kMixed{Uniform::Mixed, false};
constexpr Uniform kWarp{Uniform::Warp, false};
constexpr Uniform kBlock{Uniform::Block, false};

/// Does a tile hold whole warps? Its size is the first argument of the class or of a base.
bool hasWholeWarps(const clang::CXXRecordDecl& tile, unsigned lanes) {
  const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&tile);
  if (!instance || instance->getTemplateArgs().size() == 0)
    return false;
  const clang::TemplateArgument& size = instance->getTemplateArgs()[0];
  return size.getKind() == clang::TemplateArgument::Integral &&
         size.getAsIntegral().getZExtValue() % lanes == 0;
}

/// What cooperative_groups says about a thread's block or tile. Tiles are cut from the linear rank,
/// as warps are, so that for them nothing about blockDim is assumed.
std::optional<Uniform> groupQuery(const clang::FunctionDecl& callee,
                                  const UniformityAssumptions& assume) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const std::string name = callee.getQualifiedNameAsString();
  const llvm::StringRef view = name;
  if (!method || !view.starts_with("cooperative_groups::"))
    return std::nullopt;
  const llvm::StringRef question = view.rsplit("::").second;
  const bool tile = view.contains("tile");
  if (!tile && !view.contains("thread_block"))
    return std::nullopt;
  if (question == "size" || question == "num_threads" || question == "group_dim" ||
      question == "dim_threads" || question == "meta_group_size" || question == "group_index")
    return kBlock;
  if (tile && question == "meta_group_rank" && hasWholeWarps(*method->getParent(), assume.lanes))
    return Uniform{Uniform::Warp, false, false};
  if (tile && question == "thread_rank" && hasWholeWarps(*method->getParent(), assume.lanes))
    return Uniform{Uniform::Lanes, false, false};
  if (!tile && question == "thread_rank")
    return assume.wholeWarpRows ? Uniform{Uniform::Lanes, false, false} : kMixed;
  return std::nullopt;
}

/// reduce() by an operator of the library's: all threads of the group get the same. Another one may
/// not be commutative.
bool isLibraryReduction(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  if (callee.getName() != "reduce" || call.getNumArgs() != 3)
    return false;
  const auto* operation = call.getArg(2)->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return operation &&
         llvm::StringRef(operation->getQualifiedNameAsString()).starts_with("cooperative_groups::");
}

} // namespace

/// Groups of the block, and tiles of such: uniform where all threads hold one of the same kind and
/// size. What else a group knows is not asked here.
std::optional<Uniform> Uniformity::evaluateGroup(const clang::CallExpr& call,
                                                 const clang::FunctionDecl& callee) const {
  if (const std::optional<Uniform> value = groupQuery(callee, assume_))
    return value;
  if (const unsigned lanes = lanesOfTile(callee))
    return lanes % assume_.lanes == 0 ? evaluateTile(call, callee.getName()) : kMixed;
  if (const unsigned lanes = lanesOfTileFunction(callee))
    return lanes % assume_.lanes == 0 && isLibraryReduction(call, callee) ? kWarp : kMixed;
  const std::string name = callee.getQualifiedNameAsString();
  const llvm::StringRef view = name;
  if (!view.starts_with("cooperative_groups::"))
    return std::nullopt;
  const bool isOfBlock = !view.ends_with("::thread_rank") && !view.ends_with("::thread_index");
  if (view.ends_with("::this_thread_block") || (view.contains("::grid_group::") && isOfBlock))
    return kBlock;
  if (view.ends_with("::tiled_partition")) {
    Uniform value = kBlock;
    for (const clang::Expr* argument : call.arguments())
      value = join(value, derived(evaluate(*argument)));
    return value;
  }
  const bool asksSize =
      view.ends_with("::thread_group::size") || view.ends_with("::thread_group::num_threads");
  return asksSize || llvm::isa<clang::CXXConversionDecl>(callee) ? std::optional(objectOf(call))
                                                                 : std::nullopt;
}

/// A vote gives all lanes of a tile one value, and so does a shuffle if all read from the same
/// lane.
Uniform Uniformity::evaluateTile(const clang::CallExpr& call, llvm::StringRef name) const {
  const bool isVote = name == "any" || name == "all" || name == "ballot";
  const bool isSpread =
      name == "shfl" && call.getNumArgs() == 2 && evaluate(*call.getArg(1)).level <= Uniform::Warp;
  return isVote || isSpread ? kWarp : kMixed;
}

} // namespace gpusched::passes
