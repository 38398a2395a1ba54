// NamedBarriers.cpp - reads the operands of one instruction.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number may be an operand whose value the compiler knows ("n"(1)). One in a register that is
// computed may be 0: it is not taken. Neither is text with anything else in it.
#include "passes/analysis/NamedBarriers.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace gpusched::passes {
namespace {

std::optional<unsigned> numberOf(const clang::GCCAsmStmt& assembly, llvm::StringRef operand,
                                 const clang::ASTContext& context) {
  unsigned number = 0;
  if (!operand.consume_front("%"))
    return operand.getAsInteger(10, number) ? std::nullopt : std::optional(number);
  clang::Expr::EvalResult value;
  if (operand.getAsInteger(10, number) || number < assembly.getNumOutputs() ||
      number - assembly.getNumOutputs() >= assembly.getNumInputs())
    return std::nullopt;
  const clang::Expr* const input = assembly.getInputExpr(number - assembly.getNumOutputs());
  if (input->isValueDependent() || !input->EvaluateAsInt(value, context))
    return std::nullopt;
  return static_cast<unsigned>(value.Val.getInt().extOrTrunc(32).getZExtValue());
}

/// Of a text that is one bar.sync or barrier.sync and nothing else; empty for any other.
llvm::SmallVector<llvm::StringRef, 2> operandsOf(llvm::StringRef text) {
  text = text.trim();
  text.consume_back(";");
  const auto [instruction, list] = text.split(' ');
  const bool isKnown = llvm::StringRef("bar.sync|bar.cta.sync|barrier.sync|barrier.cta.sync")
                           .contains(instruction) &&
                       instruction.ends_with(".sync");
  llvm::SmallVector<llvm::StringRef, 2> operands;
  if (isKnown && !text.contains(';'))
    list.split(operands, ',');
  return operands;
}

} // namespace

bool waitsForSomeWarps(const clang::GCCAsmStmt& assembly, const clang::ASTContext& context) {
  const std::string text = assembly.getAsmString();
  const auto operands = operandsOf(text);
  return operands.size() == 2 && numberOf(assembly, operands[0].trim(), context).value_or(0) != 0;
}

bool waitsForBlock(const clang::GCCAsmStmt& assembly, const clang::ASTContext& context) {
  const std::string text = assembly.getAsmString();
  const auto operands = operandsOf(text);
  return operands.size() == 1 && numberOf(assembly, operands[0].trim(), context).value_or(1) == 0;
}

bool isAligned(const clang::GCCAsmStmt& assembly) {
  return llvm::StringRef(assembly.getAsmString()).trim().starts_with("bar.");
}

} // namespace gpusched::passes
