// VirtualFunctions.cpp - depth first over the callees that need the built-ins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every obstacle is a form whose text would mean something else, or nothing, with an object in
// place of the function. Instantiations of one template share one VirtualFunction.
#include "passes/analysis/VirtualFunctions.h"

#include "passes/Refusals.h"
#include "passes/analysis/ArgumentCopies.h"
#include "passes/analysis/CalleeForms.h"
#include "passes/analysis/FriendClasses.h"
#include "passes/analysis/HostLambdas.h"
#include "passes/analysis/Instances.h"
#include "passes/analysis/NameMeanings.h"
#include "passes/analysis/Signature.h"
#include "passes/analysis/TemplateArguments.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include <algorithm>
#include <functional>

namespace gpusched::passes {

bool VirtualFunctions::needsBuiltins(const clang::FunctionDecl& function) {
  return !isDeviceLambda(function) && calls_.does(function, &FunctionUses::blockIndex);
}

bool VirtualFunctions::waits(const clang::FunctionDecl& function, Drain drain) {
  const auto does = [&](UseSite FunctionUses::* kind) { return calls_.does(function, kind); };
  return !isDeviceLambda(function) &&
         (does(&FunctionUses::mbarrier) ||
          (drain != Drain::Nothing &&
           (does(&FunctionUses::plainBarrier) || does(&FunctionUses::countingBarrier))) ||
          (drain == Drain::Lanes && does(&FunctionUses::toldPrimitive)));
}

Refusal VirtualFunctions::refusal(const CallSite& call, const std::string& why) {
  const clang::SourceManager& sources = call.callee->getASTContext().getSourceManager();
  std::string detail = "calls '" + call.callee->getNameAsString() + "'";
  const std::optional<CalleeUse> use = calls_.findFrom(call, &FunctionUses::blockIndex);
  if (use) {
    const SourcePlace place = placeOf(use->site.where, sources);
    detail += " (" + use->site.what + " at " + place.file + ":" + std::to_string(place.line) + ":" +
              std::to_string(place.column) + ")";
    return refuse(RefusalCode::CalleeReadsBlockIndex, detail + "; " + why,
                  placeOf(call.where, sources));
  }
  if (const std::optional<CalleeUse> begun = calls_.findFrom(call, &FunctionUses::mbarrier))
    return refuse(RefusalCode::SharedBarrierObject,
                  detail + " (" + begun->site.what + " in '" + begun->function->getNameAsString() +
                      "'); " + why,
                  placeOf(call.where, sources));
  std::optional<CalleeUse> wait = calls_.findFrom(call, &FunctionUses::plainBarrier);
  if (!wait)
    wait = calls_.findFrom(call, &FunctionUses::countingBarrier);
  if (!wait && !calls_.findFrom(call, &FunctionUses::warpPrimitive))
    return refuse(RefusalCode::CalleeReadsBlockIndex,
                  detail + ", which reads it in other instantiations or overloads; " + why,
                  placeOf(call.where, sources));
  const RefusalCode code =
      wait ? RefusalCode::CalleeBarrierAfterExit : RefusalCode::WarpPrimitiveAfterExit;
  if (!wait)
    wait = calls_.findFrom(call, &FunctionUses::warpPrimitive);
  if (wait)
    detail += " (" + wait->site.what + " in '" + wait->function->getNameAsString() + "')";
  return refuse(code, detail + "; " + why, placeOf(call.where, sources));
}

Refusal VirtualFunctions::indirectRefusal(const CallSite& call) {
  const Refusal reason = refusal(call, "through a pointer or a virtual function");
  return refuse(RefusalCode::IndirectCall, reason.detail, reason.where);
}

const char* VirtualFunctions::obstacle(const FunctionUses& caller, const KernelText& callerText,
                                       const clang::FunctionDecl& callee,
                                       const clang::FunctionDecl& definition, Drain drain) {
  const std::string name = callee.getNameAsString();
  if (const char* const why = unnamedObstacle(callee))
    return why;
  if (!files_.numberOf(definition.getLocation()))
    return "whose file cannot be rewritten";
  if (isHostLambda(definition))
    return lambdas_.obstacle(llvm::cast<clang::CXXMethodDecl>(definition));
  if (isSpecialisedMember(callee))
    return "which has explicit specialisations";
  if (!canBeOnHost(definition) || definition.isVariadic() || !handsOn(callee))
    return "which has an unusual signature";
  if (isFriend(callee) && llvm::isa<clang::CXXMethodDecl>(callee))
    return "which is a friend of a class";
  if (llvm::isa<clang::CXXMethodDecl>(callee))
    return methodObstacle(llvm::cast<clang::CXXMethodDecl>(definition));
  if (callerText.isMember && !callerText.knowsInstances && isOverloaded(callee))
    return "which is overloaded, in a member of a nested class template";
  if (caller.otherNames.count(name))
    return "whose name means something else as well";
  for (const clang::FunctionDecl* odd : caller.oddMentions)
    if (odd->getNameAsString() == name)
      return "which is not called in the plain way everywhere";
  return overloadObstacle(caller, callerText, callee, definition, drain);
}

/// An object stands for all that the text means by the name, or for none. Members are named by
/// `.`, `->` or `::`, where it is not in the way, or among the caller's other names.
const char* VirtualFunctions::overloadObstacle(const FunctionUses& caller,
                                               const KernelText& callerText,
                                               const clang::FunctionDecl& callee,
                                               const clang::FunctionDecl& definition, Drain drain) {
  const std::string name = callee.getNameAsString();
  if (definition.isConstexpr() && !needsBuiltins(callee) && !waits(callee, drain))
    return "which is constexpr";
  for (const CallSite& other : caller.calls) {
    if (other.callee->getDeclName() != callee.getDeclName() ||
        objectTextOf(*other.callee) == &definition || llvm::isa<clang::CXXMethodDecl>(other.callee))
      continue;
    const bool fits = !callerText.apart.count(name);
    if (fits && isTold(callerText, *other.callee, drain))
      continue;
    if (fits)
      wantMeanings(callerText, name);
    return "whose name means another function as well";
  }
  return nullptr;
}

void VirtualFunctions::wantMeanings(const KernelText& text, const std::string& name) {
  const auto meant = text.meanings.find(name);
  if (meant == text.meanings.end() || meant->second.size() < 2 || text.apart.count(name))
    return;
  for (const clang::FunctionDecl* function : meant->second)
    wanted_.insert({{text.file, text.nameBegin}, function});
}

/// The declaration whose text is the function's. Closures of one lambda have none in common: the
/// first stands for all.
const clang::FunctionDecl* VirtualFunctions::written(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* const definition = objectTextOf(function);
  return definition && isHostLambda(*definition)
             ? lambdas_.closures(llvm::cast<clang::CXXMethodDecl>(*definition)).front()
             : definition;
}

const std::vector<const clang::FunctionDecl*>&
VirtualFunctions::specialised(const clang::FunctionDecl& function) {
  static const std::vector<const clang::FunctionDecl*> none;
  if (!function.getPrimaryTemplate())
    return none;
  const clang::FunctionDecl* const pattern = function.getPrimaryTemplate()->getTemplatedDecl();
  const auto [found, isNew] = specialised_.try_emplace(pattern->getCanonicalDecl());
  if (isNew)
    found->second = specialisationsOf(function);
  return found->second;
}

/// One name means all specialisations of a template: what one of them needs, its object is told.
bool VirtualFunctions::isTold(const KernelText& caller, const clang::FunctionDecl& callee,
                              Drain drain) {
  const auto needs = [&](const clang::FunctionDecl* function) {
    return needsBuiltins(*function) || waits(*function, drain);
  };
  return needs(&callee) || llvm::any_of(specialised(callee), needs) ||
         (!isGivenUp(caller) && forced_.count({{caller.file, caller.nameBegin}, written(callee)}));
}

bool VirtualFunctions::isGivenUp(const KernelText& caller, GivenUp how) const {
  const auto found = givenUp_.find({caller.file, caller.nameBegin});
  return found != givenUp_.end() && found->second >= how;
}

bool VirtualFunctions::wantsAnotherRound() {
  const std::size_t known = forced_.size(), inPlace = inPlace_.size();
  inPlace_.merge(wantedInPlace_);
  wantedInPlace_.clear();
  forced_.merge(wanted_);
  wanted_.clear();
  bool gaveUp = false;
  for (const auto& [place, how] : hopeless_) {
    const auto [before, isNew] = givenUp_.try_emplace(place, how);
    gaveUp |= isNew || before->second < how;
    before->second = std::max(before->second, how);
  }
  hopeless_.clear();
  if (forced_.size() == known && inPlace_.size() == inPlace && !gaveUp)
    return false;
  functions_.clear();
  methodCalls_.clear();
  groupSyncs_.clear();
  active_.clear();
  holders_.clear();
  return true;
}

void VirtualFunctions::followRefused(const FunctionUses& caller, KernelText& callerText,
                                     std::vector<const VirtualFunction*>& callees, Drain drain) {
  const std::pair<std::size_t, std::size_t> place = {callerText.file, callerText.nameBegin};
  const Active outer = active_;
  for (const MethodCallSite& call : caller.methodCalls) {
    const clang::FunctionDecl* const definition = written(*call.callee);
    const bool isForced = !isGivenUp(callerText) && forced_.count({place, definition});
    const bool told =
        isForced && !add(caller, {call.callee, call.name}, callerText, callees, drain);
    active_ = outer;
    editMethodCall(call, told, callerText);
    if (isForced && !told)
      hopeless_[place] = GivenUp::Mixed;
  }
}

/// The object that stands for several overloads has those that other instantiations mean. One that
/// cannot be told stays missing, see ambiguousCallee().
void VirtualFunctions::addOverloadsOfInstance(const FunctionUses& uses, VirtualFunction& function,
                                              Drain drain) {
  const Active outer = active_;
  for (const CallSite& call : uses.calls) {
    const auto meant = function.text.meanings.find(call.callee->getNameAsString());
    if (call.indirect || llvm::isa<clang::CXXMethodDecl>(call.callee) ||
        meant == function.text.meanings.end() || meant->second.size() < 2 ||
        !isTold(function.text, *call.callee, drain))
      continue;
    add(uses, call, function.text, function.callees, drain);
    active_ = outer;
  }
}

/// An instantiation that no kernel reaches, or that needs nothing, has the edited calls as well.
void VirtualFunctions::addCallsOfInstance(const FunctionUses& uses, VirtualFunction& function,
                                          Drain drain) {
  KernelText& text = function.text;
  addOverloadsOfInstance(uses, function, drain);
  for (const MethodCallSite& call : uses.methodCalls) {
    const bool told = isTold(text, *call.callee, drain);
    std::optional<Refusal> refused;
    const Active outer = active_;
    if (told && !functions_[written(*call.callee)])
      refused = add(uses, {call.callee, call.name}, text, function.callees, drain);
    active_ = outer;
    if (refused && !isGivenUp(text))
      hopeless_[{text.file, text.nameBegin}] = GivenUp::Mixed;
    if ((refused && !isGivenUp(text)) || !editMethodCall(call, told && !refused, text))
      text.contradiction = refused ? *refused : refusal({call.callee, call.name}, "by a macro");
  }
  const auto noteIndirect = [&](clang::SourceLocation where) {
    if (where.isMacroID() || files_.numberOf(where) != text.file)
      return;
    std::map<const clang::FunctionDecl*, bool>& meant =
        methodCalls_[{text.file, calls_.sources().getFileOffset(where)}];
    meant[nullptr] = false;
    if (!areAlike(meant))
      text.contradiction = inSomeInstantiations(meant);
  };
  for (const IndirectCall& call : uses.indirectCalls)
    noteIndirect(call.site.where);
  for (const CallSite& call : uses.calls)
    if (call.indirect)
      noteIndirect(call.where);
}

std::optional<Refusal> VirtualFunctions::addGroupIndices(const FunctionUses& caller,
                                                         KernelText& callerText) {
  for (const GroupIndex& asked : caller.groupIndices) {
    const clang::SourceManager& sources = calls_.sources();
    const clang::SourceLocation first = asked.range.getBegin(), last = asked.range.getEnd();
    const bool plain =
        !first.isMacroID() && !last.isMacroID() && files_.numberOf(first) == callerText.file;
    const SourceTokens& tokens = files_[callerText.file].tokens;
    const std::size_t begin = plain ? sources.getFileOffset(first) : 0,
                      back = plain ? sources.getFileOffset(last) : 0,
                      end = back + (plain ? tokens.all()[tokens.at(back)].length : 0);
    if (!plain ||
        files_[callerText.file].text.substr(begin, end - begin).find('\n') != std::string::npos)
      return refuse(RefusalCode::CalleeReadsBlockIndex,
                    "asks a group for the block's place, through a macro or on several lines",
                    placeOf(first, sources));
    callerText.groupIndices[begin] = {end, asked.becomes};
  }
  return std::nullopt;
}

std::optional<Refusal> VirtualFunctions::addMbarriers(const FunctionUses& caller,
                                                      KernelText& callerText) {
  const clang::SourceManager& sources = calls_.sources();
  for (const MbarrierUse& use : caller.mbarriers) {
    const clang::SourceLocation first = use.operand.getBegin();
    if (files_.numberOf(first) != callerText.file)
      return refuse(RefusalCode::SharedBarrierObject, "in another file than its function",
                    placeOf(first, sources));
    const SourceTokens& tokens = files_[callerText.file].tokens;
    const std::size_t last = tokens.at(sources.getFileOffset(use.operand.getEnd()));
    callerText.mbarriers[sources.getFileOffset(first)] = {tokens.all()[last].end(), use.member};
  }
  return std::nullopt;
}

/// What a function is that is met for the first time; why it cannot be taken, or empty.
std::string VirtualFunctions::describe(const clang::FunctionDecl& callee,
                                       const clang::FunctionDecl& definition,
                                       const KernelText& caller, VirtualFunction& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&definition);
  function.definition = &definition;
  function.isConstructor = llvm::isa<clang::CXXConstructorDecl>(definition);
  function.isCallOperator = definition.getOverloadedOperator() == clang::OO_Call;
  function.isLambda = isHostLambda(definition);
  function.name = function.isConstructor ? method->getParent()->getNameAsString()
                                         : definition.getNameAsString();
  function.scope = printScope(definition);
  function.onHost = isOnHost(definition);
  function.inUnnamedNamespace = definition.isInAnonymousNamespace();
  function.isMethod = function.text.isMember = method != nullptr;
  if (!method && isOverloaded(callee))
    function.suffix =
        names_.suffixOf(function.name, function.scope + function.name + ' ' +
                                           definition.getType().getCanonicalType().getAsString());
  function.text.file = *files_.numberOf(definition.getLocation());
  function.text.conditional = files_.dependsOnArchitecture(definition.getLocation());
  if (const std::optional<Refusal> form = macros_.readSignature(definition, files_, function.text))
    return "whose text cannot be taken: " + form->title;
  if (!method) {
    std::optional<std::vector<KernelText>> friends = friendClasses(definition, files_);
    if (!friends)
      return "which is a friend of a class that cannot befriend its object";
    function.friends = std::move(*friends);
  }
  const bool isApart =
      method ? definition.isOutOfLine() : !standsAtDefinition(definition, function.text, caller);
  function.isDeclaredOnly = !definition.hasBody();
  const std::string why =
      isApart ? addDeclaration(*definition.getCanonicalDecl(), function) : std::string();
  if (!why.empty() && !method)
    wantCallerInPlace(function, caller);
  return why.empty() && !method ? describeSpecialisations(callee, function) : why;
}

