// TemplateArguments.cpp - printing through Clang's policies, checking with a type walk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Non-type arguments are printed with their type where the bare number would pick another
// parameter kind: enumerators by name or cast, pointers by the address of the entity. Clang names
// such an entity with "(anonymous namespace)" and without template arguments of its own, which no
// compiler reads back; so the entity is named here, and refused inside of a type.
#include "passes/analysis/TemplateArguments.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

namespace gpusched::passes {
namespace {

clang::PrintingPolicy policyOf(const clang::ASTContext& context) {
  clang::PrintingPolicy policy(context.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.SuppressUnwrittenScope = true;
  policy.FullyQualifiedName = true;
  policy.PrintAsCanonical = true;
  policy.Bool = true;
  policy.SplitTemplateClosers = true;
  return policy;
}

/// The template arguments of a function or variable; null where it has none.
const clang::TemplateArgumentList* argumentsOf(const clang::ValueDecl& entity) {
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&entity))
    return function->getTemplateSpecializationArgs();
  const auto* variable = llvm::dyn_cast<clang::VarTemplateSpecializationDecl>(&entity);
  return variable ? &variable->getTemplateArgs() : nullptr;
}

/// Finds a declaration in a type that cannot be named from outside.
class Namable : public clang::DynamicRecursiveASTVisitor {
public:
  std::string problem;

  bool VisitTagType(clang::TagType* type) override { return check(*type->getDecl()); }

  bool check(const clang::NamedDecl& declared) {
    const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(&declared);
    const auto* tag = llvm::dyn_cast<clang::TagDecl>(&declared);
    if (record && record->isLambda())
      return refuse("a lambda");
    if (tag && !tag->getIdentifier() && !tag->getTypedefNameForAnonDecl())
      return refuse("an unnamed type");
    if (declared.getParentFunctionOrMethod())
      return refuse("the local type '" + declared.getNameAsString() + "'");
    for (const clang::Decl* scope = &declared; scope;
         scope = llvm::dyn_cast_or_null<clang::Decl>(scope->getDeclContext()))
      if (scope->getAccess() == clang::AS_private || scope->getAccess() == clang::AS_protected)
        return refuse("the private type '" + declared.getNameAsString() + "'");
    if (const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&declared))
      if (!checkInside(instance->getTemplateArgs()))
        return false;
    const auto* outer = llvm::dyn_cast<clang::NamedDecl>(declared.getDeclContext());
    return !outer || !llvm::isa<clang::CXXRecordDecl>(outer) || check(*outer);
  }

  bool checkArguments(llvm::ArrayRef<clang::TemplateArgument> arguments) {
    return llvm::all_of(arguments, [&](const auto& argument) { return checkArgument(argument); });
  }

private:
  unsigned depth_ = 0; ///< of types around an argument

  bool checkArgument(const clang::TemplateArgument& argument) {
    switch (argument.getKind()) {
    case clang::TemplateArgument::Type:
      return TraverseType(argument.getAsType().getCanonicalType());
    case clang::TemplateArgument::Declaration:
      return checkEntity(*argument.getAsDecl());
    case clang::TemplateArgument::Integral:
      return TraverseType(argument.getIntegralType().getCanonicalType());
    case clang::TemplateArgument::Pack:
      return checkArguments(argument.pack_elements());
    case clang::TemplateArgument::Template:
    case clang::TemplateArgument::NullPtr:
      return true;
    default:
      return refuse("a value that has no short form");
    }
  }

  bool checkInside(const clang::TemplateArgumentList& arguments) {
    ++depth_;
    const bool all = checkArguments(arguments.asArray());
    --depth_;
    return all;
  }

  bool checkEntity(const clang::ValueDecl& entity) {
    const clang::TemplateArgumentList* const own = argumentsOf(entity);
    if (!entity.getDeclContext()->isFileContext() ||
        (depth_ > 0 && (own || entity.isInAnonymousNamespace())))
      return refuse("'" + entity.getNameAsString() + "'");
    return !own || checkInside(*own);
  }

