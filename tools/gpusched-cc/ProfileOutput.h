// ProfileOutput.h - where static profiles go: the store, a file, a folder, the terminal.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile is a by-product. That it cannot be written is one log line; the compile has succeeded.
#pragma once

#include "tools/gpusched-cc/CommandLine.h"
#include "tools/gpusched-cc/OwnOptions.h"
#include "tools/gpusched-cc/StaticProfile.h"

namespace gpusched::cc {

/// Makes and writes the profiles of all files of one command, as --gpusched-profile says, and
/// prints them under --gpusched-report.
void writeStaticProfiles(const OwnOptions& own, const CommandLine& line,
                         const std::vector<ProfileInput>& inputs);

/// The folder of those profiles, one file per source; "" when --gpusched-profile names one file.
std::string staticProfileFolder(const OwnOptions& own);

/// 64-bit FNV-1a in 16 hexadecimal digits.
std::string hexHash(const std::string& text);

/// "<stem>-<hash>.json": the same source, macros and targets give the same name, so a rebuild
/// replaces its own profile and nobody else's.
std::string profileFileName(const CommandLine& line, const std::string& source);

} // namespace gpusched::cc
