// SystemFolders.h - libraries that a build names with -isystem: the user's, or a compiler's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CMake names the headers of every imported package with -isystem, so kernels there are the user's
// like all others, and only warnings are not. Clang and the analysis take what is found through
// -isystem for a library that nothing is rewritten in. So the folders become ordinary ones, behind
// those of -I: the order of the search, -iquote, -I, -isystem, stays.
#pragma once

#include "passes/Transform.h"

#include <string>
#include <vector>

namespace gpusched::passes {

/// The folders of `-isystem` in request.clangArguments that are neither of the toolkit nor of the
/// host compiler, in order. Reads folders. Kernels in the rest have no source of the user.
std::vector<std::string> ownSystemFolders(const TransformRequest& request);

/// request.clangArguments with `folders` behind all other folders of -I.
std::vector<std::string> withOrdinary(const std::vector<std::string>& folders,
                                      const std::vector<std::string>& clangArguments);

/// True when the compiler calls a file `name` that it found in one of `folders`.
bool isInOneOf(const std::vector<std::string>& folders, const std::string& name);

} // namespace gpusched::passes
