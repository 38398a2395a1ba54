// Initializer - the initial value of a module variable.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value is a number or an address: `sym`, `sym+8`, `generic(sym)+8`. Compilers spell an
// address inside packed data as bytes, `0xFF(sym), 0xFF00(sym), ...`; a full run of these is
// one relocation again, anything else is an error. Braces nest at most as deep as the
// dimensions. The bytes grow with the values met, never with the declared size.
#include "rt/device/cpu/ptx/Initializer.h"

#include "rt/device/cpu/ptx/ConstantExpression.h"
#include "rt/support/RoundUp.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpusched::ptx {

namespace {

constexpr uint64_t kMaximumGaps = 16 << 20;

class InitializerParser {
public:
  InitializerParser(TokenStream& tokens, Variable& variable, std::vector<uint64_t> rowBytes)
      : tokens_(tokens), variable_(variable), rowBytes_(std::move(rowBytes)) {}

  void parseList(std::size_t level);
  void parseValue();
  void finish();
  uint64_t end() const { return position_; }

private:
  void parseNumber(Token::Kind kind);
  void parseAddress();
  void parseMaskedByte();
  void parseSymbol(Variable::Relocation& relocation);
  void write(uint64_t bits, unsigned size);
  void writeFloating(double value);
  unsigned valueBytes() const { return sizeInBytes(variable_.type); }

