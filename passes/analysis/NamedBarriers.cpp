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

} // namespace

bool waitsForSomeWarps(const clang::GCCAsmStmt& assembly, const clang::ASTContext& context) {
  const std::string whole = assembly.getAsmString();
  llvm::StringRef text = llvm::StringRef(whole).trim();
  text.consume_back(";");
  const auto [instruction, list] = text.split(' ');
  const bool isKnown = llvm::StringRef("bar.sync|bar.cta.sync|barrier.sync|barrier.cta.sync")
                           .contains(instruction) &&
                       instruction.ends_with(".sync");
  llvm::SmallVector<llvm::StringRef, 2> operands;
  list.split(operands, ',');
  if (!isKnown || operands.size() != 2 || text.contains(';'))
    return false;
  return numberOf(assembly, operands[0].trim(), context).value_or(0) != 0;
}

} // namespace gpusched::passes
