// ConstantExpression.h - integer constant expressions, as in array sizes and offsets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/TokenStream.h"

namespace gpusched::ptx {

/// Parses `a op b ...` with C's precedence over + - * / % << >> & ^ |, the unary operators
/// - + ~ ! and parentheses. Arithmetic wraps at 64 bits; division by zero is an error.
/// Fails the stream and returns 0 when there is no expression.
int64_t parseConstantExpression(TokenStream& tokens);

/// The same without binary operators, where a '|' or ',' belongs to the surroundings.
int64_t parseConstantTerm(TokenStream& tokens);

/// True when the token can start an integer constant.
bool startsConstant(const TokenStream& tokens);

/// A size or count: an expression from 0 to `limit`.
uint64_t parseSize(TokenStream& tokens, uint64_t limit, std::string_view what);

} // namespace gpusched::ptx
