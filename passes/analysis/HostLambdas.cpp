// HostLambdas.cpp - finds the closures of a text, and numbers them anew.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lambda's number counts those of the same function and parameters up to it. Those that are given
// more parameters leave their row and form one of their own, in the old order. A number that came
// out wrong costs the twin, no more: the runtime finds none by such a symbol. Cost: the bodies of
// the functions that hold such lambdas, in all their instantiations.
#include "passes/analysis/HostLambdas.h"

#include "passes/KernelPrinter.h"
#include "passes/Refusals.h"
#include "passes/analysis/CallGraph.h"
#include "passes/analysis/Instances.h"
#include "passes/analysis/Signature.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/MacroInfo.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gpusched::passes {
namespace {

/// The closures in a body, one inside another included.
class Closures : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) override {
    found.push_back(lambda->getLambdaClass());
    return true;
  }
  std::vector<clang::CXXRecordDecl*> found;
};

/// The function whose text holds the lambda; null for one that stands in no function.
const clang::FunctionDecl* holderOf(const clang::CXXRecordDecl& closure) {
  for (const clang::DeclContext* scope = closure.getDeclContext(); scope;
       scope = scope->getParent()) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(scope);
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(scope);
    if (function && !(method && method->getParent()->isLambda()))
      return function;
  }
  return nullptr;
}

/// The function itself, or its instantiations.
std::vector<const clang::FunctionDecl*> bodiesOf(const clang::FunctionDecl& holder) {
  const clang::FunctionDecl* const text = textOf(holder);
  std::vector<const clang::FunctionDecl*> found;
  if (text)
    found = instancesOf(*text);
  if (text && !text->isDependentContext())
    found.push_back(text);
  return found;
}

std::vector<clang::CXXRecordDecl*> closuresIn(const clang::FunctionDecl& function) {
  Closures closures;
  if (clang::Stmt* const body = function.getBody())
    closures.TraverseStmt(body);
  return std::move(closures.found);
}

/// Offset of what is written in the file in which the lambda's macros are used.
std::optional<std::size_t> placeIn(const clang::SourceManager& sources,
                                   clang::SourceLocation lambda, clang::SourceLocation location) {
  const clang::SourceLocation known = writtenAt(sources, location);
  return known.isValid() &&
                 sources.getFileID(known) == sources.getFileID(sources.getExpansionLoc(lambda))
             ? std::optional<std::size_t>(sources.getFileOffset(known))
             : std::nullopt;
}

/// Does a macro around this place make a string of what it is given?
bool isQuoted(const MacroUsesByOffset& uses, std::size_t place) {
  return llvm::any_of(uses, [&](const auto& at) {
    const auto& [offset, use] = at;
    return offset <= place && place < use.end && use.macro->isFunctionLike() &&
           llvm::any_of(
               use.macro->tokens(),
               [](const clang::Token& token) { return token.is(clang::tok::hash); });
  });
}

/// nvcc has other restrictions on what holds an extended lambda, and says so itself.
bool isFollowed(const clang::CXXRecordDecl& closure) {
  for (const clang::DeclContext* scope = closure.getDeclContext(); scope;
       scope = scope->getParent())
    if (const auto* outer = llvm::dyn_cast<clang::CXXRecordDecl>(scope))
      if (outer->isLambda() ? outer->isGenericLambda() : outer->isLocalClass() != nullptr)
        return false;
  const clang::FunctionDecl* const holder = holderOf(closure);
  const auto* method =
      holder ? llvm::dyn_cast_or_null<clang::CXXMethodDecl>(textOf(*holder)) : nullptr;
  return holder && (!method || !method->getParent()->getDeclContext()->isDependentContext());
}

/// A class or namespace member by its name, made where the parse has none.
clang::QualType typeNamed(clang::ASTContext& context, const std::string& name) {
  clang::DeclContext* scope = context.getTranslationUnitDecl();
  const std::string space = "::gpusched::";
  const bool isOurs = name.starts_with(space);
  if (isOurs) {
    clang::IdentifierInfo& identifier = context.Idents.get("gpusched");
    clang::NamespaceDecl* ours = nullptr;
    for (clang::NamedDecl* declared : scope->lookup(&identifier))
      ours = ours ? ours : llvm::dyn_cast<clang::NamespaceDecl>(declared);
    if (!ours) {
      ours =
          clang::NamespaceDecl::Create(context, scope, false, {}, {}, &identifier, nullptr, false);
      scope->addDecl(ours);
    }
    scope = ours;
  }
  clang::IdentifierInfo& identifier =
      context.Idents.get(name.substr(isOurs ? space.size() : std::string("::").size()));
  for (clang::NamedDecl* declared : scope->lookup(&identifier))
    if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(declared))
      return context.getCanonicalTagType(record);
  clang::CXXRecordDecl* const record =
      clang::CXXRecordDecl::Create(context, clang::TagTypeKind::Struct, scope, {}, {}, &identifier);
  scope->addDecl(record);
  return context.getCanonicalTagType(record);
}

