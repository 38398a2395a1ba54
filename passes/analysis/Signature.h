// Signature.h - where the pieces of a kernel's definition are in the text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions come from the AST, so macros inside parameter types or attributes are no problem; a
// piece that itself comes out of a macro has no position, and that refuses the kernel.
#pragma once

#include "passes/analysis/KernelInfo.h"
#include "passes/analysis/MacroUses.h"

#include "clang/AST/Decl.h"

#include <optional>

namespace gpusched::passes {

/// Fills `text`, or says why this form is not taken. `definition` is the templated declaration of
/// a template; or the declaration in a class of a member that is defined elsewhere: then the body
/// is its `;`. REQUIRES: `tokens` are of the text that holds the definition's name.
std::optional<Refusal> readSignature(const clang::FunctionDecl& definition,
                                     const SourceTokens& tokens, const MacroUses& macros,
                                     KernelText& text);

/// The place of a location, or of the expansion that it came from.
SourcePlace placeOf(clang::SourceLocation location, const clang::SourceManager& sources);

} // namespace gpusched::passes
