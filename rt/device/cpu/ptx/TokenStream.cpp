// TokenStream - tokens with two of look-ahead and one sticky error.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After an error the window is filled with End tokens and the lexer is not asked again.
#include "rt/device/cpu/ptx/TokenStream.h"

namespace gpusched::ptx {

namespace {

/// A token as it may appear in a message: short and printable.
std::string printable(const Token& token) {
  if (token.kind == Token::Kind::End)
    return "the end of the text";
  constexpr std::size_t kLongest = 40;
  std::string text = token.kind == Token::Kind::Dotted ? "." : "";
  for (char c : token.text.substr(0, kLongest))
    text += c >= ' ' && c <= '~' ? c : '?';
  if (token.text.size() > kLongest)
    text += "...";
  return inQuotes(text);
}

} // namespace

std::string inQuotes(std::string_view name) {
  std::string text = "'";
  text += name;
  text += '\'';
  return text;
}

TokenStream::TokenStream(std::string_view text) : source_(text), lexer_(text) {
  for (Token& token : window_)
    token = lexer_.next();
}

Token TokenStream::next() {
  const Token token = window_[0];
  window_[0] = window_[1];
  if (window_[0].kind != Token::Kind::End)
    window_[1] = lexer_.next();
  return token;
}

bool TokenStream::isPunctuator(std::string_view text, unsigned ahead) const {
  const Token& token = peek(ahead);
  return token.kind == Token::Kind::Punctuator && token.text == text;
}

bool TokenStream::isDotted(std::string_view text) const {
  return peek().kind == Token::Kind::Dotted && peek().text == text;
}

bool TokenStream::accept(std::string_view punctuator) {
  if (!isPunctuator(punctuator))
    return false;
  next();
  return true;
}

bool TokenStream::acceptDotted(std::string_view text) {
  if (!isDotted(text))
    return false;
  next();
  return true;
}

bool TokenStream::expect(std::string_view punctuator, std::string_view where) {
  if (accept(punctuator))
    return true;
  failHere("expected " + inQuotes(punctuator) + " " + std::string(where));
  return false;
}

std::string TokenStream::expectIdentifier(std::string_view what) {
  if (peek().kind == Token::Kind::Identifier)
    return std::string(next().text);
  failHere("expected " + std::string(what));
  return {};
}

void TokenStream::skipLine(uint32_t line) {
  while (!atEnd() && peek().line == line)
    next();
}

void TokenStream::skipBraces() {
  std::size_t depth = 0;
  do {
    if (isPunctuator("{"))
      ++depth;
    else if (isPunctuator("}"))
      --depth;
    next();
  } while (depth > 0 && !atEnd());
  if (depth > 0)
    failHere("expected '}'");
}

void TokenStream::failHere(std::string_view message) {
  failAt(peek().line, std::string(message) + ", found " + printable(peek()));
}

void TokenStream::failAt(uint32_t line, std::string_view message) {
  if (failed())
    return;
  error_ = "PTX line " + std::to_string(line) + ": " + std::string(message);
  for (Token& token : window_) {
    token = Token();
    token.line = line;
  }
}

} // namespace gpusched::ptx
