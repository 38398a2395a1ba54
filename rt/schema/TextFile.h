// TextFile.h - whole files in and out, with messages that name the path and the cause.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing goes to a temporary file in the same folder and is renamed over the target, so a
// reader, or a second writer of a parallel build, never sees half a file. Missing folders are
// made. Not for big data: the whole text is held in memory.
#pragma once

#include "rt/support/Result.h"

#include <string>

namespace gpusched {

Result<std::string> readTextFile(const std::string& path);
Status writeTextFile(const std::string& path, const std::string& text);

} // namespace gpusched