/// Their texts, in the order of the template's list; they need what the object's type needs.
std::string VirtualFunctions::describeSpecialisations(const clang::FunctionDecl& callee,
                                                      VirtualFunction& function) {
  for (const clang::FunctionDecl* specialisation : specialised(callee)) {
    if (const char* const why = specialisationObstacle(*specialisation))
      return why;
    const clang::FunctionDecl& definition = *textOf(*specialisation);
    const clang::SourceLocation where = definition.getLocation();
    if (!files_.numberOf(where) || files_.dependsOnArchitecture(where))
      return "which has a specialisation that cannot be rewritten";
    auto text = std::make_unique<KernelText>();
    text->file = *files_.numberOf(where);
    if (const std::optional<Refusal> form = macros_.readSignature(definition, files_, *text))
      return "which has a specialisation whose text cannot be taken: " + form->title;
    text->neededAt =
        function.text.neededAt.value_or(std::pair(function.text.file, function.text.templateBegin));
    function.specialisations.push_back(std::move(text));
  }
  return "";
}

/// The text of an instance: a specialisation's, or the definition's.
KernelText& VirtualFunctions::textFor(VirtualFunction& function,
                                      const clang::FunctionDecl& instance) {
  const std::vector<const clang::FunctionDecl*>& all = specialised(instance);
  for (std::size_t index = 0; index < function.specialisations.size(); ++index)
    if (all[index]->getCanonicalDecl() == instance.getCanonicalDecl())
      return *function.specialisations[index];
  return function.text;
}

