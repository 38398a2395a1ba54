// Conditional.h - a graph node that runs one of its graphs, or one again and again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   if      graph 0 where the condition is not zero, else graph 1 if there is one
//   while   graph 0 as long as it is not zero
//   switch  the graph of that number, if there is one
//
// Kernels set the condition (cudaGraphSetConditional); its handle is its address. It belongs to the
// graph that it was made for and to its executable copies, which share it, as CUDA allows only one.
#pragma once

#include "rt/device/cpu/cudart/OperationGraph.h"

#include <driver_types.h>

#include <atomic>
#include <memory>
#include <vector>

namespace gpusched::cudart {

class TaskGraph;

struct Condition {
  std::atomic<uint32_t> value{0}; // first: kernels write here
  uint32_t initial = 0;
  bool resets = false; // to `initial` whenever its graph begins
};

struct Conditional {
  std::shared_ptr<Condition> condition;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::unique_ptr<TaskGraph>> bodies;
  std::vector<cudaGraph_t> handles; // of `bodies`, for the program

  Conditional(std::shared_ptr<Condition> condition, cudaGraphConditionalNodeType type);
  ~Conditional();
  void add(std::unique_ptr<TaskGraph> body);
  std::shared_ptr<Conditional> copy() const;
  /// The body to run now; null if none.
  const TaskGraph* chosen() const;
};

/// Runs what `conditional` chooses, for a while until it chooses nothing, then submits `over`.
void runConditional(OperationGraph& graph, const std::shared_ptr<const Conditional>& conditional,
                    const OperationRef& over);

} // namespace gpusched::cudart
