// ApiGraphNodes.cpp - graph nodes: making them and changing what they do.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind has one function that turns its parameters into an OperationBody; adding a node,
// changing it in a graph and changing it in an executable graph all use it.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/BoxCopy.h"
#include "rt/device/cpu/cudart/GraphHandles.h"
#include "rt/device/cpu/cudart/KernelLaunch.h"

#include <cstring>

using namespace gpusched::cudart;

namespace {
struct After {
  const cudaGraphNode_t* nodes;
  size_t count;
};
} // namespace

template <class Parameters> static NodeParameters kept(const Parameters* parameters) {
  return parameters ? NodeParameters(*parameters) : NodeParameters();
}

/// Adds a node whose body `make(runtime, body)` fills in.
template <class Make>
static cudaError_t addNode(const char* function, cudaGraphNode_t* node, cudaGraph_t graph,
                           const After& after, Make&& make, NodeParameters parameters = {}) {
  return apiCall(function, [&](Runtime& runtime) {
    if (!node || !graph)
      return cudaErrorInvalidValue;
    OperationBody body;
    if (cudaError_t error = make(runtime, body); error != cudaSuccess)
      return error;
    TaskNode* made = graphOf(graph)->add(std::move(body), nodesOf(after.nodes, after.count));
    made->parameters = parameters;
    *node = handleOf(made);
    return cudaSuccess;
  });
}

/// Changes what a node does.
template <class Make>
static cudaError_t setNode(const char* function, TaskNode* node, cudaGraphNodeType type,
                           Make&& make, NodeParameters parameters = {}) {
  return apiCall(function, [&](Runtime& runtime) {
    if (!node || node->type != type)
      return cudaErrorInvalidValue;
    OperationBody body;
    cudaError_t error = make(runtime, body);
    if (error != cudaSuccess)
      return error;
    node->body = std::move(body);
    node->parameters = parameters;
    return cudaSuccess;
  });
}

// Kernels.

static auto kernelBody(const cudaKernelNodeParams* parameters) {
  return [parameters](Runtime& runtime, OperationBody& body) {
    if (!parameters || parameters->extra)
      return cudaErrorInvalidValue;
    LaunchShape shape{parameters->gridDim, parameters->blockDim, parameters->sharedMemBytes, false};
    return prepareLaunch(runtime, parameters->func, shape, parameters->kernelParams, body);
  };
}

GPUSCHED_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* after, size_t count,
                                                const cudaKernelNodeParams* parameters) {
  return addNode("cudaGraphAddKernelNode", node, graph, {after, count}, kernelBody(parameters));
}

GPUSCHED_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                      const cudaKernelNodeParams* parameters) {
  return setNode("cudaGraphKernelNodeSetParams", nodeOf(node), cudaGraphNodeTypeKernel,
                 kernelBody(parameters));
}

GPUSCHED_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node,
                                                          const cudaKernelNodeParams* parameters) {
  return setNode("cudaGraphExecKernelNodeSetParams", nodeIn(executable, node),
                 cudaGraphNodeTypeKernel, kernelBody(parameters));
}

// Copies.

static auto copyBody(const cudaMemcpy3DParms* parameters) {
  return [parameters](Runtime& runtime, OperationBody& body) {
    if (!parameters)
      return cudaErrorInvalidValue;
    BoxCopy box;
    if (cudaError_t error = boxOf(runtime, *parameters, box); error != cudaSuccess)
      return error;
    body.kind = OperationBody::Kind::Copy;
    body.work = boxMove(box.to, box.from, box.extent);
    return cudaSuccess;
  };
}

static auto lineBody(void* to, const void* from, size_t bytes) {
  return [=](Runtime&, OperationBody& body) {
    if (!to || !from)
      return cudaErrorInvalidValue;
    body.kind = OperationBody::Kind::Copy;
    body.work = boxMove({to, 0, 0}, {const_cast<void*>(from), 0, 0}, {bytes, 1, 1});
    return cudaSuccess;
  };
}

GPUSCHED_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* after, size_t count,
                                                const cudaMemcpy3DParms* parameters) {
  return addNode("cudaGraphAddMemcpyNode", node, graph, {after, count}, copyBody(parameters),
                 kept(parameters));
}

GPUSCHED_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* after, size_t count,
                                                  void* to, const void* from, size_t bytes,
                                                  cudaMemcpyKind) {
  return addNode("cudaGraphAddMemcpyNode1D", node, graph, {after, count},
                 lineBody(to, from, bytes));
}

GPUSCHED_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                      const cudaMemcpy3DParms* parameters) {
  return setNode("cudaGraphMemcpyNodeSetParams", nodeOf(node), cudaGraphNodeTypeMemcpy,
                 copyBody(parameters), kept(parameters));
}

