// MethodCalls.cpp - VirtualFunctions: the calls of member functions in a text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One text, one edit: a call means a member function in each instantiation of the text, and all of
// them must take what the edit gives them.
#include "passes/analysis/CalleeForms.h"
#include "passes/analysis/HostLambdas.h"
#include "passes/analysis/VirtualFunctions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>

namespace gpusched::passes {

std::optional<Refusal> VirtualFunctions::addMethodCalls(const FunctionUses& caller,
                                                        KernelText& callerText, Drain drain) {
  for (const MethodCallSite& call : caller.methodCalls)
    if (!editMethodCall(call, isTold(callerText, *call.callee, drain), callerText))
      return refusal({call.callee, call.name}, "which a macro calls");
  for (const CallSite& call : caller.calls) {
    const auto isSame = [&](const auto& other) { return other.callee == call.callee; };
    if (llvm::isa<clang::CXXMethodDecl>(call.callee) && isTold(callerText, *call.callee, drain) &&
        std::count_if(caller.calls.begin(), caller.calls.end(), isSame) !=
            std::count_if(caller.methodCalls.begin(), caller.methodCalls.end(), isSame))
      return refusal(call, "where a parameter would not be seen or could not be given");
  }
  return std::nullopt;
}

/// Offset of what no macro makes in the text; a macro may be given the text as a whole.
std::optional<std::size_t> VirtualFunctions::placeIn(const KernelText& text,
                                                     clang::SourceLocation location) {
  const clang::SourceManager& sources = calls_.sources();
  const clang::SourceLocation known = text.isArgument ? writtenAt(sources, location) : location;
  if (known.isInvalid() || known.isMacroID() || files_.numberOf(known) != text.file)
    return std::nullopt;
  const std::size_t place = sources.getFileOffset(known);
  return text.isArgument && macros_.isInUse(sources.getFileID(known), text.bodyBegin, place)
             ? std::nullopt
             : std::optional(place);
}

/// Notes what a call means in one instantiation of the caller, and whether that must be told.
bool VirtualFunctions::editMethodCall(const MethodCallSite& call, bool told,
                                      KernelText& callerText) {
  const std::optional<std::size_t> name = placeIn(callerText, call.name),
                                   beforeParen = placeIn(callerText, call.beforeParen);
  if (!name || !beforeParen)
    return !told;
  const clang::FunctionDecl* const definition = written(*call.callee);
  std::map<const clang::FunctionDecl*, bool>& meant = methodCalls_[{callerText.file, *name}];
  meant[definition] |= told;
  if (areAlike(meant))
    return !told || giveArguments(*name, *beforeParen, *functions_[definition], callerText);
  const std::optional<std::size_t> object =
      call.object.isValid() ? placeIn(callerText, call.object) : std::nullopt;
  if (object && isGivenUp(callerText) && canBeMixed(meant)) {
    if (told && !giveArguments(*name, *beforeParen, *functions_[definition], callerText))
      return false;
    callerText.methodCalls[*name].mixedObject = object;
    return true;
  }
  callerText.contradiction = inSomeInstantiations(meant);
  if (isGivenUp(callerText))
    hopeless_[{callerText.file, callerText.nameBegin}] = GivenUp::Untold;
  for (const auto& [other, isTold] : meant)
    wanted_.insert({{callerText.file, callerText.nameBegin}, other});
  return true;
}

/// Does none of the class's call operators take more arguments than this one?
static bool takesNoMore(const clang::FunctionDecl& operation) {
  const auto isAlike = [&](const clang::NamedDecl* declared) {
    const clang::FunctionDecl* const other = declared->getAsFunction();
    return other && !other->isVariadic() && other->getNumParams() == operation.getNumParams() &&
           llvm::none_of(other->parameters(), [](const clang::ParmVarDecl* parameter) {
             return parameter->hasDefaultArg() || parameter->isParameterPack();
           });
  };
  return llvm::all_of(operation.getDeclContext()->lookup(operation.getDeclName()), isAlike);
}

/// Can a call be left to ToldCall.cuh? Not where an object that takes no built-ins could take more
/// arguments than it is given, nor where one that does is one of several.
bool VirtualFunctions::canBeMixed(const std::map<const clang::FunctionDecl*, bool>& meant) {
  return llvm::all_of(meant, [](const auto& one) {
    const auto& [definition, told] = one;
    return definition && definition->getOverloadedOperator() == clang::OO_Call &&
           (told ? !isOverloaded(*definition) : takesNoMore(*definition));
  });
}

Refusal
VirtualFunctions::inSomeInstantiations(const std::map<const clang::FunctionDecl*, bool>& meant) {
  const VirtualFunction* first = nullptr;
  for (const auto& [definition, told] : meant) {
    const VirtualFunction* const function = told ? functions_[definition].get() : nullptr;
    if (function && !function->elsewhere.code.empty() &&
        (!first || function->text.nameBegin < first->text.nameBegin))
      first = function;
  }
  return first ? first->elsewhere : Refusal{};
}

/// Length of a member's name, `operator()` as well; 0 where none is written.
static std::size_t nameLength(const SourceTokens& tokens, std::size_t place,
                              const VirtualFunction& function) {
  const std::size_t first = tokens.at(place);
  if (function.isConstructor || (function.isCallOperator && tokens.text(first) != "operator"))
    return 0;
  const SourceToken& last = tokens.all()[function.isCallOperator ? first + 2 : first];
  return last.end() - place;
}

/// False where the call has no list of arguments.
bool VirtualFunctions::giveArguments(std::size_t name, std::size_t place,
                                     const VirtualFunction& function, KernelText& callerText) {
  const SourceTokens& tokens = files_[callerText.file].tokens;
  const std::size_t left =
      function.isConstructor ? tokens.openerOf(tokens.at(place)) : tokens.at(place + 1);
  const bool brace = function.isConstructor && tokens.text(left) == "{";
  if (left + 1 >= tokens.all().size() || (tokens.text(left) != "(" && !brace))
    return false;
  MethodCall& edited = callerText.methodCalls[name];
  if (edited.callee && edited.callee != &function) {
    if (std::find(edited.others.begin(), edited.others.end(), &function) == edited.others.end())
      edited.others.push_back(&function);
    return true;
  }
  edited.callee = &function;
  edited.leftParenthesis = tokens.all()[left].offset;
  edited.nameLength = nameLength(tokens, name, function);
  edited.isEmpty = tokens.text(left + 1) == (brace ? "}" : ")");
  edited.rightParenthesis = tokens.all()[tokens.closerOf(left)].offset;
  return true;
}

/// Does one edit of a call, or none, serve all that it means?
bool VirtualFunctions::areAlike(const std::map<const clang::FunctionDecl*, bool>& meant) {
  const VirtualFunction* first = nullptr;
  for (const auto& [definition, told] : meant) {
    const VirtualFunction* const function = told ? functions_[definition].get() : nullptr;
    if (!function)
      continue;
    first = first ? first : function;
    if (first->isConstructor != function->isConstructor ||
        first->isCallOperator != function->isCallOperator ||
        first->isLambda != function->isLambda ||
        (!first->isConstructor && first->name != function->name))
      return false;
  }
  return !first ||
         std::all_of(meant.begin(), meant.end(), [](const auto& one) { return one.second; });
}

} // namespace gpusched::passes
