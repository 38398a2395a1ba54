// GraphHandles.h - what the handles of graphs and their nodes stand for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle is the object's address; programs pass them back as they got them.
#pragma once

#include "rt/device/cpu/cudart/TaskGraph.h"

#include <cuda_runtime_api.h>

#include <vector>

namespace gpusched::cudart {

inline TaskGraph* graphOf(cudaGraph_t handle) {
  return reinterpret_cast<TaskGraph*>(handle);
}
inline TaskGraph* graphOf(cudaGraphExec_t handle) {
  return reinterpret_cast<TaskGraph*>(handle);
}
inline TaskNode* nodeOf(cudaGraphNode_t handle) {
  return reinterpret_cast<TaskNode*>(handle);
}
inline cudaGraphNode_t handleOf(const TaskNode* node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<TaskNode*>(node));
}

inline std::vector<TaskNode*> nodesOf(const cudaGraphNode_t* handles, size_t count) {
  std::vector<TaskNode*> nodes;
  for (size_t i = 0; i < count; ++i)
    nodes.push_back(nodeOf(handles[i]));
  return nodes;
}

/// The copy of a graph's node in an executable graph; null if there is none.
inline TaskNode* nodeIn(cudaGraphExec_t executable, cudaGraphNode_t node) {
  return executable ? graphOf(executable)->find(nodeOf(node)) : nullptr;
}

} // namespace gpusched::cudart
