// Lexer - PTX text to tokens, one at a time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two spellings need care. A dotted word may start with a digit (tex.2d), so '.' always starts
// one and a number never does. A '%' starts a register name only when a name follows it.
// Every call either consumes at least one character or returns End, so lexing ends.
#include "rt/device/cpu/ptx/Lexer.h"

#include <bit>
#include <cerrno>
#include <cstdlib>
#include <string>

namespace gpusched::ptx {

namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

/// The value of one digit in any base up to 16; 99 for anything else.
unsigned digitValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 99;
}

} // namespace

bool isNameCharacter(char c) {
  return isLetter(c) || isDigit(c) || c == '_' || c == '$';
}

char Lexer::at(std::size_t ahead) const {
  return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
}

void Lexer::skipBlockComment() {
  position_ += 2;
  while (position_ < text_.size() && !(at(0) == '*' && at(1) == '/')) {
    line_ += at(0) == '\n';
    ++position_;
  }
  position_ = position_ + 2 <= text_.size() ? position_ + 2 : text_.size();
}

void Lexer::skipBlanks() {
  while (position_ < text_.size()) {
    if (isBlank(at(0))) {
      line_ += at(0) == '\n';
      ++position_;
    } else if ((at(0) == '/' && at(1) == '/') || at(0) == '#') {
      while (position_ < text_.size() && at(0) != '\n')
        ++position_;
    } else if (at(0) == '/' && at(1) == '*') {
      skipBlockComment();
    } else {
      return;
    }
  }
}

/// Consumes `length` characters; the token's text leaves out the first and last few.
Token Lexer::take(Token::Kind kind, std::size_t length, std::size_t skipFront,
                  std::size_t skipBack) {
  Token token;
  token.kind = kind;
  token.line = line_;
  token.offset = position_;
  token.end = position_ + length;
  token.text = text_.substr(position_ + skipFront, length - skipFront - skipBack);
  position_ += length;
  return token;
}

Token Lexer::next() {
  skipBlanks();
  if (position_ >= text_.size())
    return take(Token::Kind::End, 0);
  const char c = at(0);
  if (isDigit(c))
    return number();
  if (isLetter(c) || c == '_' || c == '$' || (c == '%' && isNameCharacter(at(1)))) {
    std::size_t length = 1;
    while (isNameCharacter(at(length)))
      ++length;
    return take(Token::Kind::Identifier, length);
  }
  if (c == '.')
    return dotted();
  if (c == '"')
    return string();
  if ((c == '<' || c == '>') && at(1) == c)
    return take(Token::Kind::Punctuator, 2);
  const bool known = std::string_view("{}()[]<>,;:|!@=+-*/%&^~?").find(c) != std::string_view::npos;
  return take(known ? Token::Kind::Punctuator : Token::Kind::Invalid, 1);
}

/// .name or .name::name::...
Token Lexer::dotted() {
  std::size_t length = 1;
  while (isNameCharacter(at(length)) || (length > 1 && at(length) == ':' && at(length + 1) == ':' &&
                                         isNameCharacter(at(length + 2))))
    length += at(length) == ':' ? 2 : 1;
  if (length == 1)
    return take(Token::Kind::Invalid, 1);
  return take(Token::Kind::Dotted, length, 1);
}

Token Lexer::string() {
  std::size_t length = 1;
  while (at(length) != '"' && at(length) != '\n' && position_ + length < text_.size())
    length += at(length) == '\\' && at(length + 1) != '\n' && at(length + 1) != '\0' ? 2 : 1;
  if (at(length) != '"')
    return take(Token::Kind::Invalid, length);
  return take(Token::Kind::String, length + 1, 1, 1);
}

Token Lexer::number() {
  if (at(0) == '0' && (at(1) == 'f' || at(1) == 'F'))
    return hexadecimalFloat(Token::Kind::Float32, 8);
  if (at(0) == '0' && (at(1) == 'd' || at(1) == 'D'))
    return hexadecimalFloat(Token::Kind::Float64, 16);
  std::size_t length = 0;
  while (isDigit(at(length)))
    ++length;
  const bool fraction = at(length) == '.' && !isLetter(at(length + 1));
  const bool exponent = (at(length) == 'e' || at(length) == 'E');
  return fraction || exponent ? decimalFloat(length) : integer();
}

/// 0f or 0d and exactly `digits` hexadecimal digits: the bits of an IEEE number.
Token Lexer::hexadecimalFloat(Token::Kind kind, std::size_t digits) {
  uint64_t bits = 0;
  std::size_t length = 2;
  for (; digitValue(at(length)) < 16; ++length)
    bits = bits << 4 | digitValue(at(length));
  Token token = take(length == digits + 2 ? kind : Token::Kind::Invalid, length);
  token.bits = bits;
  return token;
}

/// `length` digits have been seen; '.' or an exponent follows.
Token Lexer::decimalFloat(std::size_t length) {
  if (at(length) == '.')
    do
      ++length;
    while (isDigit(at(length)));
  if (at(length) == 'e' || at(length) == 'E') {
    ++length;
    if (at(length) == '+' || at(length) == '-')
      ++length;
    while (isDigit(at(length)))
      ++length;
  }
  Token token = take(Token::Kind::Float64, length);
  token.bits = std::bit_cast<uint64_t>(std::strtod(std::string(token.text).c_str(), nullptr));
  return token;
}

/// Decimal, octal, 0x, 0b; a U suffix says nothing. Invalid when it exceeds 64 bits.
Token Lexer::integer() {
  unsigned base = 10;
  std::size_t length = 0;
  if (at(0) == '0' && (at(1) == 'x' || at(1) == 'X'))
    base = 16, length = 2;
  else if (at(0) == '0' && (at(1) == 'b' || at(1) == 'B'))
    base = 2, length = 2;
  else if (at(0) == '0')
    base = 8;
  const std::size_t first = length;
  uint64_t bits = 0;
  bool fits = true;
  for (; digitValue(at(length)) < base; ++length) {
    fits = fits && bits <= (UINT64_MAX - digitValue(at(length))) / base;
    bits = bits * base + digitValue(at(length));
  }
  const bool some = length > first;
  if (at(length) == 'U')
    ++length;
  const bool clean = some && fits && !isNameCharacter(at(length));
  Token token = take(clean ? Token::Kind::Integer : Token::Kind::Invalid, length);
  token.bits = bits;
  return token;
}

} // namespace gpusched::ptx
