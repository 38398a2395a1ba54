// OperandParser - one operand of an instruction.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form alone decides the kind; the opcode is not looked at. A name is, in this order: a
// register of the scopes, a variable of the scopes, a special register (it starts with '%'),
// or a symbol, which becomes a label or a table later if the function defines one.
#include "rt/device/cpu/ptx/OperandParser.h"

#include "rt/device/cpu/ptx/ConstantExpression.h"

#include <algorithm>
#include <bit>

namespace gpusched::ptx {

namespace {

constexpr unsigned kMaximumNesting = 8;

constexpr std::string_view kSpecialRegisters[] = {"aggr_smem_size",
                                                  "clock",
                                                  "clock64",
                                                  "clock_hi",
                                                  "cluster_ctaid",
                                                  "cluster_ctarank",
                                                  "cluster_nctaid",
                                                  "cluster_nctarank",
                                                  "clusterid",
                                                  "ctaid",
                                                  "current_graph_exec",
                                                  "dynamic_smem_size",
                                                  "globaltimer",
                                                  "globaltimer_hi",
                                                  "globaltimer_lo",
                                                  "gridid",
                                                  "is_explicit_cluster",
                                                  "laneid",
                                                  "lanemask_eq",
                                                  "lanemask_ge",
                                                  "lanemask_gt",
                                                  "lanemask_le",
                                                  "lanemask_lt",
                                                  "nclusterid",
                                                  "nctaid",
                                                  "nsmid",
                                                  "ntid",
                                                  "nwarpid",
                                                  "smid",
                                                  "tid",
                                                  "total_smem_size",
                                                  "warpid"};

/// Names that the toolchain numbers: envreg0..31, pm0..7, pm0_64, reserved_smem_offset_1.
constexpr std::string_view kSpecialPrefixes[] = {"envreg", "pm", "reserved_smem_offset_"};

bool isSpecialRegister(std::string_view name) {
  if (std::find(std::begin(kSpecialRegisters), std::end(kSpecialRegisters), name) !=
      std::end(kSpecialRegisters))
    return true;
  for (std::string_view prefix : kSpecialPrefixes)
    if (name.starts_with(prefix))
      return true;
  return false;
}

/// ".x" -> 'x', ".b2" -> '2', ".h1" -> 'h'; 0 when the word selects nothing.
char componentOf(std::string_view word) {
  if (word.size() == 1) {
    constexpr std::string_view kNames = "xyzwrgba";
    const std::size_t position = kNames.find(word[0]);
    return position == std::string_view::npos ? 0 : kNames[position % 4];
  }
  if (word.size() == 2 && word[0] == 'b' && word[1] >= '0' && word[1] <= '3')
    return word[1];
  if (word == "h0")
    return 'l';
  return word == "h1" ? 'h' : 0;
}

/// "b3210", "h10": bytes or halves of two registers, or of one.
bool selectsParts(std::string_view word) {
  if (word.size() < 3 || word.size() > 5 || (word[0] != 'b' && word[0] != 'h'))
    return false;
  return word.find_first_not_of("01234567", 1) == std::string_view::npos;
}

} // namespace

Operand OperandParser::parse() {
  Operand first = parsePrimary(0);
  if (!tokens_.accept("|"))
    return first;
  Operand pair;
  pair.kind = Operand::Kind::Pair;
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(parsePrimary(0));
  return pair;
}

uint32_t OperandParser::parseGuard() {
  if (tokens_.peek().kind == Token::Kind::Identifier)
    if (const std::optional<uint32_t> index = scopes_.findRegister(tokens_.peek().text)) {
      tokens_.next();
      return *index;
    }
  tokens_.failHere("expected a declared predicate register after '@'");
  return 0;
}

Operand OperandParser::parsePrimary(unsigned depth) {
  if (depth > kMaximumNesting) {
    tokens_.failHere("operand nested too deeply");
    return {};
  }
  const Token::Kind kind = tokens_.peek().kind;
  if (kind == Token::Kind::Identifier && tokens_.peek().text != "WARP_SZ")
    return parseName(false);
  if (tokens_.accept("{"))
    return parseSequence(Operand::Kind::Vector, "}", depth);
  if (tokens_.accept("["))
    return parseAddress(depth);
  if (tokens_.accept("!"))
    return parseNegated(depth);
  if (tokens_.isPunctuator("-") && tokens_.peek(1).kind == Token::Kind::Identifier &&
      scopes_.findRegister(tokens_.peek(1).text)) {
    tokens_.next();
    return parseNegated(depth);
  }
  // A call's list; a parenthesised constant is only met inside an address or after a sign.
  if (tokens_.accept("("))
    return parseSequence(Operand::Kind::List, ")", depth);
  return parseNumber();
}

/// The opening bracket is consumed.
Operand OperandParser::parseSequence(Operand::Kind kind, std::string_view close, unsigned depth) {
  Operand sequence;
  sequence.kind = kind;
  if (tokens_.accept(close))
    return sequence;
  do
    sequence.elements.push_back(parsePrimary(depth + 1));
  while (tokens_.accept(","));
  tokens_.expect(close, "after a list of operands");
  return sequence;
}

/// The '[' is consumed. The offset belongs to the address, not to its base.
Operand OperandParser::parseAddress(unsigned depth) {
  Operand address;
  address.kind = Operand::Kind::Address;
  if (tokens_.peek().kind == Token::Kind::Identifier) {
    address.elements.push_back(parseName(true));
    address.offset = parseOffset();
  } else {
    address.elements.push_back(parseNumber());
  }
  while (tokens_.accept(","))
    address.elements.push_back(parsePrimary(depth + 1));
  tokens_.expect("]", "after an address");
  return address;
}

Operand OperandParser::parseNegated(unsigned depth) {
  Operand operand = parsePrimary(depth + 1);
  if (operand.kind != Operand::Kind::Register)
    tokens_.failHere("expected a register after '!'");
  operand.negated = true;
  return operand;
}

Operand OperandParser::parseNumber() {
  Operand operand;
  const bool negative = tokens_.isPunctuator("-");
  const Token::Kind kind = tokens_.peek(negative ? 1 : 0).kind;
  if (kind == Token::Kind::Float32 || kind == Token::Kind::Float64) {
    if (negative)
      tokens_.next();
    const bool single = kind == Token::Kind::Float32;
    operand.kind = single ? Operand::Kind::Float32 : Operand::Kind::Float64;
    operand.bits = tokens_.next().bits ^ (negative ? uint64_t(1) << (single ? 31 : 63) : 0);
    return operand;
  }
  if (!startsConstant(tokens_)) {
    tokens_.failHere("expected an operand");
    return operand;
  }
  operand.kind = Operand::Kind::Integer;
  operand.bits = uint64_t(parseConstantExpression(tokens_));
  return operand;
}

/// `+4`, `-4`, `+-4`, `+4+8`; 0 when there is none.
int64_t OperandParser::parseOffset() {
  if (!tokens_.isPunctuator("+") && !tokens_.isPunctuator("-"))
    return 0;
  return parseConstantExpression(tokens_);
}

Operand OperandParser::parseName(bool inAddress) {
  const std::string_view name = tokens_.peek().text;
  if (const std::optional<uint32_t> index = scopes_.findRegister(name)) {
    tokens_.next();
    return parseRegister(*index);
  }
  Operand operand;
  if (name == "_") {
    tokens_.next();
    return operand;
  }
  operand.variable = scopes_.findVariable(name);
  if (operand.variable < 0 && name[0] == '%')
    return parseSpecial(name.substr(1));
  operand.kind = Operand::Kind::Symbol;
  operand.name = name;
  tokens_.next();
  if (!inAddress)
    operand.offset = parseOffset();
  return operand;
}

Operand OperandParser::parseRegister(uint32_t index) {
  Operand operand;
  operand.kind = Operand::Kind::Register;
  operand.reg = index;
  if (tokens_.peek().kind != Token::Kind::Dotted)
    return operand;
  operand.component = componentOf(tokens_.peek().text);
  if (selectsParts(tokens_.peek().text))
    operand.name = tokens_.next().text;
  else if (operand.component)
    tokens_.next();
  else
    tokens_.failHere("expected a component such as .x, .b0 or .b3210 after a register");
  return operand;
}

Operand OperandParser::parseSpecial(std::string_view name) {
  Operand operand;
  operand.kind = Operand::Kind::Special;
  if (!isSpecialRegister(name)) {
    tokens_.failHere("expected a declared register");
    return operand;
  }
  operand.name = name;
  tokens_.next();
  if (tokens_.peek().kind == Token::Kind::Dotted)
    operand.name.append(".").append(tokens_.next().text);
  return operand;
}

} // namespace gpusched::ptx
