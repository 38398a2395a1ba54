// TokenStream.h - tokens with two of look-ahead and one sticky error.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first fail() wins; from then on every token is End. So a parsing loop needs no error
// checks of its own: it must only stop at End, and the caller asks failed() once at the end.
#pragma once

#include "rt/device/cpu/ptx/Lexer.h"

#include <array>
#include <string>
#include <string_view>

namespace gpusched::ptx {

/// `name` between single quotes, for messages.
std::string inQuotes(std::string_view name);

class TokenStream {
public:
  explicit TokenStream(std::string_view text);

  const Token& peek(unsigned ahead = 0) const { return window_[ahead]; }
  Token next();
  bool atEnd() const { return peek().kind == Token::Kind::End; }

  bool isPunctuator(std::string_view text, unsigned ahead = 0) const;
  bool isDotted(std::string_view text) const;
  /// Consumes the token if it is the wanted one.
  bool accept(std::string_view punctuator);
  bool acceptDotted(std::string_view text);
  /// Consumes the wanted token, or fails saying that it was expected `where`.
  bool expect(std::string_view punctuator, std::string_view where);
  /// An identifier's text; empty after failing.
  std::string expectIdentifier(std::string_view what);

  /// Skips tokens up to the end of `line`, for directives that have no ';'.
  void skipLine(uint32_t line);
  /// The token is '{': skips past the matching '}'.
  void skipBraces();

  /// Records the error at the current token ("..., found 'x'").
  void failHere(std::string_view message);
  void failAt(uint32_t line, std::string_view message);
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  std::string_view source() const { return source_; }

private:
  std::string_view source_;
  Lexer lexer_;
  std::array<Token, 2> window_;
  std::string error_;
};

} // namespace gpusched::ptx
