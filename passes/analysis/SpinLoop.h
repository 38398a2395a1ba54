// SpinLoop.h - loops that wait for words of memory, and for what they may be waiting.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A persistent launch may have fewer workers than the grid has blocks. A block may then wait for
// earlier blocks (ids are claimed in order) and for the holder of a lock (it runs), but not for all
// blocks, as a hand-made grid barrier does. The difference is taken from the address: look-back
// computes it from the block's number, a lock is taken by an exchange, a barrier reads a word, or
// one word after the other, that has nothing to do with the block that waits. A place behind the
// block's own (`done[blockIdx.x + 1]`) is a later block's, which may not have begun.
#pragma once

#include "passes/analysis/WaitedPlace.h"

namespace clang {
class FunctionDecl;
class Stmt;
} // namespace clang

namespace gpusched::passes {

/// What a loop of `function` only waits for. None for a loop that does something, that takes a
/// lock, or whose address comes from the block's number, a call, or memory. Does not see a wait by
/// `goto`.
ForeignWord waitedWord(const clang::Stmt& loop, const clang::FunctionDecl& function);

} // namespace gpusched::passes
