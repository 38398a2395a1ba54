// TaskGraph.h - a CUDA graph: operations and what each comes after, to be run many times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaGraph_t and cudaGraphExec_t are both a TaskGraph (an executable one is a copy), and a
// cudaGraphNode_t is a TaskNode. Nodes are never moved; a copy remembers which node each of its
// own was copied from. Not thread-safe, like CUDA's graphs.
#pragma once

#include "rt/device/cpu/cudart/Conditional.h"
#include "rt/device/cpu/cudart/OperationGraph.h"

#include <driver_types.h>

#include <memory>
#include <variant>
#include <vector>

namespace gpusched::cudart {

struct Event;

/// What the program said of a node: a copy, a fill, a host function, an allocation, a free.
using NodeParameters = std::variant<std::monostate, cudaMemcpy3DParms, cudaMemsetParams,
                                    cudaHostNodeParams, cudaMemAllocNodeParams, void*>;

struct TaskNode {
  OperationBody body;
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::vector<TaskNode*> after;
  std::unique_ptr<TaskGraph> child;         // cudaGraphNodeTypeGraph
  std::shared_ptr<Conditional> conditional; // cudaGraphNodeTypeConditional
  std::shared_ptr<Event> event;             // to record or to wait for
  const TaskNode* copiedFrom = nullptr;
  bool enabled = true;
  NodeParameters parameters;
  std::vector<void*> arguments; // the list that cudaGraphKernelNodeGetParams gave out
  TaskGraph* owner = nullptr;
};

class TaskGraph {
public:
  /// User objects, kept as long as the graph or a copy of it lives.
  std::vector<std::shared_ptr<void>> owned;
  std::vector<std::shared_ptr<Condition>> conditions;

  TaskNode* add(OperationBody body, std::vector<TaskNode*> after);
  TaskNode* addChild(const TaskGraph& child, std::vector<TaskNode*> after);
  TaskNode* addEvent(cudaGraphNodeType type, std::shared_ptr<Event> event,
                     std::vector<TaskNode*> after);
  /// Also removes the edges to and from it.
  void remove(TaskNode* node);
  std::unique_ptr<TaskGraph> copy() const;

  const std::vector<std::unique_ptr<TaskNode>>& nodes() const { return nodes_; }
  /// The copy of `original`, here or in a graph of a node; or null.
  TaskNode* find(const TaskNode* original) const;
  /// Every node but the oldest `known` is one of `ends` or before one of them.
  bool allReach(const std::vector<TaskNode*>& ends, size_t known) const;
  bool hasCycle() const;
  /// CUDA takes only kernels, copies, sets, empty nodes and graphs of these into a conditional.
  bool hasForeignBody() const;

  /// Submits one execution: everything after `first`, `last` after everything. Waits are for what
  /// their events held before. The lock of Streams is held if there are events.
  void submit(OperationGraph& graph, const OperationRef& first, const OperationRef& last) const;

private:
  OperationRef reset(OperationGraph& graph, const OperationRef& first) const;
  bool isBody() const;

  std::vector<std::unique_ptr<TaskNode>> nodes_; // in the order they were added
};

} // namespace gpusched::cudart
