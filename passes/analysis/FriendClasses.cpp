// FriendClasses.cpp - from friend declarations to the classes around them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class template befriends a function when it is instantiated, and each instantiation says so
// again: the texts are told apart by their places. Cost: linear in the declarations of the
// function.
#include "passes/analysis/FriendClasses.h"

#include "passes/analysis/Instances.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>
#include <map>

namespace gpusched::passes {
namespace {

template <class Visit>
void eachFriendDeclaration(const clang::FunctionDecl& function, Visit visit) {
  const auto ask = [&](const clang::Decl* declared) {
    if (declared->getFriendObjectKind() != clang::Decl::FOK_None)
      visit(*declared);
  };
  const clang::FunctionTemplateDecl* primary = function.getPrimaryTemplate();
  primary = primary ? primary : function.getDescribedFunctionTemplate();
  llvm::for_each(function.redecls(), ask);
  if (primary)
    llvm::for_each(primary->redecls(), ask);
}

/// A class as it is written: the pattern of an instantiation.
const clang::CXXRecordDecl* asWritten(const clang::CXXRecordDecl* record) {
  const clang::CXXRecordDecl* const pattern = record->getTemplateInstantiationPattern();
  return pattern ? pattern : record;
}

/// The class that holds this one and is held by none; null in a function.
const clang::CXXRecordDecl* outermost(const clang::CXXRecordDecl& record) {
  const clang::CXXRecordDecl* found = &record;
  while (const auto* around = llvm::dyn_cast<clang::CXXRecordDecl>(found->getLexicalDeclContext()))
    found = asWritten(around);
  return found->getLexicalDeclContext()->isFileContext() ? found : nullptr;
}

clang::SourceLocation beginOf(const clang::CXXRecordDecl& record) {
  const clang::ClassTemplateDecl* const described = record.getDescribedClassTemplate();
  return described ? described->getBeginLoc() : record.getBeginLoc();
}

/// Can a declaration stand in front of what begins there?
bool beginsDeclaration(const SourceTokens& tokens, std::size_t offset) {
  const std::size_t index = tokens.at(offset);
  if (index == 0 || tokens.all()[index - 1].inDirective)
    return true;
  const std::string_view before = tokens.text(index - 1);
  return before == ";" || before == "{" || before == "}";
}

std::optional<KernelText> textOfClass(const clang::CXXRecordDecl& record,
                                      const clang::FunctionDecl& definition, SourceFiles& files) {
  const clang::CXXRecordDecl* const outer = outermost(record);
  if (!outer || !outer->getLexicalDeclContext()->getRedeclContext()->Equals(
                    definition.getDeclContext()->getRedeclContext()))
    return std::nullopt;
  const clang::SourceLocation begin = beginOf(*outer), brace = record.getBraceRange().getBegin();
  const std::optional<std::size_t> file = files.numberOf(brace);
  if (begin.isMacroID() || brace.isMacroID() || !file || files.numberOf(begin) != file ||
      files.dependsOnArchitecture(brace))
    return std::nullopt;
  const clang::SourceManager& sources = record.getASTContext().getSourceManager();
  KernelText text;
  text.file = *file;
  text.templateBegin = sources.getFileOffset(begin);
  text.bodyBegin = sources.getFileOffset(brace);
  return beginsDeclaration(files[*file].tokens, text.templateBegin) ? std::optional(text)
                                                                    : std::nullopt;
}

} // namespace

bool isFriend(const clang::FunctionDecl& function) {
  bool found = false;
  eachFriendDeclaration(function, [&](const clang::Decl&) { found = true; });
  return found;
}

std::optional<std::vector<KernelText>> friendClasses(const clang::FunctionDecl& definition,
                                                     SourceFiles& files) {
  if (!definition.getLexicalDeclContext()->isFileContext())
    return std::nullopt;
  std::map<std::pair<std::size_t, std::size_t>, KernelText> found;
  bool known = true;
  const auto add = [&](const clang::Decl& declared) {
    const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(declared.getLexicalDeclContext());
    const std::optional<KernelText> text =
        record ? textOfClass(*asWritten(record), definition, files) : std::nullopt;
    known &= text.has_value();
    if (text)
      found.try_emplace({text->file, text->bodyBegin}, *text);
  };
  eachFriendDeclaration(definition, add);
  for (const clang::FunctionDecl* instance : instancesOf(definition))
    eachFriendDeclaration(*instance, add);
  for (const clang::FunctionDecl* special : specialisationsOf(definition))
    eachFriendDeclaration(*special, add);
  if (!known)
    return std::nullopt;
  std::vector<KernelText> texts;
  for (auto& [place, text] : found)
    texts.push_back(std::move(text));
  return texts;
}

} // namespace gpusched::passes
