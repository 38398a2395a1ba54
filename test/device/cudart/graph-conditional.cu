// Conditional nodes run what kernels choose: if, else, while, switch, one in another.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

__global__ void set(cudaGraphConditionalHandle condition, const unsigned* value) {
  cudaGraphSetConditional(condition, *value);
}

__global__ void add(unsigned* value, unsigned more) { *value += more; }

__global__ void countDown(cudaGraphConditionalHandle condition, unsigned* rest, unsigned* rounds) {
  ++*rounds;
  cudaGraphSetConditional(condition, --*rest);
}

template <class... A>
static cudaGraphNode_t addKernel(cudaGraph_t graph, const cudaGraphNode_t* after,
                                 void (*kernel)(A...), A... arguments) {
  void* list[] = {&arguments...};
  cudaKernelNodeParams parameters = {};
  parameters.func = (void*)kernel;
  parameters.gridDim = parameters.blockDim = dim3(1);
  parameters.kernelParams = list;
  cudaGraphNode_t node;
  CHECK_OK(cudaGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &parameters));
  return node;
}

static cudaGraphNode_t addConditional(cudaGraph_t graph, const cudaGraphNode_t* after,
                                      cudaGraphConditionalHandle condition,
                                      cudaGraphConditionalNodeType type, unsigned size,
                                      cudaGraph_t* bodies) {
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = condition;
  parameters.conditional.type = type;
  parameters.conditional.size = size;
  cudaGraphNode_t node;
  CHECK_OK(cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &parameters));
  for (unsigned i = 0; i < size; ++i)
    bodies[i] = parameters.conditional.phGraph_out[i];
  return node;
}

static void launch(cudaGraphExec_t executable) {
  CHECK_OK(cudaGraphLaunch(executable, 0));
  CHECK_OK(cudaDeviceSynchronize());
}

/// What a conditional of `count` bodies adds for each value; body i adds 10 to the power i. What
/// follows doubles it.
static void choose(cudaGraphConditionalNodeType type, unsigned count, const unsigned* expected) {
  unsigned* memory;
  CHECK_OK(cudaMallocManaged(&memory, 2 * sizeof *memory));
  cudaGraph_t graph, bodies[3];
  CHECK_OK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle condition;
  CHECK_OK(cudaGraphConditionalHandleCreate(&condition, graph, 0, 0));
  const cudaGraphNode_t first = addKernel(graph, nullptr, set, condition, (const unsigned*)memory);
  const cudaGraphNode_t node = addConditional(graph, &first, condition, type, count, bodies);
  for (unsigned i = 0, more = 1; i < count; ++i, more *= 10)
    addKernel(bodies[i], nullptr, add, memory + 1, more);
  addKernel(graph, &node, add, memory + 1, 5u);
  cudaGraphExec_t executable;
  CHECK_OK(cudaGraphInstantiate(&executable, graph, 0));
  for (unsigned value = 0; value < 4; ++value) {
    memory[0] = value;
    memory[1] = 0;
    launch(executable);
    CHECK_IS(memory[1], expected[value] + 5);
  }
}

/// A while in a while, whose bodies are captured; the inner one counts to the outer's count.
static void loops() {
  unsigned* memory; // outer rest, outer rounds, inner rest, inner rounds
  CHECK_OK(cudaMallocManaged(&memory, 4 * sizeof *memory));
  cudaGraph_t graph, outer, inner;
  CHECK_OK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle outerCondition, innerCondition;
  CHECK_OK(cudaGraphConditionalHandleCreate(&outerCondition, graph, 1, cudaGraphCondAssignDefault));
  addConditional(graph, nullptr, outerCondition, cudaGraphCondTypeWhile, 1, &outer);
  CHECK_OK(cudaGraphConditionalHandleCreate(&innerCondition, outer, 1, cudaGraphCondAssignDefault));
  cudaStream_t stream;
  CHECK_OK(cudaStreamCreate(&stream));
  CHECK_OK(cudaStreamBeginCaptureToGraph(stream, outer, nullptr, nullptr, 0,
                                         cudaStreamCaptureModeRelaxed));
  CHECK_OK(cudaMemcpyAsync(memory + 2, memory, sizeof *memory, cudaMemcpyDeviceToDevice, stream));
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* tips;
  size_t count;
  CHECK_OK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &tips, nullptr, &count));
  CHECK_IS(count, 1u);
  cudaGraphNode_t loop =
      addConditional(outer, tips, innerCondition, cudaGraphCondTypeWhile, 1, &inner);
  CHECK_OK(cudaStreamUpdateCaptureDependencies(stream, &loop, nullptr, 1,
                                               cudaStreamSetCaptureDependencies));
  countDown<<<1, 1, 0, stream>>>(outerCondition, memory, memory + 1);
  CHECK_OK(cudaStreamEndCapture(stream, nullptr));
  addKernel(inner, nullptr, countDown, innerCondition, memory + 2, memory + 3);
  cudaGraphExec_t executable;
  CHECK_OK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK_OK(cudaGraphDestroy(graph));
  for (int i = 0; i < 2; ++i) {
    memory[0] = 4;
    memory[1] = memory[3] = 0;
    launch(executable);
    CHECK_IS(memory[0], 0u);
    CHECK_IS(memory[1], 4u);
    CHECK_IS(memory[3], 4u + 3 + 2 + 1);
  }
}

static void refusals() {
  cudaGraph_t graph, other, body;
  CHECK_OK(cudaGraphCreate(&graph, 0));
  CHECK_OK(cudaGraphCreate(&other, 0));
  cudaGraphConditionalHandle condition;
  CHECK_OK(cudaGraphConditionalHandleCreate(&condition, graph, 0, 0));
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = condition;
  parameters.conditional.size = 1;
  cudaGraphNode_t node;
  CHECK_IS(cudaGraphAddNode(&node, other, nullptr, nullptr, 0, &parameters), cudaErrorInvalidValue);
  parameters.conditional.size = 3;
  CHECK_IS(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters), cudaErrorInvalidValue);
  addConditional(graph, nullptr, condition, cudaGraphCondTypeIf, 1, &body);
  cudaHostNodeParams call = {[](void*) {}, nullptr};
  CHECK_OK(cudaGraphAddHostNode(&node, body, nullptr, 0, &call));
  cudaGraphExec_t executable;
  CHECK_IS(cudaGraphInstantiate(&executable, graph, 0), cudaErrorInvalidValue);
}

int main() {
  const unsigned ofIf[] = {0, 1, 1, 1}, ofElse[] = {10, 1, 1, 1}, ofSwitch[] = {1, 10, 100, 0};
  choose(cudaGraphCondTypeIf, 1, ofIf);
  choose(cudaGraphCondTypeIf, 2, ofElse);
  choose(cudaGraphCondTypeSwitch, 3, ofSwitch);
  loops();
  refusals();
}