/// A lambda's symbol is made from this type, and asks the static function behind a conversion to a
/// pointer about its parameters; nobody converts this one.
void addParameters(clang::ASTContext& context, clang::CXXRecordDecl& closure,
                   const std::vector<std::string>& given) {
  if (clang::CXXMethodDecl* const converted = closure.getLambdaStaticInvoker())
    closure.removeDecl(converted);
  const auto* prototype =
      closure.getLambdaTypeInfo()->getType()->castAs<clang::FunctionProtoType>();
  llvm::SmallVector<clang::QualType, 8> types(prototype->param_types());
  for (const std::string& type : given)
    types.push_back(typeNamed(context, type));
  clang::FunctionProtoType::ExtProtoInfo info = prototype->getExtProtoInfo();
  info.ExtParameterInfos = nullptr;
  closure.setLambdaTypeInfo(context.getTrivialTypeSourceInfo(
      context.getFunctionType(prototype->getReturnType(), types, info)));
}

/// A row of closures that are numbered one after the other.
using Row = std::pair<const clang::DeclContext*, const void*>;

Row rowOf(clang::ASTContext& context, const clang::CXXRecordDecl& closure) {
  const auto* prototype =
      closure.getLambdaTypeInfo()->getType()->castAs<clang::FunctionProtoType>();
  clang::FunctionProtoType::ExtProtoInfo info;
  info.Variadic = prototype->isVariadic();
  const clang::QualType key =
      context.getFunctionType(context.VoidTy, prototype->getParamTypes(), info);
  return {closure.getDeclContext()->getPrimaryContext(),
          context.getCanonicalType(key).getAsOpaquePtr()};
}

using Given = std::map<clang::SourceLocation, std::vector<std::string>>;

/// The closures of one instantiation of a function.
void retype(clang::ASTContext& context, const std::vector<clang::CXXRecordDecl*>& closures,
            const Given& given) {
  std::map<Row, std::vector<clang::CXXRecordDecl*>> rows;
  for (clang::CXXRecordDecl* closure : closures)
    rows[rowOf(context, *closure)].push_back(closure);
  for (auto& [place, row] : rows) {
    std::sort(row.begin(), row.end(), [](const auto* one, const auto* other) {
      return one->getLambdaManglingNumber() < other->getLambdaManglingNumber();
    });
    std::map<std::vector<std::string>, unsigned> counts;
    for (clang::CXXRecordDecl* closure : row) {
      const auto types = given.find(closure->getBeginLoc());
      clang::CXXRecordDecl::LambdaNumbering numbering = closure->getLambdaNumbering();
      numbering.ManglingNumber =
          ++counts[types == given.end() ? std::vector<std::string>() : types->second];
      closure->setLambdaNumbering(numbering);
    }
  }
  for (clang::CXXRecordDecl* closure : closures)
    if (const auto types = given.find(closure->getBeginLoc()); types != given.end())
      addParameters(context, *closure, types->second);
}

} // namespace

clang::SourceLocation writtenAt(const clang::SourceManager& sources,
                                clang::SourceLocation location) {
  while (location.isMacroID() && sources.isMacroArgExpansion(location))
    location = sources.getImmediateSpellingLoc(location);
  return location.isMacroID() ? clang::SourceLocation() : location;
}

bool isHostLambda(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method && method->getParent()->isLambda() &&
         function.getOverloadedOperator() == clang::OO_Call && !isDeviceLambda(function);
}

HostLambdas::ByPlace& HostLambdas::lambdasBeside(const clang::CXXMethodDecl& operation) {
  const clang::FunctionDecl* const holder = holderOf(*operation.getParent());
  const clang::FunctionDecl* const text = holder ? textOf(*holder) : nullptr;
  const auto [known, isNew] = byHolder_.try_emplace(text);
  if (isNew && text)
    for (const clang::FunctionDecl* function : bodiesOf(*text))
      for (const clang::CXXRecordDecl* closure : closuresIn(*function))
        known->second[closure->getBeginLoc()].push_back(closure->getLambdaCallOperator());
  return known->second;
}

const HostLambdas::Operations& HostLambdas::closures(const clang::CXXMethodDecl& operation) {
  Operations& found = lambdasBeside(operation)[operation.getParent()->getBeginLoc()];
  if (found.empty())
    found.push_back(&operation);
  return found;
}

/// Does a macro put it in more than once?
bool HostLambdas::isRepeated(const clang::CXXMethodDecl& operation) {
  const clang::SourceManager& sources = operation.getASTContext().getSourceManager();
  const clang::SourceLocation here = operation.getParent()->getBeginLoc(),
                              begin = writtenAt(sources, here);
  return begin.isValid() && llvm::any_of(lambdasBeside(operation), [&](const auto& beside) {
           return beside.first != here && writtenAt(sources, beside.first) == begin;
         });
}

