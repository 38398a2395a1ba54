// GroupCalls.h - what calls of cooperative groups mean for the body they stand in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   cg::this_thread_block().sync()   a barrier of the block, which can be replaced
//   block.group_index()              blockIdx
//   cg::this_grid().thread_rank()    a place in the logical grid
//   tile.shfl(value, 0)              over a tile's lanes
//   lanes.shfl(value, 0)             over the lanes that were there when the group was formed
//
// Other members of the groups are walked like any other callee.
#pragma once

#include "passes/analysis/FunctionUses.h"

namespace gpusched::passes {

/// Where a call stands.
struct GroupPlace {
  const clang::FunctionDecl& function; ///< the definition
  bool isHidden = false;               ///< where parameters of the function are not in sight
};

/// Is it one piece of one line, and of a file? Only such a text is replaced.
bool isOnePiece(clang::SourceRange range, const GroupPlace& place);

/// Notes the call in `uses`; false where the callee is to be walked.
bool noteGroupCall(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                   const GroupPlace& place, FunctionUses& uses);

/// Of the library of cooperative groups.
bool isCooperative(const clang::FunctionDecl& function);

/// Of a primitive of a tile that a warp holds, how many lanes it names; 0 for any other function.
unsigned lanesOfTile(const clang::FunctionDecl& callee);

/// Of a function over a tile that a warp holds, `reduce(tile, value, plus)`, `sync(tile)` or
/// `labeled_partition(tile, label)`, how many lanes it names; 0 for any other function.
unsigned lanesOfTileFunction(const clang::FunctionDecl& callee);

/// thread_block::group_index().
bool isGroupIndex(const clang::FunctionDecl& callee);

/// A member of grid_group that asks for a place or a size.
bool isGridQuery(const clang::FunctionDecl& callee);

} // namespace gpusched::passes
