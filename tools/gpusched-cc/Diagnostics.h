// Diagnostics.h - turns what nvcc said of the rewritten file into what it says of the original.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// #line directives already give positions in the user's file. Left to do: names of temporary
// files, the register report that only we asked for, and messages that show text of ours (a
// warning on a kernel's signature). Those cannot be edited into the original's; the caller then
// compiles the original once more, as far as anything was said, and shows what nvcc says there.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gpusched::cc {

struct DiagnosticNames {
  std::vector<std::pair<std::string, std::string>> paths; ///< temporary path -> the user's
  std::string injectedFolder;                             ///< of our headers
  std::function<bool(const std::string&)> isTwin; ///< by its symbol; lives as the rewrite does
  bool userWantsReport = false;                   ///< -Xptxas -v, --resource-usage
};

/// nvcc's text with our paths and our part of the register report taken out.
std::string userDiagnostics(const std::string& text, const DiagnosticNames& names);

/// True when what is left still shows something of ours.
bool showsOurs(const std::string& text, const DiagnosticNames& names);

/// True when no line is of the device code's optimiser or assembler, as far as lines tell: then the
/// front ends and the host compiler repeat them all.
bool isOfFrontEnds(const std::string& text);

} // namespace gpusched::cc
