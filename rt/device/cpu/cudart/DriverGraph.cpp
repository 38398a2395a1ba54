// DriverGraph.cpp - driver functions: stream capture and graphs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs, nodes and their executables are the runtime's. Parameters of nodes have the runtime's
// layout but for kernels, whose sizes stand apart, and copies, which name memory in another way:
// of these the ones between pointers are there.
#include "rt/device/cpu/cudart/DriverCall.h"
#include "rt/support/Log.h"

#include <cstddef>

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

GPUSCHED_DRIVER cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
  return driverResult(cudaGraphDebugDotPrint(graph, path, flags));
}

// Nodes.

/// `extra`'s packed arguments are not taken.
static cudaKernelNodeParams kernelParameters(const CUDA_KERNEL_NODE_PARAMS& from) {
  void* const function = from.func ? static_cast<void*>(from.func) : static_cast<void*>(from.kern);
  return {function,
          dim3(from.gridDimX, from.gridDimY, from.gridDimZ),
          dim3(from.blockDimX, from.blockDimY, from.blockDimZ),
          from.sharedMemBytes,
          from.kernelParams,
          from.extra};
}

GPUSCHED_DRIVER cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                     size_t count, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  const cudaKernelNodeParams kernel = kernelParameters(*parameters);
  return driverResult(cudaGraphAddKernelNode(node, graph, after, count, &kernel));
}

GPUSCHED_DRIVER cuGraphKernelNodeSetParams(CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS* parameters) {
  const cudaKernelNodeParams kernel = kernelParameters(*parameters);
  return driverResult(cudaGraphKernelNodeSetParams(node, &kernel));
}

GPUSCHED_DRIVER cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS* parameters) {
  const cudaKernelNodeParams kernel = kernelParameters(*parameters);
  return driverResult(cudaGraphExecKernelNodeSetParams(executable, node, &kernel));
}

GPUSCHED_DRIVER cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* parameters) {
  cudaKernelNodeParams known = {};
  const cudaError_t error = cudaGraphKernelNodeGetParams(node, &known);
  *parameters = {static_cast<CUfunction>(known.func),
                 known.gridDim.x,
                 known.gridDim.y,
                 known.gridDim.z,
                 known.blockDim.x,
                 known.blockDim.y,
                 known.blockDim.z,
                 known.sharedMemBytes,
                 known.kernelParams,
                 known.extra,
                 nullptr,
                 nullptr};
  return driverResult(error);
}

static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == sizeof(cudaMemsetParams) &&
              offsetof(CUDA_MEMSET_NODE_PARAMS, height) == offsetof(cudaMemsetParams, height));

GPUSCHED_DRIVER cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                     size_t count, const CUDA_MEMSET_NODE_PARAMS* parameters,
                                     CUcontext) {
  return driverResult(cudaGraphAddMemsetNode(
      node, graph, after, count, reinterpret_cast<const cudaMemsetParams*>(parameters)));
}

GPUSCHED_DRIVER cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                               const CUDA_MEMSET_NODE_PARAMS* parameters,
                                               CUcontext) {
  return driverResult(cudaGraphExecMemsetNodeSetParams(
      executable, node, reinterpret_cast<const cudaMemsetParams*>(parameters)));
}

/// False if an array is concerned, whose places the runtime counts in elements.
static bool copyParameters(const CUDA_MEMCPY3D& from, cudaMemcpy3DParms& to) {
  if (from.srcMemoryType == CU_MEMORYTYPE_ARRAY || from.dstMemoryType == CU_MEMORYTYPE_ARRAY) {
    log(LogLevel::Error, "graphs of the driver API copy between pointers only on the cpu device; "
                         "use cudaGraphAddMemcpyNode for arrays");
    return false;
  }
  const auto pitched = [](void* base, size_t pitch, size_t width, size_t height) {
    return cudaPitchedPtr{base, pitch ? pitch : width, width, height};
  };
  void* const source = from.srcMemoryType == CU_MEMORYTYPE_HOST ? const_cast<void*>(from.srcHost)
                                                                : hostPointer(from.srcDevice);
  void* const target =
      from.dstMemoryType == CU_MEMORYTYPE_HOST ? from.dstHost : hostPointer(from.dstDevice);
  to = {};
  to.srcPtr = pitched(source, from.srcPitch, from.WidthInBytes,
                      from.srcHeight ? from.srcHeight : from.Height);
  to.dstPtr = pitched(target, from.dstPitch, from.WidthInBytes,
                      from.dstHeight ? from.dstHeight : from.Height);
  to.srcPos = {from.srcXInBytes, from.srcY, from.srcZ};
  to.dstPos = {from.dstXInBytes, from.dstY, from.dstZ};
  to.extent = {from.WidthInBytes, from.Height, from.Depth};
  to.kind = cudaMemcpyDefault;
  return true;
}

GPUSCHED_DRIVER cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                     size_t count, const CUDA_MEMCPY3D* parameters, CUcontext) {
  cudaMemcpy3DParms copy;
  return copyParameters(*parameters, copy)
             ? driverResult(cudaGraphAddMemcpyNode(node, graph, after, count, &copy))
             : CUDA_ERROR_NOT_SUPPORTED;
}

GPUSCHED_DRIVER cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                               const CUDA_MEMCPY3D* parameters, CUcontext) {
  cudaMemcpy3DParms copy;
  return copyParameters(*parameters, copy)
             ? driverResult(cudaGraphExecMemcpyNodeSetParams(executable, node, &copy))
             : CUDA_ERROR_NOT_SUPPORTED;
}

GPUSCHED_DRIVER cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                   size_t count, const CUDA_HOST_NODE_PARAMS* parameters) {
  const cudaHostNodeParams host{parameters->fn, parameters->userData};
  return driverResult(cudaGraphAddHostNode(node, graph, after, count, &host));
}

GPUSCHED_DRIVER cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                    size_t count) {
  return driverResult(cudaGraphAddEmptyNode(node, graph, after, count));
}

GPUSCHED_DRIVER cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                         size_t count, CUgraph child) {
  return driverResult(cudaGraphAddChildGraphNode(node, graph, after, count, child));
}

GPUSCHED_DRIVER cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph,
                                          const CUgraphNode* after, size_t count, CUevent event) {
  return driverResult(cudaGraphAddEventRecordNode(node, graph, after, count, event));
}

GPUSCHED_DRIVER cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                        size_t count, CUevent event) {
  return driverResult(cudaGraphAddEventWaitNode(node, graph, after, count, event));
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
