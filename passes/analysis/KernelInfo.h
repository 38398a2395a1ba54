// KernelInfo.h - one kernel as plain data: where its text is, what it does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   AST -> KernelCollector (Signature, BodyUses, CallGraph, EarlyReturn) -> KernelInfo -> passes
//
// No Clang type: passes are functions from KernelInfo and tokens to edits. Offsets count bytes of
// the original text of one SourceFile.
//
//   template <class T>  static __global__ void __launch_bounds__(256) k (const T* a, int) {...}
//   ^templateBegin      ^signatureBegin                     nameBegin ^ ^leftParenthesis ^bodyBegin
#pragma once

#include "passes/Transform.h"
#include "passes/analysis/LaunchPairs.h"
#include "passes/analysis/MissingWords.h"
#include "passes/analysis/SeenTexts.h"
#include "passes/analysis/SourceFile.h"
#include "passes/edit/EditSet.h"
#include "passes/edit/RedirectIncludes.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace clang {
class FunctionDecl;
}

namespace gpusched::passes {

struct KernelParameter {
  std::string name; ///< as in the source, or made up for an unnamed one
  bool unnamed = false;
  bool pack = false;
  std::size_t nameOffset = 0;   ///< where the name is, or would be
  std::size_t gridConstant = 0; ///< length of what says __grid_constant__; 0 = it is none
  std::size_t gridConstantBegin = 0;
  bool asConstant = false;  ///< copied so: its class takes variables for something else
  bool isReferable = false; ///< the text allows that it is a reference
  bool byReference = false; ///< the body gets it so: a class
  bool isChanged = false;   ///< by the body, perhaps: each block needs one of its own
  bool isMoved = false;     ///< an rvalue reference, or what may be one: T&&
};

struct KernelTemplateParameter {
  std::string name;
  bool unnamed = false;
  bool pack = false;
  std::size_t nameOffset = 0;
};

/// A parameter or member of type MbarrierNotes.
inline constexpr const char* kMbarrierNotes = "gpusched_mbarriers";

/// A primitive of a group that kLaneGroups can be told of.
struct GroupPrimitiveText {
  std::size_t groupEnd = 0;
  std::size_t callBegin = 0, callEnd = 0; ///< of a function; both 0 for a member
};

/// A parameter or member of type LaneGroups.
inline constexpr const char* kLaneGroups = "gpusched_groups";

/// Block barriers that ask their threads something; see CountingBarriers.cuh.
inline bool isCountingBarrier(std::string_view name) {
  return name == "__syncthreads_count" || name == "__syncthreads_or" || name == "__syncthreads_and";
}

struct VirtualFunction;

/// A call of a member function that takes the logical built-ins as arguments.
struct MethodCall {
  const VirtualFunction* callee = nullptr;
  /// What other instantiations of the caller call there, in the same way.
  std::vector<const VirtualFunction*> others;
  std::size_t leftParenthesis = 0, rightParenthesis = 0; ///< of its arguments
  bool isEmpty = false;                                  ///< it has none
  std::size_t nameLength = 0; ///< of what the method's name replaces; 0: it goes to the arguments
  /// Where the object begins of a call that takes the built-ins in some instantiations only.
  std::optional<std::size_t> mixedObject;
};

/// What stands up to `end`, and its new text.
struct TextChange {
  std::size_t end = 0;
  std::string becomes;
  bool operator==(const TextChange&) const = default;
};

/// Where the pieces of a kernel's definition are.
struct KernelText {
  std::size_t file = 0; ///< number of the SourceFile that all offsets are of
  /// The text as a pass of the compiler reads it that is not the first; null: as files[file].
  const SourceFile* seenAs = nullptr;
  bool conditional = false; ///< not every pass of the compiler may see it
  bool isTemplate = false;
  bool boundsAskArchitecture = false; ///< conditions around __launch_bounds__ do
  bool isMember = false;
  bool isArgument = false;       ///< of a macro, as lambdas may be
  bool knowsInstances = true;    ///< all of its instantiations have been looked at
  bool isSpecialization = false; ///< `template <>` stands from templateBegin to signatureBegin
  /// "namespace a { namespace b { ", for a definition through a qualified name; and their ends.
  std::string entersScope, leavesScope;
  bool hasTrailingReturn = false; ///< `-> type` stands behind the parameters
  /// Begin and end of a kernel's return type that is void by another name.
  std::optional<std::pair<std::size_t, std::size_t>> returnType;
  bool outerHeader = false;               ///< of class templates that the name goes through
  std::size_t templateBegin = 0;          ///< of `template`; signatureBegin if it is none
  std::size_t signatureBegin = 0;         ///< first declaration specifier, extern "C" included
  std::size_t specifiersEnd = 0;          ///< nameBegin, or of the qualifier before it
  std::size_t nameBegin = 0, nameEnd = 0; ///< with the arguments of a specialisation
  std::size_t leftParenthesis = 0, rightParenthesis = 0;
  std::size_t bodyBegin = 0, bodyEnd = 0; ///< of `{`, and just past `}`
  /// Of the `<` in calls of virtual functions with explicit template arguments.
  std::set<std::size_t> explicitCalls;
  std::map<std::size_t, MethodCall> methodCalls;  ///< by the offset of the name in the call
  std::map<std::size_t, std::size_t> qualifiers;  ///< in front of called virtual functions; ends
  std::map<std::size_t, TextChange> groupIndices; ///< what asks a group for the block's place
  /// Calls of a block's sync(), by begin: calls of the object that is named __syncthreads where
  /// there is one. Of its members, so that nvcc rejects them where a declaration hides the object.
  std::map<std::size_t, TextChange> blockSyncs;
  std::map<std::size_t, GroupPrimitiveText> groupPrimitives; ///< by the begin of the group
  /// What begins or ends an mbarrier, and the member of MbarrierNotes that it passes; by begin.
  std::map<std::size_t, TextChange> mbarriers;
  /// Warp primitives and counting barriers that are parameters, or members, since threads may have
  /// left before them; kLaneGroups, where it is told of groups; and kMbarrierNotes, where the text
  /// passes it what it says of mbarriers.
  std::set<std::string> primitives;
  /// Which functions a name means in the text, in one instantiation or in different ones; and the
  /// names that mean some that no object can stand for together.
  std::map<std::string, std::set<const clang::FunctionDecl*>> meanings;
  std::set<std::string> apart;
  bool callsItself = false; ///< by its name, which is then its object's
  /// Of a call that cannot be edited for all instantiations.
  std::optional<Refusal> contradiction;
  /// What a declaration says of parameters, by their ends: an object has to say it here.
  std::map<std::size_t, std::string> defaults;
  std::vector<KernelTemplateParameter> templateParameters;
  /// Default arguments of parameters of either kind, from `=` on; by begin, with the end.
  std::map<std::size_t, std::size_t> defaultArguments;
  bool keepsDefaults = false; ///< one of them is nowhere to be seen
  /// File and offset where the types of objects that it takes must be known, if that is not where
  /// it begins.
  std::optional<std::pair<std::size_t, std::size_t>> neededAt;
  std::vector<KernelParameter> parameters;
};

/// A device function that gets the logical built-ins: a free one becomes a function object that
/// carries them, a member function gets parameters.
struct VirtualFunction {
  const clang::FunctionDecl* definition = nullptr; ///< as in KernelText::meanings
  std::string name;
  std::string scope;           ///< "::ns::"
  std::string suffix = "__gs"; ///< "__gs2" where overloads have objects of their own
  KernelText text;             ///< of its definition
  /// In its class, of a member that is defined outside of it, or the first one, of a function that
  /// is defined after a caller; bodyBegin is of the `;`.
  std::optional<KernelText> declaration;
  /// Its explicit specialisations, which are those of the object's call operator.
  std::vector<std::unique_ptr<KernelText>> specialisations;
  /// Of the classes that it is a friend of: bodyBegin is of the `{`, and templateBegin is where the
  /// class begins that holds this one and all around it.
  std::vector<KernelText> friends;
  bool onHost = false;         ///< the host compiles it as well
  bool isDeclaredOnly = false; ///< a template that is specialised: its text is its declaration
  bool hasBarrier = false;     ///< has __syncthreads, for itself or for members that it calls
  bool isMethod = false;       ///< one of the next two included
  bool isCallOperator = false; ///< operator()
  bool isConstructor = false;
  bool isLambda = false; ///< of host code, see HostLambdas.h: a call operator under its old name
  bool inUnnamedNamespace = false;
  std::vector<const VirtualFunction*> callees; ///< that it calls directly
  /// For callers whose text means another function by the name in some instantiations.
  Refusal elsewhere;

