// TaskGraph.cpp - a CUDA graph: operations and what each comes after, to be run many times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/TaskGraph.h"

#include "rt/device/cpu/cudart/Streams.h"

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

TaskNode* TaskGraph::addEvent(cudaGraphNodeType type, std::shared_ptr<Event> event,
                              std::vector<TaskNode*> after) {
  TaskNode* node = add({}, std::move(after));
  node->type = type;
  node->event = std::move(event);
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
  result->conditions = conditions;
  for (const std::unique_ptr<TaskNode>& node : nodes_) {
    TaskNode* twin = node->child ? result->addChild(*node->child, {}) : result->add(node->body, {});
    twin->type = node->type;
    twin->enabled = node->enabled;
    twin->parameters = node->parameters;
    twin->event = node->event;
    twin->conditional = node->conditional ? node->conditional->copy() : nullptr;
    twin->copiedFrom = node.get();
    copies[node.get()] = twin;
  }
  for (const std::unique_ptr<TaskNode>& node : nodes_)
    for (TaskNode* earlier : node->after)
      copies[node.get()]->after.push_back(copies[earlier]);
  return result;
}

TaskNode* TaskGraph::find(const TaskNode* original) const {
  for (const std::unique_ptr<TaskNode>& node : nodes_) {
    if (node->copiedFrom == original)
      return node.get();
    TaskNode* inner = node->child ? node->child->find(original) : nullptr;
    if (node->conditional)
      for (const std::unique_ptr<TaskGraph>& body : node->conditional->bodies)
        inner = inner ? inner : body->find(original);
    if (inner)
      return inner;
  }
  return nullptr;
}

bool TaskGraph::allReach(const std::vector<TaskNode*>& ends, size_t known) const {
  std::unordered_set<const TaskNode*> reached(ends.begin(), ends.end());
  std::vector<const TaskNode*> open(ends.begin(), ends.end());
  while (!open.empty()) {
    const TaskNode* node = open.back();
    open.pop_back();
    for (const TaskNode* earlier : node->after)
      if (reached.insert(earlier).second)
        open.push_back(earlier);
  }
  return std::all_of(
      nodes_.begin() + std::ptrdiff_t(known), nodes_.end(),
      [&](const std::unique_ptr<TaskNode>& node) { return reached.count(node.get()); });
}

bool TaskGraph::isBody() const {
  constexpr cudaGraphNodeType kAllowed[] = {cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
                                            cudaGraphNodeTypeMemset, cudaGraphNodeTypeEmpty,
                                            cudaGraphNodeTypeGraph,  cudaGraphNodeTypeConditional};
  return std::all_of(nodes_.begin(), nodes_.end(), [&](const std::unique_ptr<TaskNode>& node) {
    return std::count(std::begin(kAllowed), std::end(kAllowed), node->type) &&
           (!node->child || node->child->isBody());
  });
}

bool TaskGraph::hasForeignBody() const {
  for (const std::unique_ptr<TaskNode>& node : nodes_) {
    if (node->child && node->child->hasForeignBody())
      return true;
    if (node->conditional)
      for (const std::unique_ptr<TaskGraph>& body : node->conditional->bodies)
        if (!body->isBody() || body->hasForeignBody())
          return true;
  }
  return false;
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

/// What everything comes after: the conditions' reset if there is one.
OperationRef TaskGraph::reset(OperationGraph& graph, const OperationRef& first) const {
  std::vector<std::shared_ptr<Condition>> resets;
  for (const std::shared_ptr<Condition>& condition : conditions)
    if (condition->resets)
      resets.push_back(condition);
  if (resets.empty())
    return first;
  OperationRef result = makeOperation(Operation::Kind::Decision, [resets] {
    for (const std::shared_ptr<Condition>& condition : resets)
      condition->value = condition->initial;
  });
  graph.submit(result, {first});
  return result;
}

void TaskGraph::submit(OperationGraph& graph, const OperationRef& first,
                       const OperationRef& last) const {
  // Nodes may be listed before what they come after, so all operations exist before any edge.
  // A child graph is two markers with its operations between them; of a conditional the second is
  // submitted when all that it chose is over.
  struct Pair {
    OperationRef begin, end;
  };
  std::unordered_map<const TaskNode*, Pair> operations;
  for (const std::unique_ptr<TaskNode>& node : nodes_) {
    bool runs = node->enabled && !node->child;
    OperationRef begin = makeOperation(runs ? node->body : OperationBody());
    OperationRef end = node->child || node->conditional ? makeOperation(OperationBody()) : begin;
    if (node->conditional) {
      begin->kind = Operation::Kind::Decision;
      begin->runsAfterFailure = true;
      begin->work = [&graph, conditional = node->conditional, end] {
        runConditional(graph, conditional, end);
      };
    }
    operations[node.get()] = {begin, end};
  }
  const OperationRef start = reset(graph, first);
  std::vector<OperationRef> everything{start};
  for (const std::unique_ptr<TaskNode>& node : nodes_)
    everything.push_back(operations[node.get()].end);
  graph.submit(last, everything);
  for (const std::unique_ptr<TaskNode>& node : nodes_) {
    std::vector<OperationRef> after{start};
    if (node->type == cudaGraphNodeTypeWaitEvent)
      after.push_back(node->event->recorded);
    for (const TaskNode* earlier : node->after)
      after.push_back(operations[earlier].end);
    const Pair& pair = operations[node.get()];
    if (node->child)
      node->child->submit(graph, pair.begin, pair.end);
    graph.submit(pair.begin, after);
  }
  for (const std::unique_ptr<TaskNode>& node : nodes_)
    if (node->type == cudaGraphNodeTypeEventRecord)
      node->event->recorded = operations[node.get()].end;
}

} // namespace gpusched::cudart
