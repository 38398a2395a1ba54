// TaskGraph.cpp - a CUDA graph: operations and what each comes after, to be run many times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/TaskGraph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace gpusched::cudart {

static cudaGraphNodeType typeOf(OperationBody::Kind kind) {
  switch (kind) {
  case OperationBody::Kind::Kernel:
    return cudaGraphNodeTypeKernel;
  case OperationBody::Kind::Copy:
    return cudaGraphNodeTypeMemcpy;
  case OperationBody::Kind::Fill:
    return cudaGraphNodeTypeMemset;
  case OperationBody::Kind::HostFunction:
    return cudaGraphNodeTypeHost;
  default:
    return cudaGraphNodeTypeEmpty;
  }
}

TaskNode* TaskGraph::add(OperationBody body, std::vector<TaskNode*> after) {
  nodes_.push_back(std::make_unique<TaskNode>());
  TaskNode* node = nodes_.back().get();
  node->type = typeOf(body.kind);
  node->body = std::move(body);
  node->after = std::move(after);
  node->owner = this;
  return node;
}

TaskNode* TaskGraph::addChild(const TaskGraph& child, std::vector<TaskNode*> after) {
  TaskNode* node = add({}, std::move(after));
  node->type = cudaGraphNodeTypeGraph;
  node->child = child.copy();
  return node;
}

void TaskGraph::remove(TaskNode* node) {
  for (const std::unique_ptr<TaskNode>& other : nodes_)
    std::erase(other->after, node);
  std::erase_if(nodes_, [node](const std::unique_ptr<TaskNode>& one) { return one.get() == node; });
}

std::unique_ptr<TaskGraph> TaskGraph::copy() const {
  std::unique_ptr<TaskGraph> result = std::make_unique<TaskGraph>();
  std::unordered_map<const TaskNode*, TaskNode*> copies;
  result->owned = owned;
  for (const std::unique_ptr<TaskNode>& node : nodes_) {
    TaskNode* twin = node->child ? result->addChild(*node->child, {}) : result->add(node->body, {});
    twin->type = node->type;
    twin->enabled = node->enabled;
    twin->parameters = node->parameters;
    twin->copiedFrom = node.get();
    copies[node.get()] = twin;
  }
  for (const std::unique_ptr<TaskNode>& node : nodes_)
    for (TaskNode* earlier : node->after)
      copies[node.get()]->after.push_back(copies[earlier]);
  return result;
}

TaskNode* TaskGraph::find(const TaskNode* original) const {
  for (const std::unique_ptr<TaskNode>& node : nodes_)
    if (node->copiedFrom == original)
      return node.get();
  return nullptr;
}

bool TaskGraph::allReach(const std::vector<TaskNode*>& ends) const {
  std::unordered_set<const TaskNode*> reached(ends.begin(), ends.end());
  std::vector<const TaskNode*> open(ends.begin(), ends.end());
  while (!open.empty()) {
    const TaskNode* node = open.back();
    open.pop_back();
    for (const TaskNode* earlier : node->after)
      if (reached.insert(earlier).second)
        open.push_back(earlier);
  }
  return reached.size() == nodes_.size();
}

bool TaskGraph::hasCycle() const {
  // Takes away nodes whose predecessors are all gone until nothing changes.
  std::unordered_set<const TaskNode*> gone;
  bool progress = true;
  while (progress) {
    progress = false;
    for (const std::unique_ptr<TaskNode>& node : nodes_) {
      bool free = std::all_of(node->after.begin(), node->after.end(),
                              [&](const TaskNode* earlier) { return gone.count(earlier); });
      progress |= free && gone.insert(node.get()).second;
    }
  }
  return gone.size() != nodes_.size();
}

void TaskGraph::submit(OperationGraph& graph, const OperationRef& first,
                       const OperationRef& last) const {
  // Nodes may be listed before what they come after, so all operations exist before any edge.
  // A child graph is two markers with its operations between them.
  struct Pair {
    OperationRef begin, end;
  };
  std::unordered_map<const TaskNode*, Pair> operations;
  for (const std::unique_ptr<TaskNode>& node : nodes_) {
    bool runs = node->enabled && !node->child;
    OperationRef begin = makeOperation(runs ? node->body : OperationBody());
    OperationRef end = node->child ? makeOperation(OperationBody()) : begin;
    operations[node.get()] = {begin, end};
  }
  std::vector<OperationRef> everything{first};
  for (const std::unique_ptr<TaskNode>& node : nodes_)
    everything.push_back(operations[node.get()].end);
  graph.submit(last, everything);
  for (const std::unique_ptr<TaskNode>& node : nodes_) {
    std::vector<OperationRef> after{first};
    for (const TaskNode* earlier : node->after)
      after.push_back(operations[earlier].end);
    const Pair& pair = operations[node.get()];
    if (node->child)
      node->child->submit(graph, pair.begin, pair.end);
    graph.submit(pair.begin, after);
  }
}

} // namespace gpusched::cudart
