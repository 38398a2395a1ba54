// ClangSpelling.h - a file system in which what only nvcc takes is spelt as Clang takes it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc takes `k << < g, b >> > (a)`, as code formatters leave it, `k<<<g, {32, 1}>>>(a)`, and
// macros that stand for a `#pragma`; Clang does not. The main file is given to the parse as a text,
// so it is respelt there; headers here. Every other byte keeps its place, so offsets are those of
// the original.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace gpusched::passes {

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withClangSpelling(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files);

} // namespace gpusched::passes
