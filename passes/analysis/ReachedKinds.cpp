// ReachedKinds.cpp - components of the call graph, by LLVM's iterator over them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/ReachedKinds.h"

#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/SCCIterator.h"

namespace {
using CallNode = gpusched::passes::ReachedKinds::Node;
}

/// Nodes that are done need no second look, whatever they lead to.
template <> struct llvm::GraphTraits<CallNode*> {
  using NodeRef = CallNode*;
  using ChildIteratorType = std::vector<CallNode*>::iterator;
  static NodeRef getEntryNode(NodeRef node) { return node; }
  static ChildIteratorType child_begin(NodeRef node) {
    return node->isDone ? node->callees.end() : node->callees.begin();
  }
  static ChildIteratorType child_end(NodeRef node) { return node->callees.end(); }
};

namespace gpusched::passes {

ReachedKinds::Node& ReachedKinds::nodeOf(const clang::FunctionDecl& function) {
  const auto [place, isNew] = nodes_.try_emplace(function.getCanonicalDecl());
  if (isNew)
    unseen_.emplace_back(&function, &place->second);
  return place->second;
}

Kinds ReachedKinds::from(const clang::FunctionDecl& function) {
  Node& start = nodeOf(function);
  while (!unseen_.empty()) {
    const auto [next, node] = unseen_.front();
    unseen_.pop_front();
    const OwnKinds own = look_(*next);
    node->kinds = own.kinds;
    for (const clang::FunctionDecl* callee : own.callees)
      node->callees.push_back(&nodeOf(*callee));
  }
  if (start.isDone)
    return start.kinds;
  for (llvm::scc_iterator<Node*> component = llvm::scc_begin(&start); !component.isAtEnd();
       ++component) {
    Kinds all = 0;
    for (const Node* member : *component) {
      all |= member->kinds;
      for (const Node* callee : member->callees)
        all |= callee->kinds;
    }
    for (Node* member : *component) {
      member->kinds = all;
      member->isDone = true;
    }
  }
  return start.kinds;
}

} // namespace gpusched::passes
