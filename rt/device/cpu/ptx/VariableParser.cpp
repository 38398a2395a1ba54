// VariableParser - declarations of variables, registers' types and parameters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes are checked as they are read: dimensions multiply up to the space's limit, so a
// declared size never overflows and never leads to a huge allocation here. Initial values are
// only as large as the text that spells them.
#include "rt/device/cpu/ptx/VariableParser.h"

#include "rt/device/cpu/ptx/ConstantExpression.h"
#include "rt/device/cpu/ptx/Initializer.h"
#include "rt/device/cpu/ptx/TypeNames.h"

#include <algorithm>
#include <bit>

namespace gpusched::ptx {

namespace {

constexpr uint64_t kMaximumAlignment = 1 << 16;

uint64_t parseAlignment(TokenStream& tokens) {
  const uint32_t line = tokens.peek().line;
  const uint64_t align = parseSize(tokens, kMaximumAlignment, "alignment");
  if (!tokens.failed() && !std::has_single_bit(align))
    tokens.failAt(line, "alignment " + std::to_string(align) + " is not a power of two");
  return align;
}

/// `.attribute(.managed)`: says nothing that the host's registration does not say too.
void skipParentheses(TokenStream& tokens) {
  tokens.expect("(", "after .attribute");
  while (!tokens.atEnd() && !tokens.accept(")"))
    tokens.next();
}

/// `.ptr .global .align 16` describes what a pointer parameter points at, not the parameter.
void skipPointee(TokenStream& tokens) {
  while (tokens.peek().kind == Token::Kind::Dotted) {
    if (tokens.acceptDotted("align"))
      parseAlignment(tokens);
    else if (spaceFromName(tokens.peek().text) != Space::None || tokens.isDotted("generic"))
      tokens.next();
    else
      return;
  }
}

/// `[4][8]`; an empty first pair of brackets gives `unsized`. Returns the dimensions.
std::vector<uint64_t> parseDimensions(TokenStream& tokens, uint64_t elementBytes, Space space,
                                      bool& unsized) {
  std::vector<uint64_t> dimensions;
  uint64_t bytes = elementBytes;
  const uint64_t limit = maximumBytes(space);
  while (tokens.accept("[")) {
    if (dimensions.empty() && tokens.isPunctuator("]")) {
      unsized = true;
      dimensions.push_back(0);
    } else {
      dimensions.push_back(parseSize(tokens, limit / std::max<uint64_t>(bytes, 1), "array size"));
      bytes *= dimensions.back();
    }
    tokens.expect("]", "after an array size");
  }
  return dimensions;
}

} // namespace

uint64_t maximumBytes(Space space) {
  switch (space) {
  case Space::Global:
    return uint64_t(1) << 40;
  case Space::Local:
  case Space::Shared:
  case Space::Const:
    return uint64_t(1) << 26;
  default:
    return uint64_t(1) << 20;
  }
}

TypeSpecifier parseTypeSpecifier(TokenStream& tokens) {
  TypeSpecifier specifier;
  while (tokens.peek().kind == Token::Kind::Dotted) {
    const std::string_view word = tokens.peek().text;
    const Type type = typeFromName(word);
    if (tokens.acceptDotted("align")) {
      specifier.align = parseAlignment(tokens);
    } else if (tokens.acceptDotted("attribute")) {
      skipParentheses(tokens);
    } else if (tokens.acceptDotted("ptr")) {
      skipPointee(tokens);
    } else if (word == "v2" || word == "v4") {
      specifier.vector = word == "v2" ? 2 : 4;
      tokens.next();
    } else if (type != Type::None && specifier.type == Type::None) {
      specifier.type = type;
      tokens.next();
    } else {
      break;
    }
  }
  if (specifier.type == Type::None)
    tokens.failHere("expected a type such as .b32 in a declaration");
  return specifier;
}

Variable parseDeclarator(TokenStream& tokens, Space space, const TypeSpecifier& specifier) {
  Variable variable;
  variable.space = space;
  variable.type = specifier.type;
  variable.name = tokens.expectIdentifier("the name of a variable");
  const uint64_t elementBytes = uint64_t(sizeInBytes(specifier.type)) * specifier.vector;
  variable.align = specifier.align ? specifier.align : std::max<uint64_t>(elementBytes, 1);

  bool unsized = false;
  const std::vector<uint64_t> dimensions = parseDimensions(tokens, elementBytes, space, unsized);
  variable.bytes = elementBytes;
  for (const uint64_t dimension : dimensions)
    variable.bytes *= dimension;
  if (tokens.accept("="))
    parseInitializer(tokens, variable, dimensions, specifier.vector);
  return variable;
}

std::vector<Variable> parseVariables(TokenStream& tokens, Space space, bool isExtern) {
  const TypeSpecifier specifier = parseTypeSpecifier(tokens);
  std::vector<Variable> variables;
  do {
    variables.push_back(parseDeclarator(tokens, space, specifier));
    variables.back().isExtern = isExtern;
  } while (tokens.accept(","));
  tokens.expect(";", "after a declaration");
  return variables;
}

std::vector<Variable> parseParameters(TokenStream& tokens) {
  std::vector<Variable> parameters;
  tokens.expect("(", "before parameters");
  if (tokens.accept(")"))
    return parameters;
  do {
    const Space space =
        tokens.peek().kind == Token::Kind::Dotted ? spaceFromName(tokens.peek().text) : Space::None;
    if (space != Space::Param && space != Space::Reg) {
      tokens.failHere("expected .param or .reg");
      return parameters;
    }
    tokens.next();
    parameters.push_back(parseDeclarator(tokens, space, parseTypeSpecifier(tokens)));
  } while (tokens.accept(","));
  tokens.expect(")", "after parameters");
  return parameters;
}

} // namespace gpusched::ptx
