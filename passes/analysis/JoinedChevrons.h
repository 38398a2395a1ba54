// JoinedChevrons.h - a file system in which launches are written as Clang wants them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc takes `k << < g, b >> > (a)`, as code formatters leave it; Clang does not. The main file is
// given to the parse as a text, so its launches are joined there; those of headers here. Every
// other byte keeps its place, so offsets are those of the original.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace gpusched::passes {

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withJoinedChevrons(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files);

} // namespace gpusched::passes
