// ReachedKinds.h - which kinds of uses there are in a function and in all that it calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   problem  every statement asks about its callees, most of which reach nothing of interest
//   model    one bit for each kind; functions that call each other share their bits
//   cost     linear in the calls of a file, once; Tarjan's components, callees before callers
#pragma once

#include "clang/AST/Decl.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

namespace gpusched::passes {

/// One bit for each kind.
using Kinds = uint32_t;

/// What a function itself has, and whom it calls.
struct OwnKinds {
  Kinds kinds = 0;
  std::vector<const clang::FunctionDecl*> callees;
};

class ReachedKinds {
public:
  /// `look` is asked once about each function that is reached.
  using Look = std::function<OwnKinds(const clang::FunctionDecl&)>;
  explicit ReachedKinds(Look look) : look_(std::move(look)) {}

  /// The kinds of the function and of all that it reaches.
  Kinds from(const clang::FunctionDecl& function);

  struct Node {
    Kinds kinds = 0;
    bool isDone = false;
    std::vector<Node*> callees;
  };

private:
  Node& nodeOf(const clang::FunctionDecl& function);

  Look look_;
  std::unordered_map<const clang::FunctionDecl*, Node> nodes_; ///< by canonical declaration
  std::deque<std::pair<const clang::FunctionDecl*, Node*>> unseen_;
};

} // namespace gpusched::passes
