// VirtualFunctions.h - which device functions must see the logical built-ins, and whether they can.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that reads blockIdx or gridDim, or calls one that does, has to be told the logical
// block. Its body becomes the call operator of a struct whose members are named like the
// built-ins (see Virtualise.cpp); a caller gets an object of that type in a parameter named like
// the function, so that its text stays as it is. That needs a function whose text can be rewritten,
// and calls that name it in the plain way.
#pragma once

#include "passes/analysis/CallGraph.h"
#include "passes/analysis/HostLambdas.h"
#include "passes/analysis/KernelInfo.h"
#include "passes/analysis/SourceFiles.h"
#include "passes/analysis/TwinNames.h"
#include "passes/analysis/UnfoldMacros.h"

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace gpusched::passes {

/// What threads that have left are needed for, see docs/passes/persist.md: functions that wait in
/// this way must be virtual as well, and those that begin or end an mbarrier always.
enum class Drain { Nothing, Barriers, Lanes };

class VirtualFunctions {
public:
  VirtualFunctions(CallGraph& calls, SourceFiles& files, MacroUnfolder& macros, TwinNames& names)
      : calls_(calls), files_(files), macros_(macros), names_(names) {}

  /// The virtual functions that a body calls directly, with theirs filled in, in `callees`; or why
  /// one of them cannot be virtual. `text` is the caller's; gets the places of explicit calls.
  std::optional<Refusal> require(const FunctionUses& caller, KernelText& text,
                                 std::vector<const VirtualFunction*>& callees, Drain drain);

  /// Tells what an instantiation calls that is refused: it shares its text with others, whose calls
  /// may be edited.
  void followRefused(const FunctionUses& caller, KernelText& callerText,
                     std::vector<const VirtualFunction*>& callees, Drain drain);

  /// Were calls found that mean a function in need of the built-ins in some instantiations only?
  /// Then all that they mean can be told, so that one text serves all of them: forgets what is
  /// known, for one more walk over the kernels.
  bool wantsAnotherRound();

  /// Refuses kernels with a call that means one thing in one instantiation and another in the next,
  /// in their own text or in one that they need.
  static void refuseContradictions(std::vector<KernelInfo>& kernels);

  /// The functions that the kernels need, ordered by their place in the text.
  std::vector<std::unique_ptr<VirtualFunction>> take(const std::vector<KernelInfo>& kernels);

private:
  bool needsBuiltins(const clang::FunctionDecl& function);
  std::optional<Refusal> add(const FunctionUses& caller, const CallSite& call,
                             KernelText& callerText, std::vector<const VirtualFunction*>& callees,
                             Drain drain);
  KernelText& textFor(VirtualFunction& function, const clang::FunctionDecl& instance);
  std::optional<Refusal> walk(const CallSite& call, VirtualFunction& function, bool isOwn,
                              Drain drain);
  std::optional<Refusal> addInstance(const CallSite& call, VirtualFunction& function, Drain drain);
  std::optional<Refusal> addSpecialisations(const CallSite& call, VirtualFunction& function,
                                            Drain drain);
  std::string describeSpecialisations(const clang::FunctionDecl& callee, VirtualFunction& function);
  std::optional<Refusal> formRefusal(const FunctionUses& caller, const CallSite& call,
                                     KernelText& callerText, const VirtualFunction& function);
  bool waits(const clang::FunctionDecl& function, Drain drain);
  std::optional<Refusal> addMbarriers(const FunctionUses& caller, KernelText& callerText);
  const clang::FunctionDecl* written(const clang::FunctionDecl& function);
  bool isTold(const KernelText& caller, const clang::FunctionDecl& callee, Drain drain);
  const std::vector<const clang::FunctionDecl*>& specialised(const clang::FunctionDecl& function);
  std::optional<Refusal> addMethodCalls(const FunctionUses& caller, KernelText& callerText,
                                        Drain drain);
  std::optional<Refusal> addGroupIndices(const FunctionUses& caller, KernelText& callerText);
  /// Mixed: their calls of operators tell those who can be told (ToldCall.cuh). Untold: they tell
  /// nobody, so that instantiations that need it are refused and no others.
  enum class GivenUp { Mixed, Untold };
  bool isGivenUp(const KernelText& caller, GivenUp how = GivenUp::Mixed) const;
  static bool canBeMixed(const std::map<const clang::FunctionDecl*, bool>& meant);
  bool areAlike(const std::map<const clang::FunctionDecl*, bool>& meant);
  bool editMethodCall(const MethodCallSite& call, bool told, KernelText& callerText);
  std::optional<std::size_t> placeIn(const KernelText& text, clang::SourceLocation location);
  bool giveArguments(std::size_t name, std::size_t place, const VirtualFunction& function,
                     KernelText& callerText);
  bool needsPlainText(const clang::FunctionDecl& definition, const KernelText& text, Drain drain);
  bool callsBeforeBody(const FunctionUses& uses, const KernelText& text, Drain drain);
  Refusal inSomeInstantiations(const std::map<const clang::FunctionDecl*, bool>& meant);
  void addGroupSyncs(const FunctionUses& caller, KernelText& callerText);
  void addGroupPrimitives(const FunctionUses& caller, KernelText& callerText);
  void eachInstance(const clang::FunctionDecl& definition,
                    llvm::function_ref<void(const FunctionUses&)> visit);
  void addFactsOfInstances(const clang::FunctionDecl& definition, KernelText& text);
  void addOverloadsOfInstance(const FunctionUses& uses, VirtualFunction& function, Drain drain);
  void addCallsOfInstance(const FunctionUses& uses, VirtualFunction& function, Drain drain);
  bool addDecoratedCalls(const FunctionUses& caller, const clang::FunctionDecl& definition,
                         KernelText& callerText);
  const char* obstacle(const FunctionUses& caller, const KernelText& callerText,
                       const clang::FunctionDecl& callee, const clang::FunctionDecl& definition,
                       Drain drain);
  const char* overloadObstacle(const FunctionUses& caller, const KernelText& callerText,
                               const clang::FunctionDecl& callee,
                               const clang::FunctionDecl& definition, Drain drain);
  void wantMeanings(const KernelText& text, const std::string& name);
  bool isKnown(const KernelText& text, const KernelText& caller) const;
  bool standsAtDefinition(const clang::FunctionDecl& definition, KernelText& text,
                          const KernelText& caller);
  void wantCallerInPlace(const VirtualFunction& callee, const KernelText& callerText);
  std::string describe(const clang::FunctionDecl& callee, const clang::FunctionDecl& definition,
                       const KernelText& caller, VirtualFunction& function);
  std::string addDeclaration(const clang::FunctionDecl& declaration, VirtualFunction& function);
  Refusal refusal(const CallSite& call, const std::string& why);
  Refusal indirectRefusal(const CallSite& call);

  CallGraph& calls_;
  SourceFiles& files_;
  MacroUnfolder& macros_;
  TwinNames& names_;
  std::map<const clang::FunctionDecl*, std::unique_ptr<VirtualFunction>> functions_;
  HostLambdas lambdas_;
  /// What each call of a member function means, and whether it has to be told of the block.
  std::map<std::pair<std::size_t, std::size_t>, std::map<const clang::FunctionDecl*, bool>>
      methodCalls_;
  /// Is each call of a group's sync() one of a block?
  std::map<std::pair<std::size_t, std::size_t>, bool> groupSyncs_;
  /// Callers, by file and place, and what they have to tell for the sake of other instantiations or
  /// of overloads; and those found out in this round.
  using Told = std::set<std::pair<std::pair<std::size_t, std::size_t>, const clang::FunctionDecl*>>;
  Told forced_, wanted_;
  /// Functions whose objects stand at the definition for the sake of what they hold; and those
  /// found out in this round.
  std::set<const clang::FunctionDecl*> inPlace_, wantedInPlace_;
  /// Callers of which some instantiations call what cannot be told, and what is done instead; and
  /// those found out in this round.
  std::map<std::pair<std::size_t, std::size_t>, GivenUp> givenUp_, hopeless_;
  /// On the path from the kernel, against recursion: instances, and the texts of their objects.
  using Active = std::map<const clang::FunctionDecl*, const clang::FunctionDecl*>;
  Active active_;
  /// Texts of free functions whose objects hold each other, since the last member on that path: a
  /// member makes the objects that it needs.
  std::vector<const clang::FunctionDecl*> holders_;
  std::map<const clang::FunctionDecl*, std::vector<const clang::FunctionDecl*>> specialised_;
};

} // namespace gpusched::passes
