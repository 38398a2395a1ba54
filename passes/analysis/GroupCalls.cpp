// GroupCalls.cpp - the groups' members by their names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/GroupCalls.h"

#include "passes/analysis/Expressions.h"
#include "passes/analysis/KernelInfo.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

namespace gpusched::passes {
bool isOnePiece(clang::SourceRange range, const GroupPlace& place) {
  const clang::SourceManager& sources = place.function.getASTContext().getSourceManager();
  return range.getBegin().isFileID() && range.getEnd().isFileID() &&
         sources.getSpellingLineNumber(range.getBegin()) ==
             sources.getSpellingLineNumber(range.getEnd());
}

namespace {

/// A variable, or this_thread_block() (`maker`): nothing is lost when it is not evaluated.
bool isNamed(const clang::Expr& group, llvm::StringRef maker) {
  const clang::Expr* plain = group.IgnoreParenImpCasts();
  if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(plain))
    plain = temporary->getSubExpr()->IgnoreParenImpCasts();
  const clang::CallExpr* const made = callOf(*plain, maker);
  return llvm::isa<clang::DeclRefExpr>(plain) || (made && made->getNumArgs() == 0);
}

/// A variable, or a member of one or of the object.
bool isVariable(const clang::Expr& group) {
  const clang::Expr* plain = group.IgnoreParenImpCasts();
  while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(plain)) {
    if (member->isImplicitAccess())
      return true;
    plain = member->getBase()->IgnoreParenImpCasts();
  }
  return llvm::isa<clang::DeclRefExpr>(plain);
}

/// block.sync() and sync(block) of cooperative groups are __syncthreads() by another name.
bool noteGroupSync(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                   const GroupPlace& place, FunctionUses& uses) {
  if (!isCooperative(callee) || !callee.getIdentifier() || callee.getName() != "sync")
    return false;
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParenImpCasts());
  const clang::Expr* group = member                   ? member->getBase()
                             : call.getNumArgs() == 1 ? call.getArg(0)
                                                      : nullptr;
  if (!group)
    return false;
  const clang::SourceRange range = call.getSourceRange();
  const bool isBlock = recordName(group->getType()) == "thread_block" &&
                       isNamed(*group, "this_thread_block") && !place.isHidden &&
                       isOnePiece(range, place);
  uses.groupSyncs.push_back({range, isBlock});
  if (!isBlock)
    return false;
  ++uses.blockBarriers;
  note(uses.plainBarrier, call.getExprLoc(), "thread_block::sync");
  return true;
}

/// Functions over a group that LaneGroups.cuh can call for those of its lanes that are there.
bool isTellableFunction(const clang::FunctionDecl& callee) {
  return !llvm::isa<clang::CXXMethodDecl>(callee) && callee.getIdentifier() &&
         isCooperative(callee) && callee.getNumParams() > 0 &&
         llvm::StringSwitch<bool>(callee.getName())
             .Cases({"reduce", "sync", "labeled_partition"}, true)
             .Default(false);
}

/// Can the text tell LaneGroups of the call? Notes what it says then.
bool noteTellable(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                  const GroupPlace& place, FunctionUses& uses) {
  if (place.isHidden) {
    note(uses.hiddenPrimitive, call.getExprLoc(), callee.getNameAsString());
    return false;
  }
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParenImpCasts());
  const clang::Expr* const group = member                       ? member->getBase()
                                   : isTellableFunction(callee) ? call.getArg(0)
                                                                : nullptr;
  const bool fits = group && (!member || (!member->isArrow() && !member->hasQualifier()));
  if (!fits || !isVariable(*group) || !isOnePiece(group->getSourceRange(), place) ||
      !isOnePiece(call.getBeginLoc(), place) || !isOnePiece(call.getEndLoc(), place))
    return false;
  uses.groupPrimitives.push_back(
      {group->getSourceRange(), member ? clang::SourceRange() : call.getSourceRange()});
  uses.primitives.insert(kLaneGroups);
  return true;
}

/// A coalesced group names the lanes that were there when it was formed.
bool noteCoalesced(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                   const GroupPlace& place, FunctionUses& uses) {
  const clang::SourceLocation where = call.getExprLoc();
  if (!isCooperative(callee))
    return false;
  const std::string name = callee.getNameAsString();
  if (name == "coalesced_threads") {
    uses.lanes = {&call, nullptr, uses.lanes.places + 1};
    note(uses.threadDependence, where, name);
    return true;
  }
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const std::string group = method ? method->getParent()->getNameAsString()
                            : callee.getNumParams() > 0
                                ? recordName(callee.getParamDecl(0)->getType())
                                : std::string();
  if (!llvm::StringRef(group).starts_with("coalesced_group") ||
      llvm::isa<clang::CXXConstructorDecl>(callee))
    return false;
  note(uses.threadDependence, where, name);
  if (name != "thread_rank" && name != "size" && name != "num_threads") {
    ++uses.warpPrimitives;
    const bool tellable = isTellableFunction(callee) && noteTellable(call, callee, place, uses);
    note(uses.groupPrimitive, where, group + "::" + name);
    note(tellable ? uses.tellableGroup : uses.opaqueGroup, where, group + "::" + name);
  }
  return true;
}

