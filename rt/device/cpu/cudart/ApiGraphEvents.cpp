// ApiGraphEvents.cpp - graph nodes that record an event or wait for one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch waits for what the event held when the graph was launched, before the launch's own
// records.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/GraphHandles.h"

using namespace gpusched::cudart;

static cudaError_t addEventNode(const char* function, cudaGraphNodeType type, cudaGraphNode_t* node,
                                cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                cudaEvent_t handle) {
  return apiCall(function, [&](Runtime& runtime) {
    EventRef event = runtime.streams.findEvent(handle);
    if (!node || !graph)
      return cudaErrorInvalidValue;
    if (!event)
      return cudaErrorInvalidResourceHandle;
    *node = handleOf(graphOf(graph)->addEvent(type, std::move(event), nodesOf(after, count)));
    return cudaSuccess;
  });
}

static cudaError_t getEvent(const char* function, cudaGraphNodeType type, cudaGraphNode_t node,
                            cudaEvent_t* event) {
  if (!node || !event || nodeOf(node)->type != type)
    return recordError(function, cudaErrorInvalidValue);
  *event = reinterpret_cast<cudaEvent_t>(nodeOf(node)->event.get());
  return cudaSuccess;
}

static cudaError_t setEvent(const char* function, cudaGraphNodeType type, TaskNode* node,
                            cudaEvent_t handle) {
  return apiCall(function, [&](Runtime& runtime) {
    EventRef event = runtime.streams.findEvent(handle);
    if (!node || node->type != type)
      return cudaErrorInvalidValue;
    if (!event)
      return cudaErrorInvalidResourceHandle;
    node->event = std::move(event);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                     const cudaGraphNode_t* after, size_t count,
                                                     cudaEvent_t event) {
  return addEventNode("cudaGraphAddEventRecordNode", cudaGraphNodeTypeEventRecord, node, graph,
                      after, count, event);
}

GPUSCHED_API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                                          cudaEvent_t* event) {
  return getEvent("cudaGraphEventRecordNodeGetEvent", cudaGraphNodeTypeEventRecord, node, event);
}

GPUSCHED_API cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return setEvent("cudaGraphEventRecordNodeSetEvent", cudaGraphNodeTypeEventRecord, nodeOf(node),
                  event);
}

GPUSCHED_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable,
                                                              cudaGraphNode_t node,
                                                              cudaEvent_t event) {
  return setEvent("cudaGraphExecEventRecordNodeSetEvent", cudaGraphNodeTypeEventRecord,
                  nodeIn(executable, node), event);
}

GPUSCHED_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                   const cudaGraphNode_t* after, size_t count,
                                                   cudaEvent_t event) {
  return addEventNode("cudaGraphAddEventWaitNode", cudaGraphNodeTypeWaitEvent, node, graph, after,
                      count, event);
}

GPUSCHED_API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return getEvent("cudaGraphEventWaitNodeGetEvent", cudaGraphNodeTypeWaitEvent, node, event);
}

GPUSCHED_API cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return setEvent("cudaGraphEventWaitNodeSetEvent", cudaGraphNodeTypeWaitEvent, nodeOf(node),
                  event);
}

GPUSCHED_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable,
                                                            cudaGraphNode_t node,
                                                            cudaEvent_t event) {
  return setEvent("cudaGraphExecEventWaitNodeSetEvent", cudaGraphNodeTypeWaitEvent,
                  nodeIn(executable, node), event);
}