GPUSCHED_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to,
                                                        const void* from, size_t bytes,
                                                        cudaMemcpyKind) {
  return setNode("cudaGraphMemcpyNodeSetParams1D", nodeOf(node), cudaGraphNodeTypeMemcpy,
                 lineBody(to, from, bytes));
}

GPUSCHED_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node,
                                                          const cudaMemcpy3DParms* parameters) {
  return setNode("cudaGraphExecMemcpyNodeSetParams", nodeIn(executable, node),
                 cudaGraphNodeTypeMemcpy, copyBody(parameters), kept(parameters));
}

GPUSCHED_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable,
                                                            cudaGraphNode_t node, void* to,
                                                            const void* from, size_t bytes,
                                                            cudaMemcpyKind) {
  return setNode("cudaGraphExecMemcpyNodeSetParams1D", nodeIn(executable, node),
                 cudaGraphNodeTypeMemcpy, lineBody(to, from, bytes));
}

// Fills.

static void fillElements(const cudaMemsetParams& parameters) {
  for (size_t y = 0; y < parameters.height; ++y) {
    char* row = static_cast<char*>(parameters.dst) + y * parameters.pitch;
    for (size_t x = 0; x < parameters.width; ++x)
      std::memcpy(row + x * parameters.elementSize, &parameters.value, parameters.elementSize);
  }
}

static auto fillBody(const cudaMemsetParams* parameters) {
  return [parameters](Runtime&, OperationBody& body) {
    if (!parameters || !parameters->dst ||
        (parameters->elementSize != 1 && parameters->elementSize != 2 &&
         parameters->elementSize != 4))
      return cudaErrorInvalidValue;
    body.kind = OperationBody::Kind::Fill;
    body.work = [copy = *parameters] { fillElements(copy); };
    return cudaSuccess;
  };
}

GPUSCHED_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* after, size_t count,
                                                const cudaMemsetParams* parameters) {
  return addNode("cudaGraphAddMemsetNode", node, graph, {after, count}, fillBody(parameters),
                 kept(parameters));
}

GPUSCHED_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                      const cudaMemsetParams* parameters) {
  return setNode("cudaGraphMemsetNodeSetParams", nodeOf(node), cudaGraphNodeTypeMemset,
                 fillBody(parameters), kept(parameters));
}

GPUSCHED_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node,
                                                          const cudaMemsetParams* parameters) {
  return setNode("cudaGraphExecMemsetNodeSetParams", nodeIn(executable, node),
                 cudaGraphNodeTypeMemset, fillBody(parameters), kept(parameters));
}

// Host functions, empty nodes, child graphs.

static auto hostBody(const cudaHostNodeParams* parameters) {
  return [parameters](Runtime&, OperationBody& body) {
    if (!parameters || !parameters->fn)
      return cudaErrorInvalidValue;
    body.kind = OperationBody::Kind::HostFunction;
    body.work = [copy = *parameters] { copy.fn(copy.userData); };
    return cudaSuccess;
  };
}

GPUSCHED_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* after, size_t count,
                                              const cudaHostNodeParams* parameters) {
  return addNode("cudaGraphAddHostNode", node, graph, {after, count}, hostBody(parameters),
                 kept(parameters));
}

GPUSCHED_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                                    const cudaHostNodeParams* parameters) {
  return setNode("cudaGraphHostNodeSetParams", nodeOf(node), cudaGraphNodeTypeHost,
                 hostBody(parameters), kept(parameters));
}

GPUSCHED_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable,
                                                        cudaGraphNode_t node,
                                                        const cudaHostNodeParams* parameters) {
  return setNode("cudaGraphExecHostNodeSetParams", nodeIn(executable, node), cudaGraphNodeTypeHost,
                 hostBody(parameters), kept(parameters));
}

GPUSCHED_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                               const cudaGraphNode_t* after, size_t count) {
  return addNode("cudaGraphAddEmptyNode", node, graph, {after, count},
                 [](Runtime&, OperationBody&) { return cudaSuccess; });
}

GPUSCHED_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    const cudaGraphNode_t* after, size_t count,
                                                    cudaGraph_t child) {
  return apiCall("cudaGraphAddChildGraphNode", [&](Runtime&) {
    const TaskGraph& inner = *graphOf(child);
    *node = handleOf(graphOf(graph)->addChild(inner, nodesOf(after, count)));
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  *graph = reinterpret_cast<cudaGraph_t>(nodeOf(node)->child.get());
  return *graph ? cudaSuccess
                : recordError("cudaGraphChildGraphNodeGetGraph", cudaErrorInvalidValue);
}
