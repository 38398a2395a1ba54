// SpinLoop.h - loops that wait for one word of memory, and for what they may be waiting.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A persistent launch may have fewer workers than the grid has blocks. A block may then wait for
// earlier blocks (ids are claimed in order) and for the holder of a lock (it runs), but not for all
// blocks, as a hand-made grid barrier does. The difference is taken from the address: look-back
// computes it from the block's number, a lock is taken by an exchange, a barrier reads one word.
#pragma once

#include <string>

namespace clang {
class Stmt;
} // namespace clang

namespace gpusched::passes {

/// The word that a loop only waits for, as text: "g_mutex". Empty for a loop that does something,
/// that waits at a computed address, or that takes a lock. Does not see a wait whose value goes
/// through a local variable or that leaves by `break`.
std::string waitedWord(const clang::Stmt& loop);

} // namespace gpusched::passes
