// Lexer.h - PTX text to tokens, one at a time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comments, white space and '#' lines disappear here. A token is a view into the text, so the
// text must outlive it. The lexer never fails: what it cannot read becomes an Invalid token
// and the parser reports it where it meets it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpusched::ptx {

struct Token {
  enum class Kind : uint8_t {
    End,
    Identifier, // ld, %r1, $L__BB0_1, _
    Dotted,     // .global, .shared::cta, .2d: `text` is without the dot
    Integer,    // bits
    Float32,    // 0f3F800000: bits
    Float64,    // 0d3FF0000000000000 or 1.5: bits
    String,     // `text` is without the quotes; escapes are not decoded
    Punctuator, // one character, or "<<" ">>"
    Invalid,    // unreadable: `text` is what was met
  };
  Kind kind = Kind::End;
  uint32_t line = 0;      // 1-based
  std::size_t offset = 0; // of its first character in the text
  std::size_t end = 0;    // of the first character after it
  std::string_view text;
  uint64_t bits = 0;
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}
  /// The next token; End again and again once the text is used up.
  Token next();

private:
  char at(std::size_t ahead) const;
  void skipBlanks();
  void skipBlockComment();
  Token take(Token::Kind kind, std::size_t length, std::size_t skipFront = 0,
             std::size_t skipBack = 0);
  Token number();
  Token hexadecimalFloat(Token::Kind kind, std::size_t digits);
  Token decimalFloat(std::size_t length);
  Token integer();
  Token dotted();
  Token string();

  std::string_view text_;
  std::size_t position_ = 0;
  uint32_t line_ = 1;
};

/// Letters, digits, '_' and '$': what follows the first character of a PTX name.
bool isNameCharacter(char c);

} // namespace gpusched::ptx
