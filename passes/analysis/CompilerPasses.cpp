// CompilerPasses.cpp - matches definitions by place, then by the twin's name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions of another pass keep the tokens of that pass (`seenAs`), since what the preprocessor
// left out differs; their offsets are those of the same text in the first pass. Cost: kernels of
// one file times definitions, a few hundred at most.
#include "passes/analysis/CompilerPasses.h"

#include "passes/Refusals.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace gpusched::passes {
namespace {

bool isSamePlace(const KernelRecord& a, const KernelRecord& b) {
  return a.name == b.name && a.where.file == b.where.file && a.where.line == b.where.line &&
         a.where.column == b.where.column;
}

bool isSameKernel(const KernelInfo& a, const KernelInfo& b) {
  return a.scope == b.scope && a.twinName() == b.twinName();
}

std::vector<KernelInfo*> definitionsOf(KernelInfo& kernel) {
  std::vector<KernelInfo*> all = {&kernel};
  for (KernelInfo& other : kernel.others)
    all.push_back(&other);
  return all;
}

void refuseOnce(KernelInfo& kernel, Refusal refusal) {
  if (!kernel.record.refusal)
    kernel.record.refusal = std::move(refusal);
}

void refuseCondition(KernelInfo& kernel, const std::string& detail) {
  refuseOnce(kernel, refuse(RefusalCode::ArchitectureConditional, detail, kernel.record.where));
}

/// A header that one pass includes twice may hold two texts under one path: then none is meant.
std::optional<std::size_t> onlyFileAt(const FileInfo& unit, const std::string& path) {
  std::optional<std::size_t> found;
  for (std::size_t number = 0; number < unit.files.size(); ++number) {
    if (unit.files[number]->path != path)
      continue;
    if (found)
      return std::nullopt;
    found = number;
  }
  return found;
}

/// Makes what one pass found part of another's findings.
class Adoption {
public:
  Adoption(FileInfo& from, FileInfo& into) : from_(from), into_(into) {}

  /// False: it leans on texts that are not the same in both. REQUIRES: not refused.
  bool adopt(KernelInfo& kernel) {
    kernel.text.conditional = true;
    return adopt(kernel.text, kernel.callees);
  }

private:
  bool adopt(KernelText& text, std::vector<const VirtualFunction*>& callees) {
    const auto adoptCallee = [&](const VirtualFunction*& callee) {
      callee = adopted(callee);
      return callee != nullptr;
    };
    return adoptPlace(text) && std::all_of(callees.begin(), callees.end(), adoptCallee) &&
           std::all_of(text.methodCalls.begin(), text.methodCalls.end(), [&](auto& call) {
             return adoptCallee(call.second.callee) &&
                    std::all_of(call.second.others.begin(), call.second.others.end(), adoptCallee);
           });
  }

  bool adoptPlace(KernelText& text) {
    const std::string& path = from_.files[text.file]->path;
    const std::optional<std::size_t> number = onlyFileAt(into_, path);
    if (!number || !onlyFileAt(from_, path))
      return false;
    text.seenAs = from_.files[text.file].get();
    text.file = *number;
    return true;
  }

  const VirtualFunction* adopted(const VirtualFunction* function) {
    const auto [known, isNew] = adopted_.try_emplace(function, nullptr);
    if (!isNew)
      return known->second;
    const auto owner = std::find_if(from_.functions.begin(), from_.functions.end(),
                                    [&](const auto& owned) { return owned.get() == function; });
    std::vector<const VirtualFunction*> none;
    if (owner == from_.functions.end() || !adopt((*owner)->text, (*owner)->callees) ||
        ((*owner)->declaration && !adoptPlace(*(*owner)->declaration)) ||
        !std::all_of((*owner)->friends.begin(), (*owner)->friends.end(),
                     [&](KernelText& text) { return adoptPlace(text); }) ||
        !std::all_of((*owner)->specialisations.begin(), (*owner)->specialisations.end(),
                     [&](const auto& text) { return adopt(*text, none); }))
      return nullptr;
    return adopted_[function] = take(*owner);
  }

