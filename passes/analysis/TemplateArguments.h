// TemplateArguments.h - an instantiation's arguments and types as text that compiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registrars stand at the end of the file, at global scope: every type is printed canonical and
// fully qualified. What has no name there is refused: local and unnamed types, closures, and
// types that only their class may name.
#pragma once

#include "clang/AST/Decl.h"

#include <optional>
#include <string>

namespace gpusched::passes {

struct PrintedArguments {
  std::string text;      ///< "<float, 4>", empty for a function that is no instantiation
  std::string unnamable; ///< what has no name, empty if all is well
};
PrintedArguments printTemplateArguments(const clang::FunctionDecl& instance);

/// "void (*)(const float *, int)"; empty when a type cannot be named.
std::string printPointerType(const clang::FunctionDecl& function);

/// "::ns::" with anonymous and inline namespaces left out.
std::string printScope(const clang::Decl& declared);

/// "ns::scale<float, 4>" for people.
std::string printReadableName(const clang::FunctionDecl& function);

} // namespace gpusched::passes