std::optional<Refusal> VirtualFunctions::add(const FunctionUses& caller, const CallSite& call,
                                             KernelText& callerText,
                                             std::vector<const VirtualFunction*>& callees,
                                             Drain drain) {
  const clang::FunctionDecl* const definition = written(*call.callee);
  if (!definition || !calls_.uses(*call.callee)) // an instantiation with an error has no body
    return refusal(call, "which has no text here");
  if (const char* const why = obstacle(caller, callerText, *call.callee, *definition, drain))
    return refusal(call, why);
  const bool isMethod = llvm::isa<clang::CXXMethodDecl>(definition);
  std::unique_ptr<VirtualFunction>& slot = functions_[definition];
  const bool isOwn = slot && !isMethod && slot->has(callerText);
  if (!isMethod && !isOwn && llvm::is_contained(holders_, definition))
    return refusal(call, "which calls itself through another function");
  if (isOwn && callerText.meanings[slot->name].size() > 1)
    return refusal(call, "which calls itself and another function by one name");
  const bool isNew = !slot;
  if (isNew)
    slot = std::make_unique<VirtualFunction>();
  VirtualFunction& function = *slot;
  if (isNew) {
    const std::string why = describe(*call.callee, *definition, callerText, function);
    if (!why.empty()) {
      functions_.erase(definition);
      return refusal(call, why);
    }
  }
  if (function.elsewhere.code.empty() &&
      (needsBuiltins(*call.callee) || waits(*call.callee, drain)))
    function.elsewhere = refusal(call, "and means another function in other instantiations, which "
                                       "cannot be told as well: give one of them another name");
  if (std::optional<Refusal> form = formRefusal(caller, call, callerText, function))
    return form;
  callerText.callsItself |= isOwn;
  std::optional<Refusal> below = walk(call, function, isOwn, drain);
  if (!below && isMethod && function.hasBarrier && !function.text.blockSyncs.empty() &&
      call.callee->getTemplateInstantiationPattern())
    return refusal(call, "which is a member of a template and waits for a group");
  if (!below && function.isConstructor &&
      callsBeforeBody(*calls_.uses(*call.callee), function.text, drain))
    return refusal(call, "which is a constructor whose initialisers call such functions");
  if (!below && !isMethod && !isOwn && !llvm::is_contained(callees, &function))
    callees.push_back(&function);
  return below;
}

