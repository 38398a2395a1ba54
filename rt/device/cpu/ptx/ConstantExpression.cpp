// ConstantExpression - integer constant expressions, as in array sizes and offsets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precedence climbing. Nesting (parentheses, unary operators) is limited, so no input can
// exhaust the stack. Values are unsigned inside, so overflow is defined.
#include "rt/device/cpu/ptx/ConstantExpression.h"

namespace gpusched::ptx {

namespace {

constexpr unsigned kMaximumNesting = 64;

uint64_t parseBinary(TokenStream& tokens, int minimum, unsigned depth);

int precedence(std::string_view op) {
  if (op == "|")
    return 1;
  if (op == "^")
    return 2;
  if (op == "&")
    return 3;
  if (op == "<<" || op == ">>")
    return 4;
  if (op == "+" || op == "-")
    return 5;
  return op == "*" || op == "/" || op == "%" ? 6 : 0;
}

uint64_t divide(TokenStream& tokens, bool remainder, int64_t left, int64_t right) {
  if (right == 0) {
    tokens.failHere("division by zero in a constant expression");
    return 0;
  }
  if (right == -1) // INT64_MIN / -1 traps on the host
    return remainder ? 0 : 0 - uint64_t(left);
  return remainder ? left % right : left / right;
}

uint64_t apply(TokenStream& tokens, char op, uint64_t left, uint64_t right) {
  switch (op) {
  case '|':
    return left | right;
  case '^':
    return left ^ right;
  case '&':
    return left & right;
  case '<':
    return right < 64 ? left << right : 0;
  case '>':
    return int64_t(left) >> (right < 64 ? right : 63);
  case '+':
    return left + right;
  case '-':
    return left - right;
  case '*':
    return left * right;
  default:
    return divide(tokens, op == '%', int64_t(left), int64_t(right));
  }
}

uint64_t parseUnary(TokenStream& tokens, unsigned depth) {
  if (depth > kMaximumNesting) {
    tokens.failHere("constant expression nested too deeply");
    return 0;
  }
  if (tokens.accept("-"))
    return 0 - parseUnary(tokens, depth + 1);
  if (tokens.accept("+"))
    return parseUnary(tokens, depth + 1);
  if (tokens.accept("~"))
    return ~parseUnary(tokens, depth + 1);
  if (tokens.accept("!"))
    return parseUnary(tokens, depth + 1) == 0;
  if (tokens.accept("(")) {
    const uint64_t value = parseBinary(tokens, 1, depth + 1);
    tokens.expect(")", "after a constant expression");
    return value;
  }
  if (tokens.peek().kind == Token::Kind::Integer)
    return tokens.next().bits;
  if (tokens.peek().kind == Token::Kind::Identifier && tokens.peek().text == "WARP_SZ") {
    tokens.next();
    return 32;
  }
  tokens.failHere("expected an integer");
  return 0;
}

uint64_t parseBinary(TokenStream& tokens, int minimum, unsigned depth) {
  uint64_t value = parseUnary(tokens, depth);
  while (tokens.peek().kind == Token::Kind::Punctuator) {
    const std::string_view op = tokens.peek().text;
    const int strength = precedence(op);
    if (strength == 0 || strength < minimum)
      break;
    tokens.next();
    const uint64_t right = parseBinary(tokens, strength + 1, depth + 1);
    value = apply(tokens, op.front(), value, right);
  }
  return value;
}

} // namespace

int64_t parseConstantExpression(TokenStream& tokens) {
  return parseBinary(tokens, 1, 0);
}

int64_t parseConstantTerm(TokenStream& tokens) {
  return parseUnary(tokens, 0);
}

bool startsConstant(const TokenStream& tokens) {
  const Token& token = tokens.peek();
  if (token.kind == Token::Kind::Punctuator)
    return token.text == "-" || token.text == "+" || token.text == "~" || token.text == "(";
  return token.kind == Token::Kind::Integer ||
         (token.kind == Token::Kind::Identifier && token.text == "WARP_SZ");
}

uint64_t parseSize(TokenStream& tokens, uint64_t limit, std::string_view what) {
  const uint32_t line = tokens.peek().line;
  const int64_t value = parseConstantExpression(tokens);
  if (value >= 0 && uint64_t(value) <= limit)
    return value;
  tokens.failAt(line, std::string(what) + " " + std::to_string(value) + " is not between 0 and " +
                          std::to_string(limit));
  return 0;
}

} // namespace gpusched::ptx
