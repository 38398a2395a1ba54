// ApiGraphParameters.cpp - nodes through cudaGraphNodeParams, and asking what a node does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a kernel are read back from what it will be launched with, so captured
// kernels answer too; those of copies, fills and host functions only where the program gave them.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/ApiGraphConditional.h"
#include "rt/device/cpu/cudart/GraphHandles.h"

#include <fstream>

using namespace gpusched;
using namespace gpusched::cudart;

// The unions' members are the older structures under newer names.

static cudaKernelNodeParams kernelParameters(const cudaKernelNodeParamsV2& from) {
  cudaKernelNodeParams to{};
  to.func = from.func;
  to.gridDim = from.gridDim;
  to.blockDim = from.blockDim;
  to.sharedMemBytes = from.sharedMemBytes;
  to.kernelParams = from.kernelParams;
  to.extra = from.extra;
  return to;
}

static cudaMemsetParams fillParameters(const cudaMemsetParamsV2& from) {
  return {from.dst, from.pitch, from.value, from.elementSize, from.width, from.height};
}

static cudaError_t addAllocation(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, size_t count,
                                 cudaMemAllocNodeParamsV2& alloc) {
  cudaMemAllocNodeParams parameters{};
  parameters.poolProps = alloc.poolProps;
  parameters.bytesize = alloc.bytesize;
  cudaError_t error = cudaGraphAddMemAllocNode(node, graph, after, count, &parameters);
  alloc.dptr = parameters.dptr;
  return error;
}

static cudaError_t addConditionalNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* after, size_t count,
                                      cudaConditionalNodeParams& parameters) {
  return apiQuery("cudaGraphAddNode", [&] {
    if (!node || !graph)
      return cudaErrorInvalidValue;
    TaskNode* made = nullptr;
    cudaError_t error = addConditional(*graphOf(graph), nodesOf(after, count), parameters, made);
    *node = handleOf(made);
    return error;
  });
}

/// Edge data is about programmatic launches, which here start like all others.
GPUSCHED_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, const cudaGraphEdgeData*,
                                          size_t count, cudaGraphNodeParams* parameters) {
  if (!parameters)
    return recordError("cudaGraphAddNode", cudaErrorInvalidValue);
  switch (parameters->type) {
  case cudaGraphNodeTypeKernel: {
    const cudaKernelNodeParams kernel = kernelParameters(parameters->kernel);
    return cudaGraphAddKernelNode(node, graph, after, count, &kernel);
  }
  case cudaGraphNodeTypeMemcpy:
    return cudaGraphAddMemcpyNode(node, graph, after, count, &parameters->memcpy.copyParams);
  case cudaGraphNodeTypeMemset: {
    const cudaMemsetParams fill = fillParameters(parameters->memset);
    return cudaGraphAddMemsetNode(node, graph, after, count, &fill);
  }
  case cudaGraphNodeTypeHost: {
    const cudaHostNodeParams host{parameters->host.fn, parameters->host.userData};
    return cudaGraphAddHostNode(node, graph, after, count, &host);
  }
  case cudaGraphNodeTypeGraph:
    return cudaGraphAddChildGraphNode(node, graph, after, count, parameters->graph.graph);
  case cudaGraphNodeTypeEmpty:
    return cudaGraphAddEmptyNode(node, graph, after, count);
  case cudaGraphNodeTypeMemAlloc:
    return addAllocation(node, graph, after, count, parameters->alloc);
  case cudaGraphNodeTypeMemFree:
    return cudaGraphAddMemFreeNode(node, graph, after, count, parameters->free.dptr);
  case cudaGraphNodeTypeWaitEvent:
    return cudaGraphAddEventWaitNode(node, graph, after, count, parameters->eventWait.event);
  case cudaGraphNodeTypeEventRecord:
    return cudaGraphAddEventRecordNode(node, graph, after, count, parameters->eventRecord.event);
  case cudaGraphNodeTypeConditional:
    return addConditionalNode(node, graph, after, count, parameters->conditional);
  default:
    return recordError("cudaGraphAddNode", cudaErrorNotSupported);
  }
}

GPUSCHED_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                                cudaGraphNodeParams* parameters) {
  if (!parameters)
    return recordError("cudaGraphNodeSetParams", cudaErrorInvalidValue);
  switch (parameters->type) {
  case cudaGraphNodeTypeKernel: {
    const cudaKernelNodeParams kernel = kernelParameters(parameters->kernel);
    return cudaGraphKernelNodeSetParams(node, &kernel);
  }
  case cudaGraphNodeTypeMemcpy:
    return cudaGraphMemcpyNodeSetParams(node, &parameters->memcpy.copyParams);
  case cudaGraphNodeTypeMemset: {
    const cudaMemsetParams fill = fillParameters(parameters->memset);
    return cudaGraphMemsetNodeSetParams(node, &fill);
  }
  case cudaGraphNodeTypeHost: {
    const cudaHostNodeParams host{parameters->host.fn, parameters->host.userData};
    return cudaGraphHostNodeSetParams(node, &host);
  }
  case cudaGraphNodeTypeWaitEvent:
    return cudaGraphEventWaitNodeSetEvent(node, parameters->eventWait.event);
  case cudaGraphNodeTypeEventRecord:
    return cudaGraphEventRecordNodeSetEvent(node, parameters->eventRecord.event);
  default:
    return recordError("cudaGraphNodeSetParams", cudaErrorNotSupported);
  }
}

