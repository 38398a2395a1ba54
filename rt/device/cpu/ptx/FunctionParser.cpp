// FunctionParser - one .entry or .func: its header and the statements of its body.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body is a flat list of instructions; blocks only open and close scopes of names, so a
// loop handles them and nesting costs no stack. The list always ends with an instruction that
// does not fall through: control that reaches the closing brace returns, as PTX says, so a
// `ret` is added where the text has none. Labels and branch tables hold indices into the list.
#include "rt/device/cpu/ptx/FunctionParser.h"

#include "rt/device/cpu/ptx/ConstantExpression.h"
#include "rt/device/cpu/ptx/InstructionText.h"
#include "rt/device/cpu/ptx/TypeNames.h"
#include "rt/device/cpu/ptx/VariableParser.h"

#include <algorithm>
#include <utility>

namespace gpusched::ptx {

namespace {

/// Up to three comma-separated counts.
void parseTriple(TokenStream& tokens, std::array<uint32_t, 3>& triple) {
  constexpr uint64_t kLargest = UINT32_MAX;
  triple = {1, 1, 1};
  for (uint32_t& value : triple) {
    value = uint32_t(parseSize(tokens, kLargest, "a thread or block count"));
    if (!tokens.accept(","))
      return;
  }
}

bool fallsThrough(const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  const bool ends = opcode == "ret" || opcode == "exit" || opcode == "bra" || opcode == "brx";
  return !ends || instruction.predicate >= 0;
}

} // namespace

void skipPragma(TokenStream& tokens) {
  while (tokens.peek().kind == Token::Kind::String || tokens.isPunctuator(","))
    tokens.next();
  tokens.expect(";", "after .pragma");
}

FunctionParser::FunctionParser(TokenStream& tokens,
                               std::function<bool(std::string_view)> isModuleSymbol)
    : tokens_(tokens), isModuleSymbol_(std::move(isModuleSymbol)), scopes_(function_, tokens),
      operands_(tokens, scopes_) {}

Function FunctionParser::parse(bool isEntry) {
  parseHeader(isEntry);
  layOutParameters();
  if (tokens_.accept(";"))
    function_.isExtern = true;
  else
    parseBody();
  return std::move(function_);
}

void FunctionParser::parseHeader(bool isEntry) {
  function_.isEntry = isEntry;
  function_.line = tokens_.peek().line;
  if (!isEntry && tokens_.isPunctuator("("))
    function_.results = parseParameters(tokens_);
  function_.name = tokens_.expectIdentifier("the name of a function");
  if (tokens_.isPunctuator("("))
    function_.parameters = parseParameters(tokens_);
  declareRegisterParameters(function_.results);
  declareRegisterParameters(function_.parameters);
  while (tokens_.peek().kind == Token::Kind::Dotted)
    parseHeaderDirective();
}

void FunctionParser::parseHeaderDirective() {
  const Token directive = tokens_.next();
  constexpr uint64_t kLargest = UINT32_MAX;
  if (directive.text == "maxntid")
    parseTriple(tokens_, function_.maxThreads);
  else if (directive.text == "reqntid")
    parseTriple(tokens_, function_.requiredThreads);
  else if (directive.text == "reqnctapercluster")
    parseTriple(tokens_, function_.clusterBlocks);
  else if (directive.text == "minnctapersm")
    function_.minBlocksPerSm = uint32_t(parseSize(tokens_, kLargest, "a block count"));
  else if (directive.text == "maxnreg")
    function_.maxRegisters = uint32_t(parseSize(tokens_, kLargest, "a register count"));
  else if (directive.text == "pragma")
    skipPragma(tokens_);
  else if (directive.text == "loc" || directive.text == "file")
    tokens_.skipLine(directive.line);
  else if (startsConstant(tokens_)) // .maxclusterrank 8, .abi_preserve 4, .maxnctapersm 2
    parseSize(tokens_, kLargest, "the value of a directive");
  // .noreturn, .explicitcluster, .blocksareclusters stand alone.
}

void FunctionParser::layOutParameters() {
  uint64_t offset = 0;
  for (const Variable& parameter : function_.parameters) {
    offset = (offset + parameter.align - 1) / parameter.align * parameter.align;
    function_.parameterOffsets.push_back(offset);
    offset += parameter.bytes;
  }
  function_.parameterBytes = offset;
}

void FunctionParser::declareRegisterParameters(const std::vector<Variable>& parameters) {
  for (const Variable& parameter : parameters)
    if (parameter.space == Space::Reg)
      scopes_.declareRegister(parameter.name, parameter.type);
}

void FunctionParser::parseBody() {
  tokens_.expect("{", "or ';' after a function's header");
  uint32_t lastLine = tokens_.peek().line;
  while (!tokens_.atEnd() && scopes_.depth() > 0) {
    lastLine = tokens_.peek().line;
    parseStatement();
  }
  if (scopes_.depth() > 0)
    return tokens_.failHere("expected '}' at the end of function " + inQuotes(function_.name));
  finishBody(lastLine);
  checkUnresolved();
}

void FunctionParser::parseStatement() {
  if (tokens_.accept("{"))
    return scopes_.open();
  if (tokens_.accept("}"))
    return scopes_.close();
  if (tokens_.accept(";"))
    return;
  if (tokens_.peek().kind == Token::Kind::Dotted)
    return parseDirective();
  if (tokens_.peek().kind == Token::Kind::Identifier && tokens_.isPunctuator(":", 1))
    return parseLabel();
  parseInstruction();
}

void FunctionParser::addMarker(uint32_t line) {
  Instruction instruction;
  instruction.opcode = instruction.text = kLogicalBlockMarker;
  instruction.line = line;
  function_.body.push_back(std::move(instruction));
}

void FunctionParser::parseDirective() {
  const Token directive = tokens_.next();
  if (directive.text == "reg")
    return parseRegisters();
  if (directive.text == "pragma")
    return skipPragma(tokens_);
  if (directive.text == "loc")
    return parseLocation(directive.line);
  if (directive.text == "file")
    return tokens_.skipLine(directive.line);
  if (directive.text == "extern" || directive.text == "weak" || directive.text == "visible")
    return;
  const Space space = spaceFromName(directive.text);
  if (space == Space::None)
    return tokens_.failAt(directive.line,
                          "unknown directive '." + std::string(directive.text) + "' in a function");
  for (Variable& variable : parseVariables(tokens_, space, false)) {
    variable.isExtern = variable.bytes == 0;
    scopes_.declareVariable(std::move(variable));
  }
}

/// `.loc 1 12 5, function_name $L, inlined_at 1 30 3`: what follows is from line 12 of file 1.
void FunctionParser::parseLocation(uint32_t line) {
  sourceFile_ = sourceLine_ = 0;
  for (uint32_t* value : {&sourceFile_, &sourceLine_})
    if (tokens_.peek().kind == Token::Kind::Integer && tokens_.peek().line == line)
      *value = uint32_t(tokens_.next().bits);
  tokens_.skipLine(line);
}

/// `.reg .b32 %r<12>, a, b;` with .reg consumed.
void FunctionParser::parseRegisters() {
  const TypeSpecifier specifier = parseTypeSpecifier(tokens_);
  if (specifier.vector != 1)
    return tokens_.failHere("unsupported: registers of a vector type");
  do {
    const uint32_t line = tokens_.peek().line;
    const std::string name = tokens_.expectIdentifier("the name of a register");
    if (name == kLogicalBlockMarker)
      addMarker(line);
    if (tokens_.accept("<")) {
      constexpr uint64_t kLargest = UINT32_MAX;
      scopes_.declareRegisters(name, parseSize(tokens_, kLargest, "register count"),
                               specifier.type);
      tokens_.expect(">", "after a register count");
    } else {
      scopes_.declareRegister(name, specifier.type);
    }
  } while (tokens_.accept(","));
  tokens_.expect(";", "after .reg");
}

void FunctionParser::parseLabel() {
  const Token label = tokens_.next();
  const std::string name(label.text);
  tokens_.next(); // ':'
  if (tokens_.acceptDotted("branchtargets"))
    parseBranchTable(name, label.line);
  else if (tokens_.acceptDotted("callprototype"))
    parsePrototype(name);
  else
    scopes_.defineLabel(name);
}

/// Unique in the function: blocks may reuse a name.
std::string FunctionParser::tableName(std::string name, uint32_t index) const {
  if (scopes_.depth() > 1)
    name.append("$").append(std::to_string(index)).append("$");
  return name;
}

void FunctionParser::parseBranchTable(const std::string& name, uint32_t line) {
  const uint32_t index = uint32_t(function_.branchTables.size());
  BranchTable table;
  table.name = tableName(name, index);
  scopes_.defineTable(name, table.name, index);
  function_.branchTables.push_back(table);
  do {
    const std::string label = tokens_.expectIdentifier("a label");
    std::vector<uint32_t>& targets = function_.branchTables[index].targets;
    scopes_.addPending(label, index, uint32_t(targets.size()), line);
    targets.push_back(0);
  } while (tokens_.accept(","));
  tokens_.expect(";", "after .branchtargets");
}

/// `(.param .b32 _) _ (.param .b64 _) .noreturn;` with .callprototype consumed.
void FunctionParser::parsePrototype(const std::string& name) {
  const uint32_t index = uint32_t(function_.prototypes.size());
  Prototype prototype;
  prototype.name = tableName(name, index);
  scopes_.defineTable(name, prototype.name, index);
  if (tokens_.isPunctuator("("))
    prototype.results = parseParameters(tokens_);
  tokens_.expectIdentifier("'_' in .callprototype");
  if (tokens_.isPunctuator("("))
    prototype.parameters = parseParameters(tokens_);
  function_.prototypes.push_back(std::move(prototype));
  while (tokens_.peek().kind == Token::Kind::Dotted || startsConstant(tokens_))
    tokens_.next();
  tokens_.expect(";", "after .callprototype");
}

void FunctionParser::parseInstruction() {
  Instruction instruction;
  instruction.line = tokens_.peek().line;
  instruction.sourceFile = sourceFile_;
  instruction.sourceLine = sourceLine_;
  const std::size_t begin = tokens_.peek().offset;
  if (tokens_.accept("@")) {
    instruction.predicateNegated = tokens_.accept("!");
    instruction.predicate = int32_t(operands_.parseGuard());
  }
  instruction.opcode = tokens_.expectIdentifier("an instruction");
  while (tokens_.peek().kind == Token::Kind::Dotted)
    instruction.modifiers.emplace_back(tokens_.next().text);
  if (!tokens_.isPunctuator(";"))
    do
      instruction.operands.push_back(operands_.parse());
    while (tokens_.accept(","));
  const std::size_t end = tokens_.peek().offset;
  if (!tokens_.expect(";", "after an instruction"))
    return;
  instruction.text = instructionText(tokens_.source().substr(begin, end - begin));
  function_.body.push_back(std::move(instruction));
  // Operands stay where they are in memory when the body grows: moving an Instruction moves
  // the ownership of its operand array, not the array.
  for (Operand& operand : function_.body.back().operands)
    scopes_.addPending(operand, function_.body.back().line);
}

void FunctionParser::finishBody(uint32_t line) {
  const uint32_t size = uint32_t(function_.body.size());
  bool reachesEnd = size == 0 || fallsThrough(function_.body.back());
  for (const Instruction& instruction : function_.body)
    for (const Operand& operand : instruction.operands)
      reachesEnd |= operand.kind == Operand::Kind::Label && operand.target == size;
  for (const BranchTable& table : function_.branchTables)
    reachesEnd |=
        std::find(table.targets.begin(), table.targets.end(), size) != table.targets.end();
  if (!reachesEnd)
    return;
  Instruction ret;
  ret.opcode = "ret";
  ret.line = line;
  ret.text = "ret";
  function_.body.push_back(std::move(ret));
}

/// What is no label must be a parameter, a result or a symbol of the module.
void FunctionParser::checkUnresolved() {
  NameMap<bool> known;
  for (const Variable& variable : function_.parameters)
    known.emplace(variable.name, true);
  for (const Variable& variable : function_.results)
    known.emplace(variable.name, true);
  for (const Scopes::Pending& pending : scopes_.unresolved()) {
    const bool mayBeSymbol = pending.operand != nullptr;
    const std::string_view name = pending.name();
    if (mayBeSymbol && (known.contains(name) || name == function_.name || isModuleSymbol_(name)))
      continue;
    return tokens_.failAt(pending.line, inQuotes(name) + " is not declared" +
                                            (mayBeSymbol ? "" : " as a label") + " in function " +
                                            inQuotes(function_.name));
  }
}

} // namespace gpusched::ptx