/// An instance and what it calls, unless it is being looked at.
std::optional<Refusal> VirtualFunctions::walk(const CallSite& call, VirtualFunction& function,
                                              bool isOwn, Drain drain) {
  const clang::FunctionDecl* const text = function.definition;
  const auto isOfText = [&](const auto& instance) { return instance.second == text; };
  const bool isOnPath = llvm::any_of(active_, isOfText);
  const clang::FunctionDecl* const walked = call.callee->getCanonicalDecl();
  if (!active_.emplace(walked, text).second)
    return std::nullopt;
  const std::vector<const clang::FunctionDecl*> outer = holders_;
  if (function.isMethod)
    holders_.clear();
  else if (!isOwn)
    holders_.push_back(text);
  std::optional<Refusal> below = addInstance(call, function, drain);
  if (!below && !isOwn)
    below = addSpecialisations(call, function, drain);
  holders_ = outer;
  if (function.isMethod)
    active_.erase(walked);
  else if (!isOnPath) // what it calls of itself is looked at once
    std::erase_if(active_, isOfText);
  return below;
}

/// The arguments that the function under the old name hands on as constants.
static void noteCopies(const clang::FunctionDecl& instance, KernelText& text) {
  std::size_t place = 0;
  for (const clang::ParmVarDecl* parameter : instance.parameters()) {
    if (copiesAsConstant(parameter->getType()) && !text.parameters.empty())
      text.parameters[std::min(place, text.parameters.size() - 1)].asConstant = true;
    ++place;
  }
}

