// DriverGraph.cpp - driver functions: stream capture, graphs and their executables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They are the runtime's.
#include "rt/device/cpu/cudart/DriverCall.h"

using namespace gpusched;
using namespace gpusched::cudart;

// Capture.

GPUSCHED_DRIVER cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return driverResult(cudaStreamBeginCapture(stream, cudaStreamCaptureMode(mode)));
}

GPUSCHED_DRIVER cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                            const CUgraphNode* after, const CUgraphEdgeData*,
                                            size_t count, CUstreamCaptureMode mode) {
  return driverResult(cudaStreamBeginCaptureToGraph(stream, graph, after, nullptr, count,
                                                    cudaStreamCaptureMode(mode)));
}

GPUSCHED_DRIVER cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return driverResult(cudaStreamEndCapture(stream, graph));
}

GPUSCHED_DRIVER cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return driverResult(
      cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)));
}

GPUSCHED_DRIVER cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status,
                                       cuuint64_t* id, CUgraph* graph, const CUgraphNode** after,
                                       const CUgraphEdgeData** edges, size_t* count) {
  return driverResult(
      cudaStreamGetCaptureInfo(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status),
                               reinterpret_cast<unsigned long long*>(id), graph, after,
                               reinterpret_cast<const cudaGraphEdgeData**>(edges), count));
}

GPUSCHED_DRIVER cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* after,
                                                  const CUgraphEdgeData*, size_t count,
                                                  unsigned flags) {
  return driverResult(cudaStreamUpdateCaptureDependencies(stream, after, nullptr, count, flags));
}

GPUSCHED_DRIVER cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return driverResult(
      cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode)));
}

// Graphs.

GPUSCHED_DRIVER cuGraphCreate(CUgraph* graph, unsigned flags) {
  return driverResult(cudaGraphCreate(graph, flags));
}

GPUSCHED_DRIVER cuGraphDestroy(CUgraph graph) {
  return driverResult(cudaGraphDestroy(graph));
}

GPUSCHED_DRIVER cuGraphClone(CUgraph* copy, CUgraph graph) {
  return driverResult(cudaGraphClone(copy, graph));
}

GPUSCHED_DRIVER cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode original, CUgraph clone) {
  return driverResult(cudaGraphNodeFindInClone(found, original, clone));
}

GPUSCHED_DRIVER cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return driverResult(cudaGraphNodeGetType(node, reinterpret_cast<cudaGraphNodeType*>(type)));
}

GPUSCHED_DRIVER cuGraphDestroyNode(CUgraphNode node) {
  return driverResult(cudaGraphDestroyNode(node));
}

GPUSCHED_DRIVER cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return driverResult(cudaGraphGetNodes(graph, nodes, count));
}

GPUSCHED_DRIVER cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return driverResult(cudaGraphGetRootNodes(graph, nodes, count));
}

GPUSCHED_DRIVER cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                                CUgraphEdgeData* edges, size_t* count) {
  return driverResult(
      cudaGraphGetEdges(graph, from, to, reinterpret_cast<cudaGraphEdgeData*>(edges), count));
}

GPUSCHED_DRIVER cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes,
                                           CUgraphEdgeData* edges, size_t* count) {
  return driverResult(cudaGraphNodeGetDependencies(
      node, nodes, reinterpret_cast<cudaGraphEdgeData*>(edges), count));
}

GPUSCHED_DRIVER cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes,
                                             CUgraphEdgeData* edges, size_t* count) {
  return driverResult(cudaGraphNodeGetDependentNodes(
      node, nodes, reinterpret_cast<cudaGraphEdgeData*>(edges), count));
}

GPUSCHED_DRIVER cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from,
                                       const CUgraphNode* to, const CUgraphEdgeData* edges,
                                       size_t count) {
  return driverResult(cudaGraphAddDependencies(
      graph, from, to, reinterpret_cast<const cudaGraphEdgeData*>(edges), count));
}

GPUSCHED_DRIVER cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from,
                                          const CUgraphNode* to, const CUgraphEdgeData* edges,
                                          size_t count) {
  return driverResult(cudaGraphRemoveDependencies(
      graph, from, to, reinterpret_cast<const cudaGraphEdgeData*>(edges), count));
}

GPUSCHED_DRIVER cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle, CUgraph graph,
                                               CUcontext, unsigned initial, unsigned flags) {
  return driverResult(cudaGraphConditionalHandleCreate(
      reinterpret_cast<cudaGraphConditionalHandle*>(handle), graph, initial, flags));
}

GPUSCHED_DRIVER cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
  return driverResult(cudaGraphDebugDotPrint(graph, path, flags));
}

// Executables.

GPUSCHED_DRIVER cuGraphInstantiate(CUgraphExec* executable, CUgraph graph,
                                   unsigned long long flags) {
  return driverResult(cudaGraphInstantiateWithFlags(executable, graph, flags));
}

GPUSCHED_DRIVER cuGraphInstantiateWithParams(CUgraphExec* executable, CUgraph graph,
                                             CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  static_assert(sizeof *parameters == sizeof(cudaGraphInstantiateParams));
  return driverResult(cudaGraphInstantiateWithParams(
      executable, graph, reinterpret_cast<cudaGraphInstantiateParams*>(parameters)));
}

GPUSCHED_DRIVER cuGraphUpload(CUgraphExec executable, CUstream stream) {
  return driverResult(cudaGraphUpload(executable, stream));
}

GPUSCHED_DRIVER cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return driverResult(cudaGraphLaunch(executable, stream));
}

GPUSCHED_DRIVER cuGraphExecDestroy(CUgraphExec executable) {
  return driverResult(cudaGraphExecDestroy(executable));
}

GPUSCHED_DRIVER cuGraphExecUpdate(CUgraphExec executable, CUgraph graph,
                                  CUgraphExecUpdateResultInfo* result) {
  static_assert(sizeof *result == sizeof(cudaGraphExecUpdateResultInfo));
  return driverResult(cudaGraphExecUpdate(
      executable, graph, reinterpret_cast<cudaGraphExecUpdateResultInfo*>(result)));
}

GPUSCHED_DRIVER cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned enabled) {
  return driverResult(cudaGraphNodeSetEnabled(executable, node, enabled));
}

GPUSCHED_DRIVER cuGraphNodeGetEnabled(CUgraphExec executable, CUgraphNode node, unsigned* enabled) {
  return driverResult(cudaGraphNodeGetEnabled(executable, node, enabled));
}
