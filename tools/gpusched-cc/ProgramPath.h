// ProgramPath.h - programs in PATH that we stand in front of.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gpusched::cc {

/// Is the path, which may be a link, the program that runs?
bool isThisProgram(const std::string& path);

/// A file that may be run.
bool isExecutable(const std::string& path);

/// The first program of that name in PATH that is not this one; "" for none.
std::string findOtherInPath(const std::string& name);

} // namespace gpusched::cc