/// What the function is given for the sake of one instance, and those that the instance calls.
std::optional<Refusal> VirtualFunctions::addInstance(const CallSite& call,
                                                     VirtualFunction& function, Drain drain) {
  const FunctionUses& uses = *calls_.uses(*call.callee);
  KernelText& text = textFor(function, *call.callee);
  noteCopies(*call.callee, text);
  std::set<std::string>& given = function.text.primitives;
  function.hasBarrier |= uses.plainBarrier && (!function.isMethod || drain != Drain::Nothing);
  if (uses.mbarrier)
    given.insert(kMbarrierNotes);
  if (drain != Drain::Nothing)
    given.insert(uses.counts.begin(), uses.counts.end());
  if (drain == Drain::Lanes)
    given.insert(uses.primitives.begin(), uses.primitives.end());
  if (uses.globalBlockIndex || uses.hiddenBlockIndex ||
      (drain != Drain::Nothing && uses.hiddenBarrier) ||
      (drain == Drain::Lanes && uses.hiddenPrimitive))
    return refusal(call, "where a parameter would not be seen");
  if (uses.otherNames.count("blockIdx") || uses.otherNames.count("gridDim"))
    return refusal(call, "where a parameter would hide another variable");
  if (uses.staticVariable && !calls_.isClosed() && isSharedByFiles(*call.callee))
    return refusal(call, "which has a static variable that files share");
  if (text.isArgument && needsPlainText(*function.definition, text, drain)) {
    macros_.unfoldAround(*function.definition, files_, text);
    return refusal(call, "which a macro is given");
  }
  noteMeanings(uses, text);
  if (&text != &function.text)
    return require(uses, text, function.callees, drain);
  addFactsOfInstances(*function.definition, text);
  std::optional<Refusal> below = require(uses, text, function.callees, drain);
  if (!below)
    eachInstance(*function.definition, [&](const FunctionUses& instance) {
      addCallsOfInstance(instance, function, drain);
    });
  return below;
}

