// ParameterUses.cpp - two walks: over the text for names, over an instantiation for changes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a reference is in a constant expression (nothing that can be used, before C++26, though its
// members may be static) is asked of the text, where a template's arguments still are expressions.
// What is const is asked of each instantiation, where calls are resolved, and of the functions that
// it gives references to. Cost: linear in these.
#include "passes/analysis/ParameterUses.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace gpusched::passes {
namespace {

using Parameters = std::set<const clang::ParmVarDecl*>;

/// Finds the places of parameters' names, and the parameters that have to be variables.
class NameWalk : public clang::DynamicRecursiveASTVisitor {
public:
  NameWalk(const clang::FunctionDecl& kernel, const KernelText& text)
      : sources_(kernel.getASTContext().getSourceManager()),
        file_(sources_.getFileID(sources_.getExpansionLoc(kernel.getBody()->getBeginLoc()))),
        begin_(text.bodyBegin), end_(text.bodyEnd),
        all_(kernel.parameters().begin(), kernel.parameters().end()) {
    TraverseStmt(kernel.getBody());
  }

  bool needsVariable(const clang::ParmVarDecl* parameter) const { return odd_.count(parameter); }
  bool isKnown(std::size_t offset) const { return known_.count(offset); }

  bool TraverseTypeLoc(clang::TypeLoc type, bool qualified) override {
    return inConstant([&] { return Base::TraverseTypeLoc(type, qualified); });
  }
  bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc& argument) override {
    return inConstant([&] { return Base::TraverseTemplateArgumentLoc(argument); });
  }
  bool TraverseConstantExpr(clang::ConstantExpr* constant) override {
    return inConstant([&] { return Base::TraverseConstantExpr(constant); });
  }
  bool TraverseStaticAssertDecl(clang::StaticAssertDecl* assertion) override {
    return inConstant([&] { return Base::TraverseStaticAssertDecl(assertion); });
  }
  bool TraverseIfStmt(clang::IfStmt* choice) override {
    if (!choice->isConstexpr())
      return Base::TraverseIfStmt(choice);
    const auto condition = [&] { return TraverseStmt(choice->getCond()); };
    return TraverseStmt(choice->getInit()) &&
           TraverseStmt(choice->getConditionVariableDeclStmt()) && inConstant(condition) &&
           TraverseStmt(choice->getThen()) && TraverseStmt(choice->getElse());
  }
  bool TraverseVarDecl(clang::VarDecl* variable) override {
    if (variable->isConstexpr())
      return inConstant([&] { return Base::TraverseVarDecl(variable); });
    // `const int n = shape.rank();` may be a constant, and be used as one.
    Parameters outer = std::move(mentioned_);
    mentioned_.clear();
    const bool goesOn = Base::TraverseVarDecl(variable);
    if (variable->getType().isConstQualified())
      behind_[variable] = mentioned_;
    mentioned_.insert(outer.begin(), outer.end());
    return goesOn;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) override {
    if (const auto behind = behind_.find(reference->getDecl()); behind != behind_.end())
      mention(behind->second);
    const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(reference->getDecl());
    if (!parameter || !all_.count(parameter))
      return true;
    mention({parameter});
    note(parameter, reference->getLocation());
    return true;
  }
  bool VisitSizeOfPackExpr(clang::SizeOfPackExpr* size) override {
    note(llvm::dyn_cast<clang::ParmVarDecl>(size->getPack()), size->getPackLoc());
    return true;
  }
  bool TraverseLambdaCapture(clang::LambdaExpr* lambda, const clang::LambdaCapture* capture,
                             clang::Expr* value) override {
    if (capture->capturesVariable() && capture->isExplicit())
      note(llvm::dyn_cast<clang::ParmVarDecl>(capture->getCapturedVar()), capture->getLocation());
    return Base::TraverseLambdaCapture(lambda, capture, value);
  }

private:
  using Base = clang::DynamicRecursiveASTVisitor;

  template <class Walk> bool inConstant(Walk walk) {
    ++constants_;
    const bool goesOn = walk();
    --constants_;
    return goesOn;
  }

  void mention(const Parameters& parameters) {
    (constants_ > 0 ? odd_ : mentioned_).insert(parameters.begin(), parameters.end());
  }