  bool refuse(std::string what) {
    problem = std::move(what);
    return false;
  }
};

std::string printArguments(const clang::TemplateArgumentList&, const clang::PrintingPolicy&);

/// A function or variable as an argument for a parameter of `type`: "&::ns::twice<float>".
std::string printEntity(const clang::ValueDecl& entity, clang::QualType type,
                        const clang::PrintingPolicy& policy) {
  const bool isAddress = type->isPointerType() && !entity.getType()->isArrayType();
  const std::string text = (isAddress ? "&" : "") + printScope(entity) + entity.getNameAsString();
  const clang::TemplateArgumentList* const own = argumentsOf(entity);
  return own ? text + printArguments(*own, policy) : text;
}

void collectTexts(const clang::TemplateArgument& argument, const clang::PrintingPolicy& policy,
                  std::vector<std::string>& texts) {
  if (argument.getKind() == clang::TemplateArgument::Pack) {
    for (const clang::TemplateArgument& element : argument.pack_elements())
      collectTexts(element, policy, texts);
    return;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (argument.getKind() == clang::TemplateArgument::Type)
    argument.getAsType().getCanonicalType().print(stream, policy);
  else if (argument.getKind() == clang::TemplateArgument::Integral &&
           argument.getIntegralType()->isEnumeralType())
    stream << '(' << argument.getIntegralType().getCanonicalType().getAsString(policy) << ')'
           << argument.getAsIntegral();
  else if (argument.getKind() == clang::TemplateArgument::Declaration &&
           !argument.getParamTypeForDecl()->isRecordType())
    stream << printEntity(*argument.getAsDecl(), argument.getParamTypeForDecl(), policy);
  else
    argument.print(policy, stream, false);
  texts.push_back(text);
}

/// "<float, 4>"
std::string printArguments(const clang::TemplateArgumentList& arguments,
                           const clang::PrintingPolicy& policy) {
  std::vector<std::string> texts;
  for (const clang::TemplateArgument& argument : arguments.asArray())
    collectTexts(argument, policy, texts);
  std::string list;
  for (const std::string& text : texts)
    list += (list.empty() ? "<" : ", ") + text;
  return list + (list.empty() ? "<>" : list.back() == '>' ? " >" : ">");
}

} // namespace

PrintedArguments printTemplateArguments(const clang::FunctionDecl& instance) {
  PrintedArguments printed;
  const clang::TemplateArgumentList* const list = instance.getTemplateSpecializationArgs();
  if (!list)
    return printed;
  Namable namable;
  if (namable.checkArguments(list->asArray()))
    printed.text = printArguments(*list, policyOf(instance.getASTContext()));
  else
    printed.unnamable = namable.problem;
  return printed;
}

std::string printPointerType(const clang::FunctionDecl& function) {
  const clang::ASTContext& context = function.getASTContext();
  const clang::QualType type = context.getPointerType(function.getType().getCanonicalType());
  Namable namable;
  return namable.TraverseType(type) ? type.getAsString(policyOf(context)) : std::string();
}

std::string printScope(const clang::Decl& declared) {
  std::string scope;
  for (const clang::DeclContext* context = declared.getDeclContext(); context;
       context = context->getParent())
    if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(context))
      if (!space->isAnonymousNamespace() && !space->isInline())
        scope.insert(0, space->getNameAsString() + "::");
  return "::" + scope;
}

std::string printReadableName(const clang::FunctionDecl& function) {
  const std::string name = printScope(function).substr(2) + function.getNameAsString();
  const PrintedArguments arguments = printTemplateArguments(function);
  if (arguments.unnamable.empty())
    return name + arguments.text;
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.getNameForDiagnostic(stream, policyOf(function.getASTContext()), true);
  return text;
}

} // namespace gpusched::passes