/// All of them become the object's. Its members are seen in the template's text too, where calls of
/// what they stand for are then edited in every instantiation, needed or not.
std::optional<Refusal>
VirtualFunctions::addSpecialisations(const CallSite& call, VirtualFunction& function, Drain drain) {
  if (function.specialisations.empty())
    return std::nullopt;
  const auto addOne = [&](const clang::FunctionDecl& instance) -> std::optional<Refusal> {
    if (!calls_.uses(instance) ||
        !active_.emplace(instance.getCanonicalDecl(), function.definition).second)
      return std::nullopt;
    return addInstance({&instance, call.where}, function, drain);
  };
  for (const clang::FunctionDecl* specialisation : specialised(*call.callee))
    if (std::optional<Refusal> refused = addOne(*specialisation))
      return refused;
  for (const clang::FunctionDecl* instance : instancesOf(*function.definition))
    addOne(*instance);
  return std::nullopt;
}

/// Does a text that a macro is given need edits where only plain texts have them?
bool VirtualFunctions::needsPlainText(const clang::FunctionDecl& definition, const KernelText& text,
                                      Drain drain) {
  bool needs = false;
  const auto isTold = [&](const auto& call) { return this->isTold(text, *call.callee, drain); };
  const auto isHidden = [&](const MethodCallSite& call) {
    return isTold(call) && (!placeIn(text, call.name) || !placeIn(text, call.beforeParen));
  };
  eachInstance(definition, [&](const FunctionUses& uses) {
    needs |= !uses.groupSyncs.empty() || !uses.groupIndices.empty() || !uses.mbarriers.empty() ||
             (drain == Drain::Lanes && !uses.groupPrimitives.empty()) ||
             llvm::any_of(uses.methodCalls, isHidden) || llvm::any_of(uses.explicitCalls, isTold) ||
             llvm::any_of(uses.qualifiedCalls, isTold);
  });
  return needs;
}

