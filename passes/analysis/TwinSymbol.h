// TwinSymbol.h - the mangled names of a kernel and of its persistent twin.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The twin is not in the AST that was parsed, and its name cannot be made from the kernel's by
// editing text (the extra parameter shifts every substitution). So a declaration with the twin's
// name and type is put together in the AST and mangled like any other.
#pragma once

#include "clang/AST/Decl.h"

#include <string>

namespace gpusched::passes {

std::string nativeSymbol(const clang::FunctionDecl& kernel);

/// Symbol of `name`, declared where `kernel` is, with gpusched_params in front of its parameters.
/// `returnsVoid`: by that name, where the kernel's return type has another.
std::string twinSymbol(const clang::FunctionDecl& kernel, const std::string& name,
                       bool returnsVoid);

} // namespace gpusched::passes