  /// The one that is here already, if it is the same; null if it only looks so.
  const VirtualFunction* take(std::unique_ptr<VirtualFunction>& function) {
    for (const std::unique_ptr<VirtualFunction>& here : into_.functions)
      if (here->text.file == function->text.file &&
          here->text.nameBegin == function->text.nameBegin)
        return here->hasBarrier == function->hasBarrier &&
                       here->text.primitives == function->text.primitives &&
                       here->specialisations.size() == function->specialisations.size() &&
                       here->friends.size() == function->friends.size() &&
                       calledBy(*here) == calledBy(*function)
                   ? here.get()
                   : nullptr;
    function->text.conditional = true;
    into_.functions.push_back(std::move(function));
    return into_.functions.back().get();
  }

  FileInfo& from_;
  FileInfo& into_;
  std::map<const VirtualFunction*, const VirtualFunction*> adopted_;
};

bool haveSameBounds(const KernelInfo& one, const KernelInfo& other) {
  return one.record.facts.maxThreadsPerBlock == other.record.facts.maxThreadsPerBlock &&
         one.record.facts.minBlocksPerSm == other.record.facts.minBlocksPerSm;
}

using FunctionNeeds = std::map<std::pair<std::string, std::size_t>, std::set<std::string>>;

/// What the functions that a body needs are given, by their names and places.
FunctionNeeds needs(const KernelInfo& from) {
  FunctionNeeds found;
  std::vector<const VirtualFunction*> all = calledBy(from.callees, from.text);
  for (std::size_t index = 0; index < all.size(); ++index) {
    const VirtualFunction& function = *all[index];
    const auto [known, isNew] =
        found.try_emplace({function.name, function.text.nameBegin}, function.text.primitives);
    if (!isNew)
      continue;
    if (function.hasBarrier)
      known->second.insert("__syncthreads");
    for (const VirtualFunction* callee : calledBy(function))
      all.push_back(callee);
  }
  return found;
}

/// A class is a reference where both allow it, and copied where one of them changes it.
void mergeParameters(const std::vector<KernelParameter>& same,
                     std::vector<KernelParameter>& parameters) {
  const auto mustBe = [](const KernelParameter& parameter) {
    return parameter.byReference && !parameter.isReferable;
  };
  for (std::size_t place = 0; place < std::min(same.size(), parameters.size()); ++place) {
    const KernelParameter& other = same[place];
    KernelParameter& parameter = parameters[place];
    const bool must = mustBe(parameter) || mustBe(other);
    parameter.isReferable &= other.isReferable;
    parameter.byReference =
        must || (parameter.isReferable && (parameter.byReference || other.byReference));
    parameter.isChanged |= other.isChanged;
  }
}

/// Another architecture sees the same text: both must allow it, and one form serves both.
void mergeText(const KernelInfo& same, KernelInfo& definition, KernelInfo& kernel) {
  if (same.record.refusal)
    refuseOnce(kernel, *same.record.refusal);
  else if (!definition.record.refusal &&
           (definition.text.methodCalls.size() != same.text.methodCalls.size() ||
            needs(definition) != needs(same)))
    refuseOnce(kernel, refuse(RefusalCode::CalleeReadsBlockIndex,
                              "on one of the architectures only", kernel.record.where));
  else if (definition.text.boundsAskArchitecture && !haveSameBounds(same, definition))
    refuseOnce(kernel,
               refuse(RefusalCode::DirectiveInSignature,
                      "its launch bounds differ between the architectures", kernel.record.where));
  else if (!definition.record.refusal && definition.text.mbarriers != same.text.mbarriers)
    refuseOnce(kernel, refuse(RefusalCode::SharedBarrierObject, "on one of the architectures only",
                              kernel.record.where));
  definition.record.facts.loops |= same.record.facts.loops;
  definition.record.facts.mayWait |= same.record.facts.mayWait;
  definition.record.facts.drainBarrier |= same.record.facts.drainBarrier;
  definition.record.facts.countingBarriers |= same.record.facts.countingBarriers;
  definition.record.facts.laneDrain |= same.record.facts.laneDrain;
  definition.record.facts.anyMaskDrain |= same.record.facts.anyMaskDrain;
  definition.record.facts.unsureDrain |= same.record.facts.unsureDrain;
  definition.record.facts.mbarriers |= same.record.facts.mbarriers;
  definition.record.facts.behindAlignment =
      std::max(definition.record.facts.behindAlignment, same.record.facts.behindAlignment);
  definition.record.facts.lanesBehind |= same.record.facts.lanesBehind;
  definition.record.facts.asyncCopies |= same.record.facts.asyncCopies;
  definition.record.facts.bulkCopies |= same.record.facts.bulkCopies;
  mergeParameters(same.text.parameters, definition.text.parameters);
  definition.text.primitives.insert(same.text.primitives.begin(), same.text.primitives.end());
  for (KernelInstance& instance : definition.instances)
    instance.wholeWarpRows |= same.record.facts.wholeWarpRows;
}

/// Another architecture sees another text of the kernel.
void addDefinition(KernelInfo other, Adoption& adoption, KernelInfo& kernel) {
  kernel.text.conditional = true;
  if (other.record.refusal)
    return refuseOnce(kernel, *other.record.refusal);
  if (!adoption.adopt(other))
    return refuseCondition(kernel, "its definitions are in headers that not all passes include, or "
                                   "call functions that differ");
  if (other.text.isTemplate)
    other.instances.clear(); // they are registered once, at the end of the file
  kernel.others.push_back(std::move(other));
}

std::string printPlace(const SourcePlace& place) {
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

/// The text that the host pass sees in place of those that the device passes see.
void addHostDefinition(const KernelInfo& found, Adoption& adoption, KernelInfo& kernel) {
  const std::string place = "the host's definition (" + printPlace(found.record.where) + ")";
  if (found.record.refusal)
    return refuseCondition(kernel, place + " cannot have a twin: " + found.record.refusal->title);
  KernelInfo stub = found;
  if (!adoption.adopt(stub))
    return refuseCondition(kernel, place + " is in a header that not all passes include");
  stub.record.facts = kernel.record.facts;
  if (!stub.text.isTemplate)
    stub.instances = kernel.instances;
  kernel.others.push_back(std::move(stub));
}

void findOnHost(const FileInfo& host, Adoption& adoption, KernelInfo& kernel) {
  const KernelInfo* other = nullptr;
  for (const KernelInfo& found : host.kernels) {
    for (const KernelInfo* definition : kernel.definitions())
      if (isSamePlace(definition->record, found.record))
        return;
    if (isSameKernel(kernel, found))
      other = &found;
  }
  if (!other)
    return refuseCondition(kernel, "nvcc's host pass sees no definition of it");
  addHostDefinition(*other, adoption, kernel);
}

/// A function object is needed wherever the body that takes it is.
const VirtualFunction* missingSomewhere(const KernelInfo& definition, const FileInfo& unit) {
  const auto misses = [&](const FileInfo& pass, const VirtualFunction& function) {
    const auto sees = [&](const KernelText& text) {
      return pass.seen.has(unit.files[text.file]->path, text.nameBegin);
    };
    return sees(definition.text) && !sees(function.text);
  };
  for (const VirtualFunction* function : reachedFrom(definition.callees, definition.text))
    if (function->text.conditional &&
        (misses(unit, *function) ||
         std::any_of(unit.others.begin(), unit.others.end(),
                     [&](const FileInfo& pass) { return misses(pass, *function); })))
      return function;
  return nullptr;
}

/// All definitions have one registrar between them, whichever the host sees.
void agree(KernelInfo& kernel) {
  bool drains = false, loops = false, mayWait = false, wholeWarpRows = false, mbarriers = false;
  bool lanesBehind = false;
  uint32_t behind = 0;
  for (const KernelInfo* definition : kernel.definitions()) {
    drains |= definition->record.facts.drainBarrier;
    loops |= definition->record.facts.loops;
    mayWait |= definition->record.facts.mayWait;
    wholeWarpRows |= definition->record.facts.wholeWarpRows;
    mbarriers |= definition->record.facts.mbarriers;
    behind = std::max(behind, definition->record.facts.behindAlignment);
    lanesBehind |= definition->record.facts.lanesBehind;
  }
  for (KernelInfo* definition : definitionsOf(kernel)) {
    definition->record.where = kernel.record.where;
    definition->drains = drains;
    definition->batches = !mayWait;
    definition->loops = loops;
    definition->notesMbarriers = mbarriers;
    definition->behindAlignment = behind;
    definition->lanesBehind = lanesBehind;
    for (KernelInstance& instance : definition->instances)
      instance.wholeWarpRows |= wholeWarpRows && !kernel.others.empty();
  }
}

void forgetTwins(KernelInfo& kernel) {
  kernel.record.persistentSymbol.clear();
  for (KernelRecord& instance : kernel.instanceRecords)
    instance.persistentSymbol.clear();
}

/// Those of kernels that have been refused since, or that need none.
void dropUnneeded(FileInfo& unit) {
  std::set<const VirtualFunction*> needed;
  for (const KernelInfo& kernel : unit.kernels)
    if (!kernel.record.refusal && !kernel.spliced)
      for (const KernelInfo* definition : kernel.definitions())
        for (const VirtualFunction* function : reachedFrom(definition->callees, definition->text))
          needed.insert(function);
  unit.functions.erase(
      std::remove_if(unit.functions.begin(), unit.functions.end(),
                     [&](const auto& function) { return !needed.count(function.get()); }),
      unit.functions.end());
}

} // namespace

void mergeDevicePass(FileInfo other, FileInfo& unit) {
  Adoption adoption(other, unit);
  for (KernelInfo& found : other.kernels) {
    bool isKnown = false;
    for (KernelInfo& kernel : unit.kernels)
      for (KernelInfo* definition : definitionsOf(kernel))
        if (isSamePlace(definition->record, found.record)) {
          mergeText(found, *definition, kernel);
          isKnown = true;
        }
    if (isKnown)
      continue;
    const auto same =
        std::find_if(unit.kernels.begin(), unit.kernels.end(),
                     [&](const KernelInfo& kernel) { return isSameKernel(kernel, found); });
    if (same != unit.kernels.end())
      addDefinition(std::move(found), adoption, *same);
    else if (!found.record.refusal && adoption.adopt(found))
      unit.kernels.push_back(std::move(found));
  }
  unit.others.push_back(std::move(other));
}

bool needsHostPass(const FileInfo& unit) {
  return std::any_of(unit.kernels.begin(), unit.kernels.end(),
                     [](const KernelInfo& kernel) {
                       return !kernel.record.refusal && kernel.text.conditional;
                     }) ||
         std::any_of(unit.functions.begin(), unit.functions.end(),
                     [](const auto& function) { return function->text.conditional; });
}

void mergeHostPass(FileInfo host, FileInfo& unit) {
  Adoption adoption(host, unit);
  for (KernelInfo& kernel : unit.kernels)
    if (!kernel.record.refusal && kernel.text.conditional)
      findOnHost(host, adoption, kernel);
  unit.others.push_back(std::move(host));
}

void settlePasses(FileInfo& unit) {
  for (KernelInfo& kernel : unit.kernels) {
    for (const KernelInfo* definition : kernel.definitions())
      if (const VirtualFunction* const missing = kernel.record.refusal || kernel.spliced
                                                     ? nullptr
                                                     : missingSomewhere(*definition, unit))
        refuseOnce(kernel, refuse(RefusalCode::CalleeReadsBlockIndex,
                                  "calls '" + missing->name +
                                      "', which not every pass of the compiler sees",
                                  kernel.record.where));
    agree(kernel);
    if (kernel.record.refusal)
      forgetTwins(kernel);
  }
  dropUnneeded(unit);
}

} // namespace gpusched::passes