/// Objects stand at the beginning of the body.
bool VirtualFunctions::callsBeforeBody(const FunctionUses& uses, const KernelText& text,
                                       Drain drain) {
  return std::any_of(uses.calls.begin(), uses.calls.end(), [&](const CallSite& call) {
    const clang::SourceManager& sources = calls_.sources();
    const clang::SourceLocation where = sources.getExpansionLoc(call.where);
    return !llvm::isa<clang::CXXMethodDecl>(call.callee) && isTold(text, *call.callee, drain) &&
           (files_.numberOf(where) != text.file || sources.getFileOffset(where) < text.bodyBegin);
  });
}

void VirtualFunctions::addGroupSyncs(const FunctionUses& caller, KernelText& callerText) {
  for (const GroupSync& sync : caller.groupSyncs) {
    if (files_.numberOf(sync.range.getBegin()) != callerText.file)
      continue;
    const clang::SourceManager& sources = calls_.sources();
    const std::size_t begin = sources.getFileOffset(sources.getExpansionLoc(sync.range.getBegin()));
    const bool known =
        groupSyncs_.try_emplace({callerText.file, begin}, sync.isBlock).first->second;
    if (known != sync.isBlock)
      callerText.contradiction =
          refuse(RefusalCode::CalleeBarrierAfterExit,
                 "calls 'sync' of a group, which is the block in some instantiations only",
                 placeOf(sync.range.getBegin(), sources));
    else if (sync.isBlock)
      callerText.blockSyncs[begin] = {sources.getFileOffset(sync.range.getEnd()) + 1,
                                      sync.isAligned ? "__syncthreads.operator()()"
                                                     : "__syncthreads.ofGroup()"};
  }
}

void VirtualFunctions::addGroupPrimitives(const FunctionUses& caller, KernelText& callerText) {
  const clang::SourceManager& sources = calls_.sources();
  for (const auto& [group, call] : caller.groupPrimitives) {
    if (files_.numberOf(group.getBegin()) != callerText.file)
      continue;
    const SourceTokens& tokens = files_[callerText.file].tokens;
    const auto endOf = [&](clang::SourceLocation last) {
      const std::size_t offset = sources.getFileOffset(last);
      return offset + tokens.all()[tokens.at(offset)].length;
    };
    GroupPrimitiveText text{endOf(group.getEnd())};
    if (call.isValid()) {
      text.callBegin = sources.getFileOffset(call.getBegin());
      text.callEnd = endOf(call.getEnd());
    }
    callerText.groupPrimitives[sources.getFileOffset(group.getBegin())] = text;
  }
}

/// Calls `visit` on what each instantiation of the function does.
void VirtualFunctions::eachInstance(const clang::FunctionDecl& definition,
                                    llvm::function_ref<void(const FunctionUses&)> visit) {
  const auto ask = [&](const clang::FunctionDecl& instance) {
    if (const FunctionUses* const uses = calls_.uses(instance))
      visit(*uses);
  };
  if (isHostLambda(definition))
    for (const clang::CXXMethodDecl* closure :
         lambdas_.closures(llvm::cast<clang::CXXMethodDecl>(definition)))
      ask(*closure);
  else
    for (const clang::FunctionDecl* instance : instancesOf(definition))
      ask(*instance);
}

/// Instantiations that need no object have the same text.
void VirtualFunctions::addFactsOfInstances(const clang::FunctionDecl& definition,
                                           KernelText& text) {
  eachInstance(definition, [&](const FunctionUses& uses) {
    addGroupSyncs(uses, text);
    addGroupPrimitives(uses, text);
    noteMeanings(uses, text);
  });
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&definition);
  text.knowsInstances = !method || !method->getParent()->getDeclContext()->isDependentContext();
}

/// Where the qualifier begins in the file, a macro that names a namespace included (`NS::f()`); a
/// place in the macro if that says more.
static clang::SourceLocation beginOf(const QualifiedCall& call) {
  const clang::ASTContext& context = call.callee->getASTContext();
  clang::SourceLocation begin = call.qualifier.getBegin();
  if (begin.isMacroID())
    clang::Lexer::isAtStartOfMacroExpansion(begin, context.getSourceManager(),
                                            context.getLangOpts(), &begin);
  return begin;
}

