// ApiGraph.cpp - graphs: life, structure, instantiation and launch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes are made in ApiGraphNodes.cpp.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/GraphHandles.h"

#include <algorithm>

using namespace gpusched::cudart;

GPUSCHED_API cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  return apiQuery("cudaGraphCreate", [&] {
    *graph = reinterpret_cast<cudaGraph_t>(new TaskGraph);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graphOf(graph);
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t graph) {
  return apiQuery("cudaGraphClone", [&] {
    *copy = reinterpret_cast<cudaGraph_t>(graphOf(graph)->copy().release());
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original,
                                                  cudaGraph_t clone) {
  *found = handleOf(graphOf(clone)->find(nodeOf(original)));
  return *found ? cudaSuccess : recordError("cudaGraphNodeFindInClone", cudaErrorInvalidValue);
}

GPUSCHED_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  *type = nodeOf(node)->type;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  nodeOf(node)->owner->remove(nodeOf(node));
  return cudaSuccess;
}

/// CUDA's way to return a list: with no array it asks how long it is, else *count is the room.
static cudaError_t giveList(const std::vector<const TaskNode*>& list, cudaGraphNode_t* array,
                            size_t* count) {
  if (!array) {
    *count = list.size();
    return cudaSuccess;
  }
  size_t given = std::min(*count, list.size());
  for (size_t i = 0; i < *count; ++i)
    array[i] = i < given ? handleOf(list[i]) : nullptr;
  *count = given;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* array,
                                           size_t* count) {
  std::vector<const TaskNode*> list;
  for (const std::unique_ptr<TaskNode>& node : graphOf(graph)->nodes())
    list.push_back(node.get());
  return giveList(list, array, count);
}

GPUSCHED_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* array,
                                               size_t* count) {
  std::vector<const TaskNode*> list;
  for (const std::unique_ptr<TaskNode>& node : graphOf(graph)->nodes())
    if (node->after.empty())
      list.push_back(node.get());
  return giveList(list, array, count);
}

GPUSCHED_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* array,
                                                      cudaGraphEdgeData*, size_t* count) {
  const std::vector<TaskNode*>& after = nodeOf(node)->after;
  return giveList({after.begin(), after.end()}, array, count);
}

GPUSCHED_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                        cudaGraphNode_t* array, cudaGraphEdgeData*,
                                                        size_t* count) {
  std::vector<const TaskNode*> list;
  for (const std::unique_ptr<TaskNode>& other : nodeOf(node)->owner->nodes())
    if (std::count(other->after.begin(), other->after.end(), nodeOf(node)))
      list.push_back(other.get());
  return giveList(list, array, count);
}

GPUSCHED_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                                           cudaGraphNode_t* to, cudaGraphEdgeData*, size_t* count) {
  std::vector<const TaskNode*> starts, ends;
  for (const std::unique_ptr<TaskNode>& node : graphOf(graph)->nodes())
    for (const TaskNode* earlier : node->after) {
      starts.push_back(earlier);
      ends.push_back(node.get());
    }
  size_t room = *count;
  giveList(starts, from, count);
  return giveList(ends, to, from ? &room : count);
}

GPUSCHED_API cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from,
                                                  const cudaGraphNode_t* to,
                                                  const cudaGraphEdgeData*, size_t count) {
  for (size_t i = 0; i < count; ++i)
    nodeOf(to[i])->after.push_back(nodeOf(from[i]));
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t, const cudaGraphNode_t* from,
                                                     const cudaGraphNode_t* to,
                                                     const cudaGraphEdgeData*, size_t count) {
  for (size_t i = 0; i < count; ++i)
    std::erase(nodeOf(to[i])->after, nodeOf(from[i]));
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                              unsigned long long) {
  return apiCall("cudaGraphInstantiate", [&](Runtime&) {
    if (!graph || graphOf(graph)->hasCycle() || graphOf(graph)->hasForeignBody())
      return cudaErrorInvalidValue;
    *executable = reinterpret_cast<cudaGraphExec_t>(graphOf(graph)->copy().release());
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable,
                                                       cudaGraph_t graph,
                                                       unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

GPUSCHED_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable,
                                                        cudaGraph_t graph,
                                                        cudaGraphInstantiateParams* parameters) {
  cudaError_t error = cudaGraphInstantiate(executable, graph, parameters->flags);
  parameters->errNode_out = nullptr;
  parameters->result_out =
      error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
  return error;
}

GPUSCHED_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete graphOf(executable);
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t handle) {
  return streamCall("cudaGraphUpload", handle,
                    [](Runtime&, const StreamRef&) { return cudaSuccess; });
}

GPUSCHED_API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  return streamCall("cudaGraphLaunch", handle, [&](Runtime& runtime, const StreamRef& stream) {
    if (!executable)
      return cudaErrorInvalidValue;
    runtime.streams.appendGraph(stream, *graphOf(executable));
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 unsigned enabled) {
  TaskNode* copy = nodeIn(executable, node);
  if (!copy)
    return recordError("cudaGraphNodeSetEnabled", cudaErrorInvalidValue);
  copy->enabled = enabled != 0;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 unsigned* enabled) {
  TaskNode* copy = nodeIn(executable, node);
  if (!copy)
    return recordError("cudaGraphNodeGetEnabled", cudaErrorInvalidValue);
  *enabled = copy->enabled;
  return cudaSuccess;
}

/// Takes over the new graph's work when both have the same shape.
GPUSCHED_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                             cudaGraphExecUpdateResultInfo* result) {
  const std::vector<std::unique_ptr<TaskNode>>& now = graphOf(executable)->nodes();
  const std::vector<std::unique_ptr<TaskNode>>& updated = graphOf(graph)->nodes();
  bool same = now.size() == updated.size();
  for (size_t i = 0; same && i < now.size(); ++i)
    same = now[i]->type == updated[i]->type && now[i]->after.size() == updated[i]->after.size();
  if (result)
    *result = {same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged, nullptr,
               nullptr};
  if (!same)
    return recordError("cudaGraphExecUpdate", cudaErrorGraphExecUpdateFailure);
  graphOf(executable)->conditions = graphOf(graph)->conditions;
  for (size_t i = 0; i < now.size(); ++i) {
    now[i]->body = updated[i]->body;
    now[i]->copiedFrom = updated[i].get();
    now[i]->event = updated[i]->event;
    if (updated[i]->conditional)
      now[i]->conditional = updated[i]->conditional->copy();
    if (updated[i]->child)
      now[i]->child = updated[i]->child->copy();
  }
  return cudaSuccess;
}
