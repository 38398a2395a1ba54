// FunctionParser.h - one .entry or .func, header and body.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/Ir.h"
#include "rt/device/cpu/ptx/OperandParser.h"
#include "rt/device/cpu/ptx/Scopes.h"
#include "rt/device/cpu/ptx/TokenStream.h"

#include <functional>
#include <string_view>

namespace gpusched::ptx {

class FunctionParser {
public:
  /// `isModuleSymbol` tells whether the module has declared a name so far.
  FunctionParser(TokenStream& tokens, std::function<bool(std::string_view)> isModuleSymbol);

  /// The token after .entry or .func is next. A declaration comes back with isExtern set.
  Function parse(bool isEntry);

private:
  void parseHeader(bool isEntry);
  void parseHeaderDirective();
  void layOutParameters();
  void declareRegisterParameters(const std::vector<Variable>& parameters);

  void parseBody();
  void parseStatement();
  void parseDirective();
  void parseLocation(uint32_t line);
  void parseRegisters();
  void addMarker(uint32_t line);
  void parseLabel();
  std::string tableName(std::string name, uint32_t index) const;
  void parseBranchTable(const std::string& name, uint32_t line);
  void parsePrototype(const std::string& name);
  void parseInstruction();
  void finishBody(uint32_t line);
  void checkUnresolved();

  TokenStream& tokens_;
  std::function<bool(std::string_view)> isModuleSymbol_;
  Function function_;
  Scopes scopes_;
  OperandParser operands_;
  uint32_t sourceFile_ = 0, sourceLine_ = 0; // of the last .loc
};

/// Skips `.pragma "..."` up to and including its ';'; the directive is consumed.
void skipPragma(TokenStream& tokens);

} // namespace gpusched::ptx
