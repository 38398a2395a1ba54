// VariableParser.h - declarations of variables, registers' types and parameters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/Ir.h"
#include "rt/device/cpu/ptx/TokenStream.h"

#include <vector>

namespace gpusched::ptx {

/// What stands between the state space and the name: .align 8 .v2 .b32 .ptr .global ...
struct TypeSpecifier {
  Type type = Type::None;
  unsigned vector = 1; // 2 or 4 for .v2 and .v4
  uint64_t align = 0;  // 0 = natural
};

/// Largest variable of a space; a declaration beyond it is an error, not an allocation.
uint64_t maximumBytes(Space space);

/// Parses alignment, attributes and type in any order; fails the stream without a type.
TypeSpecifier parseTypeSpecifier(TokenStream& tokens);

/// `name`, `name[n][m]` with an optional initialiser. The type specifier has been parsed.
Variable parseDeclarator(TokenStream& tokens, Space space, const TypeSpecifier& specifier);

/// `.space <specifier> a, b = 1;` with the space already consumed.
std::vector<Variable> parseVariables(TokenStream& tokens, Space space, bool isExtern);

/// A parenthesised list of .param or .reg declarations; empty for "()".
std::vector<Variable> parseParameters(TokenStream& tokens);

} // namespace gpusched::ptx
