// HandOn.cpp - a fixed point over the calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members may call each other in circles; what they are given only grows. Cost: calls times the
// longest chain of them.
#include "passes/analysis/HandOn.h"

#include <map>

namespace gpusched::passes {
namespace {

struct Given {
  bool barrier = false;
  std::set<std::string> primitives;

  bool add(const Given& other) {
    const Given before = *this;
    barrier |= other.barrier;
    primitives.insert(other.primitives.begin(), other.primitives.end());
    return barrier != before.barrier || primitives.size() != before.primitives.size();
  }
};

class Search {
public:
  explicit Search(const std::vector<std::unique_ptr<VirtualFunction>>& functions) {
    for (const std::unique_ptr<VirtualFunction>& function : functions)
      given_[function.get()] = {function->hasBarrier, function->text.primitives};
    for (const std::unique_ptr<VirtualFunction>& function : functions)
      for (byText_.emplace_back(function.get(), &function->text);
           const std::unique_ptr<KernelText>& text : function->specialisations)
        byText_.emplace_back(function.get(), text.get());
  }

  /// `kernels`: texts that call functions and are none.
  void run(const std::vector<KernelInfo>& kernels) {
    for (const KernelInfo& kernel : kernels)
      if (!kernel.record.refusal)
        byText_.emplace_back(nullptr, &kernel.text);
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [function, text] : byText_)
        changed |= settle(function, *text);
    }
  }

  const Given& of(const VirtualFunction* function) { return given_[function]; }

  Given ofMembersCalledBy(const KernelText& text) {
    Given all;
    for (const auto& [place, call] : text.methodCalls)
      all.add(given_[call.callee]);
    return all;
  }

private:
  bool settle(const VirtualFunction* function, const KernelText& text) {
    bool changed = false;
    for (const auto& [place, call] : text.methodCalls)
      for (const VirtualFunction* other : call.others) {
        changed |= given_[call.callee].add(given_[other]);
        changed |= given_[other].add(given_[call.callee]);
      }
    if (!function)
      return changed;
    changed |= given_[function].add(ofMembersCalledBy(text));
    if (function->isMethod) // it makes the objects of those that it calls
      for (const VirtualFunction* callee : function->callees)
        changed |= given_[function].add(ofObject(*callee));
    return changed;
  }

  Given ofObject(const VirtualFunction& function) {
    Given all = given_[&function];
    for (const VirtualFunction* callee : function.callees)
      all.add(ofObject(*callee));
    return all;
  }

  std::map<const VirtualFunction*, Given> given_;
  std::vector<std::pair<const VirtualFunction*, const KernelText*>> byText_;
};

} // namespace

void handOn(std::vector<std::unique_ptr<VirtualFunction>>& functions,
            std::vector<KernelInfo>& kernels) {
  Search search(functions);
  search.run(kernels);
  for (const std::unique_ptr<VirtualFunction>& function : functions) {
    function->hasBarrier = search.of(function.get()).barrier;
    function->text.primitives = search.of(function.get()).primitives;
    for (const std::unique_ptr<KernelText>& text : function->specialisations)
      text->primitives = function->text.primitives;
  }
  for (KernelInfo& kernel : kernels)
    if (!kernel.record.refusal) {
      const Given given = search.ofMembersCalledBy(kernel.text);
      kernel.text.primitives.insert(given.primitives.begin(), given.primitives.end());
    }
}

} // namespace gpusched::passes
