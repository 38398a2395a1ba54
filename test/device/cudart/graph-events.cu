// Event nodes order a graph with streams and with other graphs, added or captured as external.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

#include <atomic>

static std::atomic<bool> open{false};
static std::atomic<int> steps{0};
static int seen = 0;

static void waitForGate(void*) {
  while (!open)
    ;
}
static void step(void*) { ++steps; }
static void see(void*) { seen = steps; }

static cudaGraphNode_t addCall(cudaGraph_t graph, const cudaGraphNode_t* after, cudaHostFn_t call) {
  cudaHostNodeParams parameters = {call, nullptr};
  cudaGraphNode_t node;
  CHECK_OK(cudaGraphAddHostNode(&node, graph, after, after ? 1 : 0, &parameters));
  return node;
}

static cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t executable;
  CHECK_OK(cudaGraphInstantiate(&executable, graph, 0));
  return executable;
}

/// A graph in one stream records, a graph in another waits, then the host does.
static void added(cudaStream_t first, cudaStream_t second) {
  cudaEvent_t event, other, got;
  CHECK_OK(cudaEventCreate(&event));
  CHECK_OK(cudaEventCreate(&other));
  cudaGraph_t recording, waiting;
  CHECK_OK(cudaGraphCreate(&recording, 0));
  CHECK_OK(cudaGraphCreate(&waiting, 0));
  cudaGraphNode_t gate = addCall(recording, nullptr, waitForGate);
  cudaGraphNode_t counted = addCall(recording, &gate, step), record, wait;
  CHECK_OK(cudaGraphAddEventRecordNode(&record, recording, &counted, 1, other));
  CHECK_OK(cudaGraphEventRecordNodeSetEvent(record, event));
  CHECK_OK(cudaGraphEventRecordNodeGetEvent(record, &got));
  CHECK_IS(got, event);
  CHECK_IS(cudaGraphEventWaitNodeGetEvent(record, &got), cudaErrorInvalidValue);
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeWaitEvent;
  parameters.eventWait.event = other;
  CHECK_OK(cudaGraphAddNode(&wait, waiting, nullptr, nullptr, 0, &parameters));
  addCall(waiting, &wait, see);
  cudaGraphExec_t waits = instantiated(waiting);
  CHECK_OK(cudaGraphExecEventWaitNodeSetEvent(waits, wait, event));

  CHECK_OK(cudaGraphLaunch(instantiated(recording), first));
  CHECK_IS(cudaEventQuery(event), cudaErrorNotReady);
  CHECK_OK(cudaGraphLaunch(waits, second));
  CHECK_IS(cudaStreamQuery(second), cudaErrorNotReady);
  open = true;
  CHECK_OK(cudaEventSynchronize(event));
  CHECK_IS(steps.load(), 1);
  CHECK_OK(cudaStreamSynchronize(second));
  CHECK_IS(seen, 1);
}

/// Capture makes nodes of external records and waits, and edges of others.
static void captured(cudaStream_t first, cudaStream_t second) {
  cudaEvent_t event;
  CHECK_OK(cudaEventCreate(&event));
  open = false;
  CHECK_OK(cudaLaunchHostFunc(second, waitForGate, nullptr));
  CHECK_OK(cudaEventRecord(event, second));
  cudaGraph_t graph;
  CHECK_OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  CHECK_OK(cudaStreamWaitEvent(first, event, cudaEventWaitExternal));
  CHECK_OK(cudaLaunchHostFunc(first, step, nullptr));
  CHECK_OK(cudaEventRecordWithFlags(event, first, cudaEventRecordExternal));
  CHECK_OK(cudaStreamEndCapture(first, &graph));
  cudaGraphNode_t nodes[3];
  size_t count = 3;
  CHECK_OK(cudaGraphGetNodes(graph, nodes, &count));
  CHECK_IS(count, 3u);
  const cudaGraphNodeType expected[] = {cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeHost,
                                        cudaGraphNodeTypeEventRecord};
  for (int i = 0; i < 3; ++i) {
    cudaGraphNodeType type;
    CHECK_OK(cudaGraphNodeGetType(nodes[i], &type));
    CHECK_IS(type, expected[i]);
  }
  CHECK_OK(cudaGraphLaunch(instantiated(graph), first));
  CHECK_OK(cudaStreamWaitEvent(second, event, 0));
  CHECK_OK(cudaLaunchHostFunc(second, see, nullptr));
  CHECK_IS(steps.load(), 1);
  open = true;
  CHECK_OK(cudaStreamSynchronize(second));
  CHECK_IS(seen, 2);
}

int main() {
  cudaStream_t first, second;
  CHECK_OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK_OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  added(first, second);
  captured(first, second);
}