/// Calls with template arguments or with a namespace in front.
bool VirtualFunctions::addDecoratedCalls(const FunctionUses& caller,
                                         const clang::FunctionDecl& definition,
                                         KernelText& callerText) {
  const clang::SourceManager& sources = definition.getASTContext().getSourceManager();
  for (const QualifiedCall& call : caller.qualifiedCalls) {
    const clang::SourceLocation begin = beginOf(call), name = call.qualifier.getEnd();
    if (objectTextOf(*call.callee) != &definition)
      continue;
    if (begin.isMacroID() || name.isMacroID() || files_.numberOf(begin) != callerText.file)
      return false;
    callerText.qualifiers[sources.getFileOffset(begin)] = sources.getFileOffset(name);
  }
  for (const CallSite& call : caller.explicitCalls) {
    if (objectTextOf(*call.callee) != &definition)
      continue;
    if (call.where.isMacroID() || files_.numberOf(call.where) != callerText.file)
      return false;
    callerText.explicitCalls.insert(sources.getFileOffset(call.where));
  }
  return true;
}

std::optional<Refusal> VirtualFunctions::require(const FunctionUses& caller, KernelText& text,
                                                 std::vector<const VirtualFunction*>& callees,
                                                 Drain drain) {
  const Active outer = active_;
  for (const CallSite& call : caller.calls) {
    if (!isTold(text, *call.callee, drain))
      continue;
    if (call.indirect) {
      active_ = outer;
      return indirectRefusal(call);
    }
    if (isGivenUp(text, GivenUp::Untold) && llvm::isa<clang::CXXMethodDecl>(call.callee))
      return refusal(call, "and means another function in other instantiations, which cannot be "
                           "told as well");
    if (std::optional<Refusal> refused = add(caller, call, text, callees, drain)) {
      active_ = outer;
      return refused;
    }
  }
  for (const VirtualFunction* callee : callees)
    wantMeanings(text, callee->name);
  if (std::optional<Refusal> refused = addGroupIndices(caller, text))
    return refused;
  if (std::optional<Refusal> refused = addMbarriers(caller, text))
    return refused;
  addGroupSyncs(caller, text);
  addGroupPrimitives(caller, text);
  return addMethodCalls(caller, text, drain);
}

void VirtualFunctions::refuseContradictions(std::vector<KernelInfo>& kernels) {
  std::set<const VirtualFunction*> seen;
  const std::function<std::optional<Refusal>(const std::vector<const VirtualFunction*>&,
                                             const KernelText&)>
      find = [&](const std::vector<const VirtualFunction*>& callees, const KernelText& text) {
        std::optional<Refusal> found = text.contradiction;
        if (const VirtualFunction* const callee = ambiguousCallee(callees, text))
          found = callee->elsewhere;
        for (const VirtualFunction* callee : calledBy(callees, text)) {
          if (found || !seen.insert(callee).second)
            continue;
          found = find(callee->callees, callee->text);
          for (const std::unique_ptr<KernelText>& special : callee->specialisations)
            found = found ? found : find(callee->callees, *special);
        }
        return found;
      };
  for (KernelInfo& kernel : kernels) {
    seen.clear();
    if (kernel.record.refusal)
      continue;
    kernel.record.refusal = find(kernel.callees, kernel.text);
    if (!kernel.record.refusal)
      continue;
    kernel.record.refusal->where = kernel.record.where;
    kernel.record.persistentSymbol.clear();
    for (KernelRecord& instance : kernel.instanceRecords)
      instance.persistentSymbol.clear();
  }
}

std::vector<std::unique_ptr<VirtualFunction>>
VirtualFunctions::take(const std::vector<KernelInfo>& kernels) {
  std::set<const VirtualFunction*> needed;
  const std::function<void(const std::vector<const VirtualFunction*>&)> mark =
      [&](const std::vector<const VirtualFunction*>& called) {
        for (const VirtualFunction* function : called)
          if (needed.insert(function).second)
            mark(calledBy(*function));
      };
  for (const KernelInfo& kernel : kernels)
    if (!kernel.record.refusal)
      mark(calledBy(kernel.callees, kernel.text));
  std::vector<std::unique_ptr<VirtualFunction>> taken;
  for (auto& [definition, function] : functions_)
    if (needed.count(function.get()))
      taken.push_back(std::move(function));
  std::sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) {
    return std::pair(a->text.file, a->text.nameBegin) < std::pair(b->text.file, b->text.nameBegin);
  });
  return taken;
}

} // namespace gpusched::passes
