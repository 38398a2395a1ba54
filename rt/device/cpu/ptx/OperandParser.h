// OperandParser.h - one operand of an instruction.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/Ir.h"
#include "rt/device/cpu/ptx/Scopes.h"
#include "rt/device/cpu/ptx/TokenStream.h"

namespace gpusched::ptx {

class OperandParser {
public:
  OperandParser(TokenStream& tokens, Scopes& scopes) : tokens_(tokens), scopes_(scopes) {}

  /// A whole operand, `a|b` included. Names that may be labels come back as Symbol.
  Operand parse();
  /// The register after '@' or '@!'; fails the stream when it is none.
  uint32_t parseGuard();

private:
  Operand parsePrimary(unsigned depth);
  Operand parseSequence(Operand::Kind kind, std::string_view close, unsigned depth);
  Operand parseAddress(unsigned depth);
  Operand parseNegated(unsigned depth);
  Operand parseNumber();
  Operand parseName(bool inAddress);
  Operand parseRegister(uint32_t index);
  Operand parseSpecial(std::string_view name);
  int64_t parseOffset();

  TokenStream& tokens_;
  Scopes& scopes_;
};

} // namespace gpusched::ptx