/// A tile of a warp or less names its own lanes, however many of the warp have left.
bool noteTile(const clang::CallExpr& call, const clang::FunctionDecl& callee,
              const GroupPlace& place, FunctionUses& uses) {
  const unsigned ofFunction = lanesOfTileFunction(callee);
  const unsigned lanes = ofFunction ? ofFunction : lanesOfTile(callee);
  const bool tellable = lanes != 0 && noteTellable(call, callee, place, uses);
  if (lanes == 0 || (ofFunction && !tellable))
    return false;
  const std::string what = "thread_block_tile::" + callee.getNameAsString();
  ++uses.warpPrimitives;
  ++uses.tilePrimitives;
  uses.tileLanes = std::max(uses.tileLanes, lanes);
  note(uses.threadDependence, call.getExprLoc(), what);
  note(uses.warpPrimitive, call.getExprLoc(), what);
  if (!tellable)
    note(uses.opaquePrimitive, call.getExprLoc(), what);
  else if (lanes < 32)
    note(uses.maskedPrimitive, call.getExprLoc(), what);
  return true;
}

/// thread_block::group_index() is blockIdx under another name.
bool noteGroupIndex(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                    const GroupPlace& place, FunctionUses& uses) {
  if (!isGroupIndex(callee))
    return false;
  note(uses.blockIndex, call.getExprLoc(), "group_index()");
  if (place.isHidden)
    note(uses.hiddenBlockIndex, call.getExprLoc(), "group_index()");
  else
    uses.groupIndices.push_back({call.getSourceRange(), "::dim3(blockIdx)"});
  return true;
}

/// grid.thread_rank() and the like ask for a place in the logical grid. In a function template
/// the same text may ask another kind of group.
bool noteGridQuery(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                   const GroupPlace& place, FunctionUses& uses) {
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParenImpCasts());
  const bool isOneText =
      !place.function.isTemplateInstantiation() || place.function.hasAttr<clang::CUDAGlobalAttr>();
  if (!isGridQuery(callee) || !member || member->isArrow() || !isOneText ||
      !isNamed(*member->getBase(), "this_grid"))
    return false;
  note(uses.blockIndex, call.getExprLoc(), "grid_group");
  if (callee.getName().starts_with("thread_"))
    note(uses.threadDependence, call.getExprLoc(), "grid_group");
  if (place.isHidden)
    note(uses.hiddenBlockIndex, call.getExprLoc(), "grid_group");
  else
    uses.groupIndices.push_back(
        {member->getBase()->getSourceRange(), "::gpusched::LogicalGrid{blockIdx, gridDim}"});
  return true;
}

/// cooperative_groups::thread_group asks its own kind at run time. It is a grid, several grids or
/// a cluster only when it was made from one, which a call in the program's own code does.
bool isDispatchToLargerGroup(const clang::FunctionDecl& callee,
                             const clang::FunctionDecl& function) {
  const auto* self = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (!self || !isCooperative(*self) || self->getParent()->getName() != "thread_group" ||
      callee.getNumParams() != 1)
    return false;
  const std::string group = recordName(callee.getParamDecl(0)->getType());
  return group == "grid_group" || group == "multi_grid_group" || group == "cluster_group";
}

} // namespace

bool isCooperative(const clang::FunctionDecl& function) {
  return llvm::StringRef(function.getQualifiedNameAsString()).starts_with("cooperative_groups::");
}

unsigned lanesOfTile(const clang::FunctionDecl& callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const auto* tile =
      method ? llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent())
             : nullptr;
  const bool isPrimitive =
      tile && callee.getIdentifier() && isCooperative(callee) &&
      tile->getName() == "__static_size_thread_block_tile_base" &&
      llvm::StringSwitch<bool>(callee.getName())
          .Cases({"sync", "any", "all", "ballot", "match_any", "match_all"}, true)
          .Cases({"shfl", "shfl_up", "shfl_down", "shfl_xor"}, true)
          .Default(false);
  return isPrimitive
             ? static_cast<unsigned>(tile->getTemplateArgs()[0].getAsIntegral().getZExtValue())
             : 0;
}

unsigned lanesOfTileFunction(const clang::FunctionDecl& callee) {
  if (!isTellableFunction(callee))
    return 0;
  const auto* tile = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      callee.getParamDecl(0)->getType().getNonReferenceType()->getAsCXXRecordDecl());
  if (!tile || tile->getName() != "thread_block_tile")
    return 0;
  const uint64_t lanes = tile->getTemplateArgs()[0].getAsIntegral().getZExtValue();
  return lanes <= 32 ? static_cast<unsigned>(lanes) : 0;
}

bool isGroupIndex(const clang::FunctionDecl& callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  return method && callee.getIdentifier() && callee.getName() == "group_index" &&
         isCooperative(callee) && method->getParent()->getName().starts_with("thread_block");
}

bool isGridQuery(const clang::FunctionDecl& callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  return method && callee.getIdentifier() && isCooperative(callee) &&
         method->getParent()->getName() == "grid_group" &&
         llvm::StringSwitch<bool>(callee.getName())
             .Cases({"size", "num_threads", "thread_rank", "thread_index"}, true)
             .Cases({"group_dim", "dim_threads", "dim_blocks"}, true)
             .Cases({"num_blocks", "block_rank", "block_index"}, true)
             .Default(false);
}

bool noteGroupCall(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                   const GroupPlace& place, FunctionUses& uses) {
  return noteGroupSync(call, callee, place, uses) || noteCoalesced(call, callee, place, uses) ||
         noteTile(call, callee, place, uses) || isDispatchToLargerGroup(callee, place.function) ||
         noteGroupIndex(call, callee, place, uses) || noteGridQuery(call, callee, place, uses);
}

} // namespace gpusched::passes
