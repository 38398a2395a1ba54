// IndirectTargets.h - where a call through a pointer or a virtual function may lead.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without -rdc the device code of a file is a program of its own: a pointer holds a function whose
// address some text of the file takes, and an object's class is one of the file's. The whole file
// is searched once, the first time that somebody asks.
// A pointer that a function gets as an argument holds what its callers pass, in any program: what a
// kernel reaches without pointers is in sight, so all callers that matter are. That is enough for
// libcu++'s atomics, which pass a function of their own to another.
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

  /// All functions that the call may reach; empty if that cannot be told. `closed`: no other file's
  /// device code can be reached.
  std::vector<const clang::FunctionDecl*> of(const IndirectCall& call, bool closed);

private:
  class Search;

  using Functions = std::set<const clang::FunctionDecl*>;

  bool addPassed(const clang::ParmVarDecl& parameter, Functions& found,
                 std::set<const clang::ParmVarDecl*>& seen) const;
  bool addNamed(const clang::Expr& argument, Functions& found,
                std::set<const clang::ParmVarDecl*>& seen) const;
  bool isTaken(const clang::FunctionDecl& function) const;
  void addOverriders(const clang::CXXMethodDecl& method,
                     std::set<const clang::FunctionDecl*>& found) const;

  clang::ASTContext& context_;
  bool searched_ = false;
  /// Functions whose address is taken, each with the type of a pointer to it; a null type where it
  /// is cast to another.
  std::vector<std::pair<const clang::FunctionDecl*, clang::QualType>> taken_;
  std::map<const clang::CXXMethodDecl*, std::vector<const clang::CXXMethodDecl*>> overriders_;
  /// Calls by name of functions that get pointers to functions.
  std::map<const clang::FunctionDecl*, std::vector<const clang::CallExpr*>> calls_;
};

} // namespace gpusched::passes
