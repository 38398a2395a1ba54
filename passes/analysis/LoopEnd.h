// LoopEnd.h - on what the end of a loop depends: may it be waiting for another block?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker that holds block ids back must not run a block that waits for one of them. A block waits
// in a loop that goes on until memory changes. So a loop cannot wait that ends by counting,
// whatever memory holds; nor one that only reads memory and is free to read it once, as the
// compiler is where nothing in the kernel makes it read again (FunctionUses::rereads).
#pragma once

namespace clang {
class ASTContext;
class Stmt;
} // namespace clang

namespace gpusched::passes {

enum class LoopEnd {
  NoLoop,
  Counted, ///< a variable that only the loop's head changes passes a bound; nothing leaves earlier
  Read,    ///< may depend on memory; the loop leaves memory alone, or ends by counting at last
  Written  ///< may depend on memory that the loop itself, or what it calls, writes
};

/// Of a statement, with what is inside; `goto` is taken for a loop that writes.
LoopEnd loopEnd(const clang::Stmt& statement, const clang::ASTContext& context);

} // namespace gpusched::passes