/// Does somebody take the address of the operator, or ask for its type?
bool HostLambdas::isNamed(const clang::CXXRecordDecl& closure) {
  for (const clang::NamedDecl* conversion : closure.getVisibleConversionFunctions())
    if (conversion->isReferenced() || llvm::cast<clang::FunctionDecl>(conversion)->isUsed())
      return true;
  if (!pointedInto_) {
    pointedInto_.emplace();
    for (const clang::Type* type : closure.getASTContext().getTypes()) {
      const auto* pointer = llvm::dyn_cast<clang::MemberPointerType>(type);
      const clang::CXXRecordDecl* const record =
          pointer && !pointer->isDependentType() ? pointer->getMostRecentCXXRecordDecl() : nullptr;
      if (record)
        pointedInto_->insert(record->getCanonicalDecl());
    }
  }
  return pointedInto_->count(closure.getCanonicalDecl()) > 0;
}

const char* HostLambdas::findObstacle(const clang::CXXMethodDecl& operation) {
  if (operation.getParent()->isGenericLambda())
    return "which is a generic lambda";
  if (!isFollowed(*operation.getParent()))
    return "which is a lambda outside of functions, or in a local class or a generic lambda";
  if (isRepeated(operation))
    return "which is a lambda that a macro repeats";
  if (operation.hasAttr<clang::CUDAHostAttr>() || operation.isVariadic() ||
      llvm::any_of(operation.parameters(), [](const clang::ParmVarDecl* parameter) {
        return parameter->hasDefaultArg() || parameter->isParameterPack();
      }))
    return "which is a lambda with an unusual signature";
  return llvm::any_of(
             closures(operation),
             [&](const clang::CXXMethodDecl* closure) { return isNamed(*closure->getParent()); })
             ? "which is a lambda whose type, or the type of whose operator, somebody asks for"
             : nullptr;
}

const char* HostLambdas::obstacle(const clang::CXXMethodDecl& operation) {
  const auto [known, isNew] = obstacles_.try_emplace(closures(operation).front(), nullptr);
  if (isNew)
    known->second = findObstacle(operation);
  return known->second;
}

bool retypeLambdas(clang::ASTContext& context,
                   const std::vector<std::unique_ptr<VirtualFunction>>& functions) {
  Given given;
  std::set<const clang::FunctionDecl*> holders;
  for (const std::unique_ptr<VirtualFunction>& function : functions)
    if (function->isLambda) {
      const auto* operation = llvm::cast<clang::CXXMethodDecl>(function->definition);
      for (const GivenBuiltin& builtin :
           givenBuiltins(function->hasBarrier, function->text.primitives))
        given[operation->getParent()->getBeginLoc()].push_back(builtin.type);
      for (const clang::FunctionDecl* holder : bodiesOf(*holderOf(*operation->getParent())))
        holders.insert(holder);
    }
  for (const clang::FunctionDecl* holder : holders)
    retype(context, closuresIn(*holder), given);
  return !given.empty();
}

std::optional<Refusal> readLambda(const clang::CXXMethodDecl& operation, const SourceTokens& tokens,
                                  const MacroUses& macros, KernelText& text) {
  const clang::SourceManager& sources = operation.getASTContext().getSourceManager();
  const clang::SourceLocation begin = operation.getParent()->getBeginLoc();
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(operation.getBody());
  const clang::FunctionTypeLoc type = operation.getFunctionTypeLoc();
  const auto place = [&](clang::SourceLocation location) {
    return placeIn(sources, begin, location);
  };
  std::optional<Refusal> refused =
      refuse(RefusalCode::KernelFromMacro, "a lambda", placeOf(begin, sources));
  const std::optional<std::size_t> first = place(begin),
                                   left = body ? place(body->getLBracLoc()) : std::nullopt,
                                   right = body ? place(body->getRBracLoc()) : std::nullopt,
                                   opens = type ? place(type.getLParenLoc()) : std::nullopt,
                                   closes = type ? place(type.getRParenLoc()) : std::nullopt;
  if (!first || !left || !right ||
      isQuoted(macros.in(sources.getFileID(sources.getExpansionLoc(begin))), *first))
    return refused;
  text.templateBegin = text.signatureBegin = text.specifiersEnd = text.nameBegin = text.nameEnd =
      *first;
  text.leftParenthesis = text.rightParenthesis = text.bodyBegin = *left;
  text.bodyEnd = *right + 1;
  text.parameters.resize(operation.getNumParams());
  text.isArgument = begin.isMacroID();
  if (opens && closes && tokens.text(tokens.at(*opens)) == "(") {
    text.leftParenthesis = *opens;
    text.rightParenthesis = *closes;
  } else if (!operation.parameters().empty() || (type && type.getLParenLoc().isValid() && !opens)) {
    return refused;
  }
  return tokens.hasDirective(text.leftParenthesis, text.rightParenthesis) ? refused : std::nullopt;
}

} // namespace gpusched::passes