  void note(const clang::ParmVarDecl* parameter, clang::SourceLocation where) {
    const auto [file, offset] = sources_.getDecomposedSpellingLoc(where);
    if (file == file_ && offset > begin_ && offset < end_)
      known_.insert(offset);
    else
      odd_.insert(parameter);
  }

  const clang::SourceManager& sources_;
  const clang::FileID file_;
  const std::size_t begin_, end_;
  const Parameters all_;
  unsigned constants_ = 0;
  Parameters odd_, mentioned_;
  std::map<const clang::ValueDecl*, Parameters> behind_; ///< of constants that they may decide
  std::set<std::size_t> known_;
};

/// Is the name in the text only where the walk has found it, and once among the parameters?
bool isSeen(const NameWalk& walk, const SourceTokens& tokens, const KernelText& text,
            const std::string& name) {
  unsigned declared = 0;
  for (std::size_t index = tokens.at(text.leftParenthesis);
       index < tokens.all().size() && tokens.all()[index].offset < text.bodyEnd; ++index) {
    const SourceToken& token = tokens.all()[index];
    const std::string_view before = tokens.text(index - 1);
    if (tokens.text(index) != name || token.skipped || before == "." || before == "->" ||
        before == "::")
      continue;
    if (token.offset < text.bodyBegin)
      ++declared;
    else if (!walk.isKnown(token.offset))
      return false;
  }
  return declared == 1;
}

/// The variable whose value, part or address an expression is.
const clang::DeclRefExpr* rootOf(const clang::Expr* whole) {
  for (;;) {
    whole = whole->IgnoreParens();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(whole)) {
      if (member->isArrow())
        return nullptr;
      whole = member->getBase();
    } else if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(whole)) {
      whole = element->getBase();
    } else if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(whole);
               address && address->getOpcode() == clang::UO_AddrOf) {
      whole = address->getSubExpr();
    } else if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(whole);
               cast && (cast->getCastKind() == clang::CK_NoOp ||
                        cast->getCastKind() == clang::CK_ArrayToPointerDecay ||
                        cast->getCastKind() == clang::CK_DerivedToBase ||
                        cast->getCastKind() == clang::CK_UncheckedDerivedToBase)) {
      whole = cast->getSubExpr();
    } else {
      return llvm::dyn_cast<clang::DeclRefExpr>(whole);
    }
  }
}

/// Is it something of const, or a pointer to such?
bool isToConst(const clang::Expr& value) {
  const clang::QualType type = value.getType();
  return (type->isPointerType() ? type->getPointeeType() : type).isConstQualified();
}

/// What functions do with the references that they are given; null while one is being looked at.
using KnownChanges = std::map<const clang::FunctionDecl*, std::optional<Parameters>>;

Parameters changedBy(const clang::FunctionDecl& function, KnownChanges& known);

/// Tells mentions of parameters from those that cannot change them.
class ChangeWalk : public clang::DynamicRecursiveASTVisitor {
public:
  explicit ChangeWalk(KnownChanges& known) : known_(known) {}

  /// Those that were walked over: of another function's as well.
  Parameters changed() const {
    Parameters found;
    for (const clang::DeclRefExpr* mention : mentions_)
      if (!harmless_.count(mention))
        found.insert(llvm::cast<clang::ParmVarDecl>(mention->getDecl()));
    return found;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) override {
    if (llvm::isa<clang::ParmVarDecl>(reference->getDecl()))
      mentions_.insert(reference);
    return true;
  }
  bool VisitCastExpr(clang::CastExpr* cast) override {
    if (cast->getCastKind() == clang::CK_LValueToRValue ||
        (cast->getCastKind() == clang::CK_NoOp && isToConst(*cast)))
      pass(cast->getSubExpr());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    const clang::FunctionDecl* const callee = call->getDirectCallee();
    const bool isMember = llvm::isa_and_nonnull<clang::CXXMethodDecl>(callee) &&
                          llvm::isa<clang::CXXOperatorCallExpr>(call);
    if (callee && !isMember)
      passArguments(*callee, llvm::ArrayRef(call->getArgs(), call->getNumArgs()));
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) override {
    passArguments(*made->getConstructor(), llvm::ArrayRef(made->getArgs(), made->getNumArgs()));
    return true;
  }
  /// sizeof(p) is not evaluated.
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr* /*size*/) override {
    return true;
  }
  /// Of a static member only the class counts.
  bool VisitMemberExpr(clang::MemberExpr* member) override {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
    if (!member->isArrow() &&
        (llvm::isa<clang::VarDecl>(member->getMemberDecl()) || (method && method->isStatic())))
      pass(member->getBase());
    return true;
  }
  /// What the lambda does with it stands in its body.
  bool TraverseLambdaCapture(clang::LambdaExpr* lambda, const clang::LambdaCapture* capture,
                             clang::Expr* value) override {
    if (value && capture->capturesVariable() && capture->getCaptureKind() == clang::LCK_ByRef)
      pass(value);
    return Base::TraverseLambdaCapture(lambda, capture, value);
  }

