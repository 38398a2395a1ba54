// DriverGraphNodes.cpp - driver functions: what nodes of graphs do.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of nodes have the runtime's layout but for kernels, which have two kinds of handles
// and whose sizes stand apart, and copies, which name memory in another way: of these the ones
// between pointers are there.
#include "rt/device/cpu/cudart/DriverCall.h"
#include "rt/support/Log.h"

#include <bit>
#include <cstddef>
#include <optional>

using namespace gpusched;
using namespace gpusched::cudart;

/// By either handle.
template <class Parameters> static void* functionOf(const Parameters& from) {
  return from.func ? static_cast<void*>(from.func) : static_cast<void*>(from.kern);
}

/// `extra`'s packed arguments are not taken.
static cudaKernelNodeParams kernelParameters(const CUDA_KERNEL_NODE_PARAMS& from) {
  return {functionOf(from),
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

// The same through CUgraphNodeParams.

static_assert(
    sizeof(CUgraphNodeParams) == sizeof(cudaGraphNodeParams) &&
    offsetof(CUgraphNodeParams, kernel) == offsetof(cudaGraphNodeParams, kernel) &&
    offsetof(CUDA_KERNEL_NODE_PARAMS_v3, extra) == offsetof(cudaKernelNodeParamsV2, extra) &&
    offsetof(CUDA_MEMSET_NODE_PARAMS_v2, height) == offsetof(cudaMemsetParamsV2, height) &&
    offsetof(CUDA_MEM_ALLOC_NODE_PARAMS_v2, dptr) == offsetof(cudaMemAllocNodeParamsV2, dptr) &&
    offsetof(CUDA_CONDITIONAL_NODE_PARAMS, phGraph_out) ==
        offsetof(cudaConditionalNodeParams, phGraph_out));

/// None for what copyParameters() refuses.
static std::optional<cudaGraphNodeParams> runtimeParameters(const CUgraphNodeParams& from) {
  cudaGraphNodeParams to = std::bit_cast<cudaGraphNodeParams>(from);
  if (from.type == CU_GRAPH_NODE_TYPE_KERNEL)
    to.kernel.func = functionOf(from.kernel);
  if (from.type == CU_GRAPH_NODE_TYPE_MEMCPY &&
      !copyParameters(from.memcpy.copyParams, to.memcpy.copyParams))
    return std::nullopt;
  return to;
}

/// `set(cudaGraphNodeParams*)` -> cudaError_t. What it gives out goes to `parameters`.
template <class Set> static CUresult withRuntimes(CUgraphNodeParams* parameters, Set&& set) {
  if (!parameters)
    return CUDA_ERROR_INVALID_VALUE;
  std::optional<cudaGraphNodeParams> known = runtimeParameters(*parameters);
  if (!known)
    return CUDA_ERROR_NOT_SUPPORTED;
  const cudaError_t error = set(&*known);
  if (parameters->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    parameters->alloc.dptr = reinterpret_cast<CUdeviceptr>(known->alloc.dptr);
  if (parameters->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    parameters->conditional.phGraph_out = known->conditional.phGraph_out;
  return driverResult(error);
}

GPUSCHED_DRIVER cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                               const CUgraphEdgeData* edges, size_t count,
                               CUgraphNodeParams* parameters) {
  return withRuntimes(parameters, [&](cudaGraphNodeParams* known) {
    return cudaGraphAddNode(node, graph, after, reinterpret_cast<const cudaGraphEdgeData*>(edges),
                            count, known);
  });
}

GPUSCHED_DRIVER cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* parameters) {
  return withRuntimes(
      parameters, [&](cudaGraphNodeParams* known) { return cudaGraphNodeSetParams(node, known); });
}

GPUSCHED_DRIVER cuGraphExecNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                         CUgraphNodeParams* parameters) {
  return withRuntimes(parameters, [&](cudaGraphNodeParams* known) {
    return cudaGraphExecNodeSetParams(executable, node, known);
  });
}
