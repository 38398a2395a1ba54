// AssemblyText.h - questions about the text of inline assembly.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   contains(text, {"%ctaid"})         the pieces anywhere
//   hasWord(text, {"barrier.arrive"})  not in mbarrier.arrive
//   waitsForLanes(text)                mma.sp.sync, wmma.load.a.sync.aligned; not bar.sync
//   endsThreads(text)                  `exit`, or `ret`, which the kernel's own end is in PTX
#pragma once

#include "llvm/ADT/StringRef.h"

#include <initializer_list>
#include <string>

namespace gpusched::passes {

bool contains(llvm::StringRef text, std::initializer_list<const char*> pieces);

/// Does a word of `text` begin with one of the pieces?
bool hasWord(llvm::StringRef text, std::initializer_list<const char*> pieces);

/// Does `text` hold an instruction that ends its thread, or the function it stands in?
bool endsThreads(llvm::StringRef text);

/// Does `text` hold an instruction for several lanes of a warp together?
bool waitsForLanes(llvm::StringRef text);

std::string onOneLine(std::string text);

} // namespace gpusched::passes