  TokenStream& tokens_;
  Variable& variable_;
  std::vector<uint64_t> rowBytes_; // bytes of one element at each level of braces
  uint64_t position_ = 0;
  uint64_t gaps_ = 0;   // zero bytes that no value spells
  bool masked_ = false; // the last relocation is a run of masked bytes, not yet 8 of them
};

/// Zero-extends the bytes up to the position and adds `size` more.
void InitializerParser::write(uint64_t bits, unsigned size) {
  gaps_ += position_ - variable_.init.size();
  if (gaps_ > kMaximumGaps)
    return tokens_.failHere("unsupported initialiser: too much unspecified space between values");
  variable_.init.resize(position_);
  for (unsigned i = 0; i < size; ++i)
    variable_.init.push_back(i < 8 ? uint8_t(bits >> (8 * i)) : 0);
  position_ += size;
}

void InitializerParser::writeFloating(double value) {
  if (variable_.type == Type::F32)
    write(std::bit_cast<uint32_t>(float(value)), 4);
  else if (variable_.type == Type::F64)
    write(std::bit_cast<uint64_t>(value), 8);
  else
    tokens_.failHere("a decimal floating-point initialiser needs type .f32 or .f64");
}

void InitializerParser::parseNumber(Token::Kind kind) {
  if (kind == Token::Kind::Float32 && variable_.type == Type::F64)
    return writeFloating(std::bit_cast<float>(uint32_t(tokens_.next().bits)));
  if (kind == Token::Kind::Float64 && valueBytes() != 8)
    return writeFloating(std::bit_cast<double>(tokens_.next().bits));
  write(tokens_.next().bits, valueBytes());
}

/// `name`, `name+n`, `generic(name)`, `generic(name)+n`.
void InitializerParser::parseSymbol(Variable::Relocation& relocation) {
  relocation.symbol = tokens_.expectIdentifier("a symbol");
  if (relocation.symbol == "generic" && tokens_.accept("(")) {
    relocation.generic = true;
    relocation.symbol = tokens_.expectIdentifier("a symbol");
    tokens_.expect(")", "after generic(");
  }
  if (tokens_.isPunctuator("+") || tokens_.isPunctuator("-"))
    relocation.addend = parseConstantExpression(tokens_);
}

void InitializerParser::parseAddress() {
  if (valueBytes() != 4 && valueBytes() != 8)
    return tokens_.failHere("an address needs an element of 4 or 8 bytes");
  Variable::Relocation relocation;
  relocation.offset = position_;
  relocation.size = valueBytes();
  parseSymbol(relocation);
  variable_.relocations.push_back(relocation);
  write(0, valueBytes());
}

/// `0xFF00(sym)`: one byte of an address; it must continue the run that came before it.
void InitializerParser::parseMaskedByte() {
  const uint32_t line = tokens_.peek().line;
  const uint64_t mask = tokens_.next().bits;
  tokens_.expect("(", "after a mask");
  Variable::Relocation relocation;
  parseSymbol(relocation);
  tokens_.expect(")", "after a masked symbol");

  const unsigned byte = mask ? std::countr_zero(mask) / 8 : 8;
  const bool oneByte = valueBytes() == 1 && byte < 8 && mask == uint64_t(0xFF) << (8 * byte);
  if (byte == 0 && !masked_) {
    relocation.offset = position_;
    relocation.size = 0;
    variable_.relocations.push_back(relocation);
    masked_ = true;
  }
  Variable::Relocation* run = masked_ ? &variable_.relocations.back() : nullptr;
  if (!oneByte || !run || run->size != byte || run->offset + byte != position_ ||
      run->symbol != relocation.symbol || run->addend != relocation.addend)
    return tokens_.failAt(line, "unsupported initialiser: a mask of an address that is not one of "
                                "the consecutive bytes of the whole address");
  masked_ = ++run->size < 8;
  write(0, 1);
}

void InitializerParser::parseValue() {
  const Token& token = tokens_.peek();
  if (token.kind == Token::Kind::Float32 || token.kind == Token::Kind::Float64)
    return parseNumber(token.kind);
  if (token.kind == Token::Kind::Integer && tokens_.isPunctuator("(", 1))
    return parseMaskedByte();
  if (token.kind == Token::Kind::Identifier && token.text != "WARP_SZ")
    return parseAddress();
  const bool negative = tokens_.isPunctuator("-");
  const Token::Kind second = tokens_.peek(1).kind;
  if (negative && (second == Token::Kind::Float32 || second == Token::Kind::Float64)) {
    tokens_.next();
    const uint64_t bits = tokens_.next().bits;
    return writeFloating(second == Token::Kind::Float64 ? -std::bit_cast<double>(bits)
                                                        : -std::bit_cast<float>(uint32_t(bits)));
  }
  const int64_t value = parseConstantExpression(tokens_);
  if (variable_.type == Type::F32 || variable_.type == Type::F64)
    return writeFloating(double(value));
  write(value, valueBytes());
}

/// The token is '{'. Level 0 holds the elements of the first dimension.
void InitializerParser::parseList(std::size_t level) {
  if (level >= rowBytes_.size())
    return tokens_.failHere("an initialiser has more levels of braces than the array dimensions");
  tokens_.next();
  if (tokens_.accept("}"))
    return;
  do {
    const uint64_t begin = position_;
    if (!tokens_.isPunctuator("{")) {
      parseValue();
      continue;
    }
    parseList(level + 1);
    if (position_ > begin + rowBytes_[level])
      tokens_.failHere("more initial values than one row of the array holds");
    position_ = begin + rowBytes_[level];
  } while (tokens_.accept(",") && !tokens_.failed());
  tokens_.expect("}", "after initial values");
}

void InitializerParser::finish() {
  if (masked_)
    tokens_.failHere("unsupported initialiser: only a part of an address");
}

} // namespace

void parseInitializer(TokenStream& tokens, Variable& variable,
                      const std::vector<uint64_t>& dimensions, unsigned vector) {
  const uint64_t elementBytes = uint64_t(sizeInBytes(variable.type)) * vector;
  std::vector<uint64_t> rowBytes(dimensions.size(), elementBytes);
  for (std::size_t level = dimensions.size(); level-- > 1;)
    rowBytes[level - 1] = rowBytes[level] * dimensions[level];
  if (vector > 1)
    rowBytes.push_back(elementBytes / vector);

  InitializerParser parser(tokens, variable, rowBytes);
  if (tokens.isPunctuator("{"))
    parser.parseList(0);
  else
    parser.parseValue();
  parser.finish();
  if (!dimensions.empty() && dimensions[0] == 0) {
    variable.bytes = roundUp(parser.end(), rowBytes[0]);
  }
  if (parser.end() > variable.bytes)
    tokens.failHere(inQuotes(variable.name) + " has " + std::to_string(parser.end()) +
                    " bytes of initial values and only " + std::to_string(variable.bytes) +
                    " bytes of storage");
}

} // namespace gpusched::ptx
