// Parse.h - runs Clang's front end over one text, in memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device-side parse decides what a kernel's body contains, and Clang also instantiates there the
// kernel templates that host code launches. The host pass is parsed only to see which definitions
// nvcc's sees. Errors are collected, never fatal.
#pragma once

#include "passes/Transform.h"
#include "passes/analysis/MissingWords.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "clang/Basic/SourceLocation.h"

namespace clang {
class ASTContext;
}

namespace gpusched::passes {

class IncludeGraph;
class MacroUses;

/// What a parse leaves, as long as its AST lives.
struct ParsedUnit {
  clang::ASTContext& ast;
  const IncludeGraph& includes;
  const MacroUses& macros;
  const std::vector<clang::SourceLocation>& errors; ///< where Clang reported one
  const MissingWords& missingWords;
  bool closed = false; ///< compiled without -rdc: no device code of other files
};
using AstUse = std::function<void(const ParsedUnit&)>;

/// Texts that stand for files, by the absolute path without dots.
using Texts = std::map<std::string, std::string>;
std::string textKey(const std::string& path);

/// In place of an architecture: the pass in which __CUDA_ARCH__ is not defined.
inline constexpr const char* kHostPass = "host";

/// Parses `text` as `request.path`, with `headers` in place of what their files hold, for
/// `architecture` and calls `use`. Returns Clang's errors, one per line: "file:line:column:
/// message".
std::vector<std::string> parse(const TransformRequest& request, const std::string& text,
                               const Texts& headers, const std::string& architecture,
                               const AstUse& use);

} // namespace gpusched::passes
