// MbarrierUses.cpp - by name in libraries, by text in assembly.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names count in their namespace only. Of assembly only the plain form is understood: one
// instruction of that kind, no predicate, its address one input operand.
#include "passes/analysis/MbarrierUses.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

namespace gpusched::passes {
namespace {

bool isIn(const clang::NamedDecl& declared, llvm::StringRef scope) {
  return llvm::StringRef(declared.getQualifiedNameAsString()).starts_with(scope);
}

bool isBarrier(const clang::CXXRecordDecl* record) {
  return record && record->getIdentifier() && record->getName() == "barrier" &&
         isIn(*record, "cuda::");
}

const char* memberOf(const clang::FunctionDecl& callee) {
  if (!callee.getIdentifier() || callee.getNumParams() == 0)
    return nullptr;
  const llvm::StringRef name = callee.getName();
  const clang::QualType first = callee.getParamDecl(0)->getType();
  if (name == "init" && first->isPointerType() && isIn(callee, "cuda::") &&
      isBarrier(first->getPointeeCXXRecordDecl()))
    return "added";
  const bool plain = name == "__mbarrier_init" || name == "__mbarrier_inval";
  if (plain || (name.starts_with("mbarrier_in") && isIn(callee, "cuda::ptx::")))
    return name.ends_with("init") ? "added" : "ended";
  return nullptr;
}

/// `[%2]` -> 2, in front of which only spaces stand.
std::optional<unsigned> operandIn(llvm::StringRef text) {
  text = text.ltrim();
  unsigned number = 0;
  if (!text.consume_front("[") || !text.ltrim().consume_front("%"))
    return std::nullopt;
  text = text.ltrim().drop_front();
  if (text.consumeInteger(10, number) || !text.ltrim().starts_with("]"))
    return std::nullopt;
  return number;
}

} // namespace

std::optional<MbarrierUse> mbarrierUse(const clang::CallExpr& call,
                                       const clang::FunctionDecl& callee) {
  if (const auto* destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(&callee)) {
    if (!isBarrier(destructor->getParent()))
      return std::nullopt;
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParenImpCasts());
    if (!member || member->isImplicitAccess())
      return MbarrierUse{};
    return MbarrierUse{member->getBase()->getSourceRange(),
                       member->isArrow() ? "ended" : "endedObject"};
  }
  const char* const member = memberOf(callee);
  if (!member)
    return std::nullopt;
  return MbarrierUse{call.getArg(0)->getSourceRange(), member};
}

std::optional<MbarrierUse> mbarrierUse(const clang::GCCAsmStmt& assembly) {
  const std::string raw = assembly.getAsmString();
  const llvm::StringRef text = raw;
  const std::size_t at = text.find("mbarrier.in");
  if (at == llvm::StringRef::npos || !(text.substr(at).starts_with("mbarrier.init") ||
                                       text.substr(at).starts_with("mbarrier.inval")))
    return std::nullopt;
  const bool begins = text.substr(at).starts_with("mbarrier.init");
  const auto [opcode, operands] = text.substr(at).split(' ');
  const std::optional<unsigned> operand = operandIn(operands);
  const bool plain = opcode.contains(".shared") && !text.contains('@') &&
                     !text.drop_front(at + 1).contains("mbarrier.in") && operand &&
                     *operand >= assembly.getNumOutputs() &&
                     *operand - assembly.getNumOutputs() < assembly.getNumInputs();
  if (!plain)
    return MbarrierUse{};
  const clang::Expr& address = *assembly.getInputExpr(*operand - assembly.getNumOutputs());
  if (!address.getType()->isIntegerType())
    return MbarrierUse{};
  return MbarrierUse{address.getSourceRange(), begins ? "addedAt" : "endedAt"};
}

bool endsItsMbarriers(const clang::FunctionDecl& function) {
  if (!function.getIdentifier() || !isIn(function, "cuda::"))
    return false;
  const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method ? function.getName() == "quit" && method->getParent()->getName() == "pipeline"
                : function.getName() == "make_pipeline";
}

uint64_t mbarriersIn(clang::QualType type) {
  const clang::ArrayType* const whole = type->getAsArrayTypeUnsafe();
  if (const auto* array = llvm::dyn_cast_or_null<clang::ConstantArrayType>(whole))
    return array->getSize().getLimitedValue() * mbarriersIn(array->getElementType());
  const clang::CXXRecordDecl* const record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition())
    return 0;
  if (isBarrier(record))
    return 1;
  uint64_t count = 0;
  for (const clang::CXXBaseSpecifier& base : record->bases())
    count += mbarriersIn(base.getType());
  for (const clang::FieldDecl* field : record->fields())
    count += mbarriersIn(field->getType());
  return count;
}

} // namespace gpusched::passes
