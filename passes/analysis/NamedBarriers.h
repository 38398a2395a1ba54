// NamedBarriers.h - barriers in assembly: those that some warps of a block share, and the block's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   asm volatile("bar.sync 1, 128;");
//
// Such a barrier says how many threads it takes, so it never counted on those who have left, and
// it is not the one at which they wait in the twin, which has number 0. What it does need is whole
// warps: for PTX it is executed by all lanes or by none. So it is a primitive of the whole warp,
// and no barrier of the block. bar.arrive does not wait; what arrived and was not waited for ends
// with the block, so it stays a barrier that cannot be replaced.
//
//   asm volatile("bar.sync 0;");
//
// That is __syncthreads() by another name.
#pragma once

namespace clang {
class ASTContext;
class GCCAsmStmt;
} // namespace clang

namespace gpusched::passes {

/// Is the text one bar.sync or barrier.sync with a number that is not 0 and a count of threads?
bool waitsForSomeWarps(const clang::GCCAsmStmt& assembly, const clang::ASTContext& context);

/// Is the text one bar.sync or barrier.sync with number 0 and no count?
bool waitsForBlock(const clang::GCCAsmStmt& assembly, const clang::ASTContext& context);

/// Is it a "bar", at which the lanes of a warp are to be together, and no "barrier"?
bool isAligned(const clang::GCCAsmStmt& assembly);

} // namespace gpusched::passes
