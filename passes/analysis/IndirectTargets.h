// IndirectTargets.h - where a call through a pointer or a virtual function may lead.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without -rdc the device code of a file is a program of its own: a pointer holds a function whose
// address some text of the file takes, and an object's class is one of the file's. The whole file
// is searched once, the first time that somebody asks.
#pragma once

#include "passes/analysis/FunctionUses.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace gpusched::passes {

class IndirectTargets {
public:
  explicit IndirectTargets(clang::ASTContext& context) : context_(context) {}

  /// All functions that the call may reach; empty if that cannot be told.
  std::vector<const clang::FunctionDecl*> of(const IndirectCall& call);

private:
  class Search;

  void addOverriders(const clang::CXXMethodDecl& method,
                     std::set<const clang::FunctionDecl*>& found) const;

  clang::ASTContext& context_;
  bool searched_ = false;
  /// Functions whose address is taken, each with the type of a pointer to it; a null type where it
  /// is cast to another.
  std::vector<std::pair<const clang::FunctionDecl*, clang::QualType>> taken_;
  std::map<const clang::CXXMethodDecl*, std::vector<const clang::CXXMethodDecl*>> overriders_;
};

} // namespace gpusched::passes
