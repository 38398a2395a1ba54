// Parser - PTX text to ptx::Module: the directives of module scope.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations and definitions of one name are merged: the definition wins, so a Module holds
// each variable and function once. `.alias f, g` becomes a function f with g's body. Debug
// sections are skipped; .file and .loc are kept, for messages.
#include "rt/device/cpu/ptx/Parser.h"

#include "rt/device/cpu/ptx/ConstantExpression.h"
#include "rt/device/cpu/ptx/FunctionParser.h"
#include "rt/device/cpu/ptx/TypeNames.h"
#include "rt/device/cpu/ptx/VariableParser.h"

#include <cstdlib>
#include <utility>

namespace gpusched::ptx {

namespace {

Linkage linkageFromName(std::string_view name) {
  if (name == "visible")
    return Linkage::Visible;
  if (name == "weak")
    return Linkage::Weak;
  return name == "common" ? Linkage::Common : Linkage::Local;
}

constexpr std::size_t kMaximumAliasedInstructions = 100000;

class ModuleParser {
public:
  explicit ModuleParser(std::string_view text) : tokens_(text) {}
  Result<std::shared_ptr<const Module>> parse();

private:
  void parseDirective();
  bool parseSetting(const Token& directive);
  void parseVersion();
  void parseTarget();
  void parseFile(uint32_t line);
  void parseAlias();
  void parseSection();
  void parseDeclaration(Token directive);
  void parseFunction(bool isEntry, Linkage linkage);
  void add(Variable variable, uint32_t line);
  void add(Function function);
  void resolveAliases();
  void checkRelocations();
  bool isSymbol(std::string_view name) const {
    return variables_.contains(name) || functions_.contains(name);
  }

  struct Alias {
    std::string name, target;
    uint32_t line = 0;
  };