  /// Is it a text of the function: its definition's, or that of a specialisation?
  bool has(const KernelText& one) const {
    return &one == &text || std::any_of(specialisations.begin(), specialisations.end(),
                                        [&](const auto& special) { return special.get() == &one; });
  }

  std::string typeName() const { return name + suffix + "_call"; }
  std::string methodName() const {
    return isConstructor ? name : (isCallOperator ? "call" : name) + "__gs";
  }
};

/// The virtual functions that a text calls directly, as objects and as members.
inline std::vector<const VirtualFunction*>
calledBy(const std::vector<const VirtualFunction*>& callees, const KernelText& text) {
  std::vector<const VirtualFunction*> all = callees;
  for (const auto& [name, call] : text.methodCalls) {
    all.push_back(call.callee);
    all.insert(all.end(), call.others.begin(), call.others.end());
  }
  return all;
}

/// One instantiation that gets a registrar.
struct KernelInstance {
  std::string arguments; ///< "<float, 4>" as it can be written at the end of the file; "" = none
  std::string type;      ///< "void (*)(const float*, int)", to pick one of an overload set
  std::string name;      ///< "ns::scale<float, 4>", for people
  std::string mangled, mangledTwin; ///< what Clang calls both in object files
  uint32_t parameters = 0;
  bool wholeWarpRows = false;
  /// Set where the arguments cannot be written down (a lambda's type): the symbols by which the
  /// kernel and its twin are found instead, or patterns of them.
  std::string symbol, twinSymbol;
  bool foundBySymbol() const { return !symbol.empty(); }
};

/// Those that its texts call, and what they are given as members.
inline std::vector<const VirtualFunction*> calledBy(const VirtualFunction& function) {
  std::vector<const VirtualFunction*> all = calledBy(function.callees, function.text);
  for (const std::unique_ptr<KernelText>& text : function.specialisations)
    for (const VirtualFunction* callee : calledBy({}, *text))
      all.push_back(callee);
  return all;
}

/// All that a text reaches: what it calls directly, and what those call.
inline std::vector<const VirtualFunction*>
reachedFrom(const std::vector<const VirtualFunction*>& callees, const KernelText& text) {
  std::vector<const VirtualFunction*> open = calledBy(callees, text), reached;
  for (std::size_t index = 0; index < open.size(); ++index) {
    if (std::find(reached.begin(), reached.end(), open[index]) != reached.end())
      continue;
    reached.push_back(open[index]);
    for (const VirtualFunction* callee : calledBy(*open[index]))
      open.push_back(callee);
  }
  return reached;
}

struct KernelInfo {
  KernelRecord record; ///< of the definition; refusal set = no edits
  KernelText text;
  std::string suffix; ///< "__gs", "__gs2": one per overload of a name
  std::string scope;  ///< "::ns::", for naming the kernel at the end of the file
  bool overloaded = false;
  std::vector<const VirtualFunction*> callees; ///< virtual functions that the body calls directly
  std::vector<KernelInstance> instances;
  std::vector<KernelRecord> instanceRecords; ///< one per instantiation seen, refused or not
  bool drains = false;                       ///< one of its definitions has the drain barrier
  bool loops = false;                        ///< and one a loop
  bool batches = false;                      ///< none of them may wait for another block
  bool notesMbarriers = false;               ///< one of them begins mbarriers
  /// Of the dynamic shared memory, if the twin's own words are behind it; else 0.
  uint32_t behindAlignment = 0;
  bool lanesBehind = false; ///< those about lanes are there, too
  bool spliced = false;     ///< its twin is a shell that gets the kernel's PTX, see Forms.h
  bool onDevice = true;     ///< false: only nvcc's host pass sees this text, and needs a stub
  /// Definitions that other passes of the compiler see in its place; they share its fate.
  std::vector<KernelInfo> others;

  std::string bodyName() const { return record.name + suffix + "_body"; }
  std::string twinName() const { return record.name + suffix; }
  /// This one and the others.
  std::vector<const KernelInfo*> definitions() const;
};

inline std::vector<const KernelInfo*> KernelInfo::definitions() const {
  std::vector<const KernelInfo*> all = {this};
  for (const KernelInfo& other : others)
    all.push_back(&other);
  return all;
}

/// What the analysis of one file found, as one pass of the compiler sees it or as all do.
struct FileInfo {
  std::vector<std::unique_ptr<SourceFile>> files; ///< those that may be rewritten; 0 = main file
  std::vector<QuoteSearch> quoteSearches;         ///< of all others
  std::vector<KernelInfo> kernels;
  std::vector<LaunchPair> launchPairs; ///< of the main file
  /// Those that a converted kernel needs, by place in the text. Pointers to them stay valid.
  std::vector<std::unique_ptr<VirtualFunction>> functions;
  /// By file: macros written out, for kernels that are refused because they are made of them.
  std::map<std::size_t, EditSet> unfoldings;
  MissingWords missingWords;
  SeenTexts seen;
  std::vector<FileInfo> others; ///< of the passes that were merged into this one
};

} // namespace gpusched::passes