private:
  using Base = clang::DynamicRecursiveASTVisitor;

  void pass(const clang::Expr* value) {
    if (const clang::DeclRefExpr* const root = rootOf(value))
      harmless_.insert(root);
  }

  /// References that a function with a text takes, and does not change.
  void passArguments(const clang::FunctionDecl& callee, llvm::ArrayRef<clang::Expr*> arguments) {
    for (std::size_t place = 0; place < arguments.size() && place < callee.getNumParams();
         ++place) {
      const clang::DeclRefExpr* const root =
          arguments[place]->isGLValue() ? rootOf(arguments[place]) : nullptr;
      const clang::FunctionDecl* definition = nullptr;
      if (root && llvm::isa<clang::ParmVarDecl>(root->getDecl()) && callee.hasBody(definition) &&
          !changedBy(*definition, known_).count(definition->getParamDecl(place)))
        harmless_.insert(root);
    }
  }

  KnownChanges& known_;
  std::set<const clang::DeclRefExpr*> mentions_, harmless_;
};

Parameters changedBy(const clang::FunctionDecl& function, KnownChanges& known) {
  const auto [place, isNew] = known.try_emplace(&function);
  if (!isNew && place->second)
    return *place->second;
  const auto parameters = function.parameters();
  if (!isNew)
    return Parameters(parameters.begin(), parameters.end());
  ChangeWalk walk(known);
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function))
    for (const clang::CXXCtorInitializer* initializer : constructor->inits())
      walk.TraverseStmt(initializer->getInit());
  walk.TraverseStmt(function.getBody());
  Parameters changed = walk.changed();
  known[&function] = changed;
  return changed;
}

} // namespace

void noteReferable(const clang::FunctionDecl& written, const SourceTokens& tokens,
                   KernelText& text) {
  const NameWalk walk(written, text);
  for (std::size_t place = 0; place < text.parameters.size(); ++place) {
    const clang::ParmVarDecl* const declared = written.getParamDecl(place);
    KernelParameter& parameter = text.parameters[place];
    parameter.isReferable = parameter.nameOffset != 0 && !declared->hasDefaultArg() &&
                            !declared->getType()->isReferenceType() &&
                            !declared->getType().isVolatileQualified() &&
                            !walk.needsVariable(declared) &&
                            (parameter.unnamed || isSeen(walk, tokens, text, parameter.name));
  }
}

Parameters changedParameters(const clang::FunctionDecl& instance) {
  KnownChanges known;
  Parameters found = changedBy(instance, known);
  for (const clang::ParmVarDecl* parameter : instance.parameters()) {
    const clang::QualType type = parameter->getType();
    const clang::CXXRecordDecl* const record = type->getAsCXXRecordDecl();
    if (type.isVolatileQualified() ||
        (record && record->hasDefinition() && record->hasMutableFields()))
      found.insert(parameter);
    else if (type.isConstQualified())
      found.erase(parameter);
  }
  return found;
}

bool losesConst(const clang::Expr& expression) {
  const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&expression);
  if (!cast)
    return false;
  const clang::QualType from = cast->getSubExpr()->getType(), into = cast->getType();
  if (cast->isGLValue())
    return from.isConstQualified() && !into.isConstQualified();
  return from->isPointerType() && into->isPointerType() && from->getPointeeType()->isRecordType() &&
         from->getPointeeType().isConstQualified() && !into->getPointeeType().isConstQualified();
}

} // namespace gpusched::passes