  TokenStream tokens_;
  std::shared_ptr<Module> module_ = std::make_shared<Module>();
  NameMap<std::size_t> variables_, functions_;
  std::vector<Alias> aliases_;
};

Result<std::shared_ptr<const Module>> ModuleParser::parse() {
  if (!tokens_.isDotted("version"))
    tokens_.failHere("this is not PTX: expected .version first");
  while (!tokens_.atEnd())
    parseDirective();
  resolveAliases();
  checkRelocations();
  if (tokens_.failed())
    return Status::error(tokens_.error());
  return std::shared_ptr<const Module>(std::move(module_));
}

void ModuleParser::parseDirective() {
  if (tokens_.accept(";"))
    return;
  if (tokens_.peek().kind != Token::Kind::Dotted)
    return tokens_.failHere("expected a directive such as .func or .global");
  const Token directive = tokens_.next();
  if (!parseSetting(directive))
    parseDeclaration(directive);
}

bool ModuleParser::parseSetting(const Token& directive) {
  const std::string_view name = directive.text;
  if (name == "version")
    parseVersion();
  else if (name == "target")
    parseTarget();
  else if (name == "address_size")
    module_->addressBits = unsigned(parseSize(tokens_, 64, "address size"));
  else if (name == "file")
    parseFile(directive.line);
  else if (name == "loc")
    tokens_.skipLine(directive.line);
  else if (name == "section")
    parseSection();
  else if (name == "pragma")
    skipPragma(tokens_);
  else if (name == "alias")
    parseAlias();
  else
    return false;
  return true;
}

/// `9.0` arrives as one floating-point token.
void ModuleParser::parseVersion() {
  const Token version = tokens_.peek();
  const std::size_t dot = version.text.find('.');
  if (version.kind != Token::Kind::Float64 || dot == std::string_view::npos ||
      version.text.size() > 8)
    return tokens_.failHere("expected a version such as 9.0");
  module_->versionMajor = unsigned(std::atoi(std::string(version.text.substr(0, dot)).c_str()));
  module_->versionMinor = unsigned(std::atoi(std::string(version.text.substr(dot + 1)).c_str()));
  tokens_.next();
}

/// `sm_90, debug`: the first word names the architecture.
void ModuleParser::parseTarget() {
  module_->target = tokens_.expectIdentifier("a target such as sm_90");
  while (tokens_.accept(","))
    tokens_.expectIdentifier("a target option");
}

/// `.file 1 "saxpy.cu", 1700000000, 1234`
void ModuleParser::parseFile(uint32_t line) {
  if (tokens_.peek().kind == Token::Kind::Integer && tokens_.peek(1).kind == Token::Kind::String) {
    const uint32_t number = uint32_t(tokens_.next().bits);
    module_->files[number] = std::string(tokens_.next().text);
  }
  tokens_.skipLine(line);
}

void ModuleParser::parseAlias() {
  Alias alias;
  alias.line = tokens_.peek().line;
  alias.name = tokens_.expectIdentifier("the alias");
  tokens_.expect(",", "after the alias");
  alias.target = tokens_.expectIdentifier("the aliased function");
  tokens_.expect(";", "after .alias");
  aliases_.push_back(std::move(alias));
}

/// `.section .debug_info { ... }`
void ModuleParser::parseSection() {
  while (tokens_.peek().kind == Token::Kind::Dotted ||
         tokens_.peek().kind == Token::Kind::Identifier)
    tokens_.next();
  if (!tokens_.isPunctuator("{"))
    return tokens_.failHere("expected '{' after .section");
  tokens_.skipBraces();
}

/// Linkage words, then a variable or a function.
void ModuleParser::parseDeclaration(Token directive) {
  bool isExtern = false;
  Linkage linkage = Linkage::Local;
  while (directive.text == "extern" || linkageFromName(directive.text) != Linkage::Local) {
    isExtern |= directive.text == "extern";
    if (!isExtern)
      linkage = linkageFromName(directive.text);
    if (tokens_.peek().kind != Token::Kind::Dotted)
      return tokens_.failHere("expected a declaration after linkage");
    directive = tokens_.next();
  }
  if (directive.text == "entry" || directive.text == "func")
    return parseFunction(directive.text == "entry", linkage);
  const Space space = spaceFromName(directive.text);
  if (space == Space::None || space == Space::Reg || space == Space::Param)
    return tokens_.failAt(directive.line, "unknown directive '." + std::string(directive.text) +
                                              "' outside a function");
  for (Variable& variable : parseVariables(tokens_, space, isExtern)) {
    variable.linkage = linkage;
    add(std::move(variable), directive.line);
  }
}

void ModuleParser::parseFunction(bool isEntry, Linkage linkage) {
  // Attributes between .func and the name.
  while (tokens_.acceptDotted("attribute")) {
    while (!tokens_.atEnd() && !tokens_.accept(")"))
      tokens_.next();
  }
  FunctionParser parser(tokens_, [this](std::string_view name) { return isSymbol(name); });
  Function function = parser.parse(isEntry);
  function.linkage = linkage;
  if (!tokens_.failed())
    add(std::move(function));
}

void ModuleParser::add(Variable variable, uint32_t line) {
  if (tokens_.failed())
    return;
  if (functions_.contains(variable.name))
    return tokens_.failAt(line, inQuotes(variable.name) + " is already a function");
  const auto [found, isNew] = variables_.emplace(variable.name, module_->variables.size());
  if (isNew)
    return module_->variables.push_back(std::move(variable));
  Variable& known = module_->variables[found->second];
  if (known.isExtern && !variable.isExtern)
    known = std::move(variable);
  else if (!variable.isExtern)
    tokens_.failAt(line, "variable " + inQuotes(variable.name) + " is defined twice");
}

void ModuleParser::add(Function function) {
  if (variables_.contains(function.name))
    return tokens_.failAt(function.line, inQuotes(function.name) + " is already a variable");
  const auto [found, isNew] = functions_.emplace(function.name, module_->functions.size());
  if (isNew)
    return module_->functions.push_back(std::move(function));
  Function& known = module_->functions[found->second];
  if (known.isExtern)
    known = std::move(function);
  else if (!function.isExtern)
    tokens_.failAt(function.line, "function " + inQuotes(function.name) + " is defined twice");
}

/// Copies bodies, so the total is limited: compilers alias a few constructors, no more.
void ModuleParser::resolveAliases() {
  std::size_t copied = 0;
  for (const Alias& alias : aliases_) {
    const auto target = functions_.find(alias.target);
    if (target == functions_.end() || module_->functions[target->second].isExtern)
      return tokens_.failAt(alias.line,
                            "the aliased function " + inQuotes(alias.target) + " is not defined");
    copied += module_->functions[target->second].body.size();
    if (copied > kMaximumAliasedInstructions)
      return tokens_.failAt(alias.line, "too many aliases of long functions");
    Function copy = module_->functions[target->second];
    copy.name = alias.name;
    add(std::move(copy));
  }
}

void ModuleParser::checkRelocations() {
  for (const Variable& variable : module_->variables)
    for (const Variable::Relocation& relocation : variable.relocations)
      if (!isSymbol(relocation.symbol))
        return tokens_.failHere("the initial value of " + inQuotes(variable.name) + " names " +
                                inQuotes(relocation.symbol) + ", which is not declared");
}

} // namespace

Result<std::shared_ptr<const Module>> parse(std::string_view text) {
  while (!text.empty() && text.back() == '\0') // fat binaries end the text with zeros
    text.remove_suffix(1);
  return ModuleParser(text).parse();
}

} // namespace gpusched::ptx
