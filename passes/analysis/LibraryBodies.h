// LibraryBodies.h - which function bodies need no reading: half of a parse.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Those of the C++ library, of Clang's own headers and of the toolkit's wrappers around single
// instructions know nothing of block indices; the intrinsics among them are known by name.
// Cooperative groups, CUB and whatever other library comes with -isystem may hold a barrier, so
// their bodies are read.
#pragma once

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Path.h"

#include <string>

namespace gpusched::passes {

class LibraryBodies {
public:
  LibraryBodies(const std::string& cuda, const std::string& resources)
      : toolkit_(cuda + "/include"), resources_(resources) {}

  bool skips(const clang::SourceManager& sources, clang::SourceLocation location) {
    const clang::SourceLocation place = sources.getExpansionLoc(location);
    const auto [known, isNew] = byFile_.try_emplace(sources.getFileID(place), false);
    if (isNew)
      known->second = sources.isInSystemHeader(place) && isPlainLibrary(sources.getFilename(place));
    return known->second;
  }

private:
  bool isPlainLibrary(llvm::StringRef path) const {
    if (path.contains("/c++/") || path.starts_with(resources_))
      return true;
    const llvm::StringRef folder = llvm::sys::path::parent_path(path);
    const llvm::StringRef name = llvm::sys::path::filename(path);
    return (folder == toolkit_ || folder == toolkit_ + "/crt") &&
           !name.starts_with("cooperative_groups") && !name.starts_with("cuda_awbarrier") &&
           !name.starts_with("cuda_pipeline") && !name.starts_with("curand");
  }

  std::string toolkit_, resources_;
  llvm::DenseMap<clang::FileID, bool> byFile_;
};

} // namespace gpusched::passes