GPUSCHED_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable,
                                                    cudaGraphNode_t node,
                                                    cudaGraphNodeParams* parameters) {
  TaskNode* twin = nodeIn(executable, node);
  if (!twin)
    return recordError("cudaGraphExecNodeSetParams", cudaErrorInvalidValue);
  return cudaGraphNodeSetParams(handleOf(twin), parameters);
}

GPUSCHED_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t handle,
                                                      cudaKernelNodeParams* parameters) {
  return apiQuery("cudaGraphKernelNodeGetParams", [&] {
    TaskNode* node = nodeOf(handle);
    if (!node || !parameters || node->type != cudaGraphNodeTypeKernel)
      return cudaErrorInvalidValue;
    cpu::Launch& launch = node->body.launch;
    const RegisteredKernel* kernel = Registry::instance().findKernel(*launch.kernel);
    if (!kernel)
      return cudaErrorInvalidDeviceFunction;
    node->arguments.clear();
    for (const cpu::KernelFacts::Parameter& one : cpu::Gpu::facts(*launch.kernel).parameters)
      node->arguments.push_back(launch.parameters.data() + one.offset);
    *parameters = {};
    parameters->func = const_cast<void*>(kernel->hostFunction ? kernel->hostFunction : kernel);
    parameters->gridDim = dim3(launch.grid.x, launch.grid.y, launch.grid.z);
    parameters->blockDim = dim3(launch.block.x, launch.block.y, launch.block.z);
    parameters->sharedMemBytes = unsigned(launch.dynamicSharedBytes);
    parameters->kernelParams = node->arguments.data();
    return cudaSuccess;
  });
}

template <class Parameters>
static cudaError_t giveParameters(const char* function, cudaGraphNode_t node,
                                  Parameters* parameters) {
  const Parameters* known = node ? std::get_if<Parameters>(&nodeOf(node)->parameters) : nullptr;
  if (!known || !parameters)
    return recordError(function, cudaErrorInvalidValue);
  *parameters = *known;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                                      cudaMemcpy3DParms* parameters) {
  return giveParameters("cudaGraphMemcpyNodeGetParams", node, parameters);
}

GPUSCHED_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                                      cudaMemsetParams* parameters) {
  return giveParameters("cudaGraphMemsetNodeGetParams", node, parameters);
}

GPUSCHED_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                                    cudaHostNodeParams* parameters) {
  return giveParameters("cudaGraphHostNodeGetParams", node, parameters);
}

// Copies to and from symbols are copies to and from their addresses.

static cudaError_t addressOf(const void* symbol, size_t offset, char*& address) {
  void* base = nullptr;
  cudaError_t error = cudaGetSymbolAddress(&base, symbol);
  address = static_cast<char*>(base) + offset;
  return error;
}

GPUSCHED_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                        const cudaGraphNode_t* after, size_t count,
                                                        const void* symbol, const void* from,
                                                        size_t bytes, size_t offset,
                                                        cudaMemcpyKind kind) {
  char* to = nullptr;
  cudaError_t error = addressOf(symbol, offset, to);
  return error != cudaSuccess
             ? error
             : cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from, bytes, kind);
}

GPUSCHED_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                          const cudaGraphNode_t* after,
                                                          size_t count, void* to,
                                                          const void* symbol, size_t bytes,
                                                          size_t offset, cudaMemcpyKind kind) {
  char* from = nullptr;
  cudaError_t error = addressOf(symbol, offset, from);
  return error != cudaSuccess
             ? error
             : cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from, bytes, kind);
}

GPUSCHED_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t, unsigned long long* flags) {
  *flags = 0;
  return cudaSuccess;
}

static const char* typeName(cudaGraphNodeType type) {
  constexpr const char* kNames[] = {"kernel", "memcpy", "memset",     "host",
                                    "graph",  "empty",  "event wait", "event record"};
  if (type == cudaGraphNodeTypeConditional)
    return "conditional";
  return size_t(type) < std::size(kNames) ? kNames[type] : "memory";
}

/// Nodes are numbered as they were added. Flags for more detail are ignored.
GPUSCHED_API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
  return apiQuery("cudaGraphDebugDotPrint", [&] {
    if (!handle || !path)
      return cudaErrorInvalidValue;
    std::ofstream file(path);
    std::unordered_map<const TaskNode*, size_t> numbers;
    file << "digraph graph_1 {\n";
    for (const std::unique_ptr<TaskNode>& node : graphOf(handle)->nodes()) {
      const size_t number = numbers.emplace(node.get(), numbers.size()).first->second;
      file << "  n" << number << " [label=\"" << number << " " << typeName(node->type) << "\"];\n";
    }
    for (const std::unique_ptr<TaskNode>& node : graphOf(handle)->nodes())
      for (const TaskNode* earlier : node->after)
        file << "  n" << numbers[earlier] << " -> n" << numbers[node.get()] << ";\n";
    file << "}\n";
    return file.flush() ? cudaSuccess : cudaErrorOperatingSystem;
  });
}
