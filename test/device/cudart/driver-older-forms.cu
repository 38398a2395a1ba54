// Who asks cuGetProcAddress for a version before 13 gets the function with the parameters of that time.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Driver.h"

#include <cudaTypedefs.h>

template <class Function> static Function ask(const char* name, int version) {
  void* function = nullptr;
  CHECK_CU(cuGetProcAddress, name, &function, version, 0, nullptr);
  return reinterpret_cast<Function>(function);
}

/// NAME is without its "cu", or a macro of cuda.h would take it for the newest form.
#define ASK(NAME, VERSION) ask<PFN_cu##NAME##_v##VERSION>("cu" #NAME, VERSION)
#define CHECK_OLD(NAME, VERSION, ...) CHECK_IS(ASK(NAME, VERSION)(__VA_ARGS__), CUDA_SUCCESS)

static void checkContexts() {
  CUcontext made[3], current = nullptr;
  CHECK_OLD(CtxCreate, 3020, &made[0], 0, 0);
  CHECK_OLD(CtxCreate, 11040, &made[1], nullptr, 0, 0, 0);
  CHECK_OLD(CtxCreate, 12050, &made[2], nullptr, 0, 0);
  for (int i = 2; i >= 0; --i) {
    CHECK_CU(cuCtxGetCurrent, &current);
    CHECK_TRUE(current == made[i]);
    CHECK_CU(cuCtxDestroy, made[i]);
  }
}

static void checkMemory(CUdeviceptr managed) {
  const CUdevice host = CU_DEVICE_CPU;
  CHECK_OLD(MemAdvise, 8000, managed, 4, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host);
  CHECK_OLD(MemPrefetchAsync, 8000, managed, 4, 0, nullptr);
  CHECK_OLD(MemPrefetchAsync, 12020, managed, 4, {CU_MEM_LOCATION_TYPE_DEVICE, {0}}, 0, nullptr);
  const CUstream none = reinterpret_cast<CUstream>(&managed);
  CHECK_IS(ASK(MemPrefetchAsync, 8000)(managed, 4, 0, none), CUDA_ERROR_INVALID_HANDLE);
}

static void checkGraph() {
  CUgraph graph;
  CUgraphNode nodes[2], from = nullptr, to = nullptr;
  size_t count = 1;
  CHECK_CU(cuGraphCreate, &graph, 0);
  for (CUgraphNode& node : nodes)
    CHECK_CU(cuGraphAddEmptyNode, &node, graph, nullptr, 0);
  CUgraph other;
  CUgraphNode empty;
  CUgraphNodeParams nothing = {};
  nothing.type = CU_GRAPH_NODE_TYPE_EMPTY;
  CHECK_CU(cuGraphCreate, &other, 0);
  CHECK_OLD(GraphAddNode, 12020, &empty, other, nullptr, 0, &nothing);
  CHECK_OLD(GraphAddNode, 12030, &empty, other, &empty, nullptr, 1, &nothing);
  CHECK_CU(cuGraphDestroy, other);
  CHECK_OLD(GraphAddDependencies, 10000, graph, &nodes[0], &nodes[1], 1);
  CHECK_OLD(GraphGetEdges, 10000, graph, &from, &to, &count);
  CHECK_TRUE(count == 1 && from == nodes[0] && to == nodes[1]);
  CHECK_OLD(GraphNodeGetDependencies, 10000, nodes[1], &from, &count);
  CHECK_OLD(GraphNodeGetDependentNodes, 10000, nodes[0], &to, &count);
  CHECK_TRUE(count == 1 && from == nodes[0] && to == nodes[1]);
  CUgraphExec executable;
  CUgraphExecUpdateResult why = CU_GRAPH_EXEC_UPDATE_ERROR;
  char said[4] = "yes";
  using Instantiate = CUresult (*)(CUgraphExec*, CUgraph, CUgraphNode*, char*, size_t);
  CHECK_IS(ask<Instantiate>("cuGraphInstantiate", 11000)(&executable, graph, &from, said, 4),
           CUDA_SUCCESS);
  CHECK_IS(said[0], 0);
  CHECK_OLD(GraphExecUpdate, 10020, executable, graph, &from, &why);
  CHECK_TRUE(!from);
  CHECK_IS(why, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  CHECK_OLD(GraphRemoveDependencies, 10000, graph, &nodes[0], &nodes[1], 1);
  CHECK_CU(cuGraphGetEdges, graph, nullptr, nullptr, nullptr, &count);
  CHECK_IS(count, 0u);
}

static void checkCapture() {
  CUstream stream;
  CUstreamCaptureStatus status;
  CUgraph graph = nullptr;
  const CUgraphNode* after = nullptr;
  size_t count = 1;
  CHECK_CU(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  CHECK_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  CHECK_OLD(StreamGetCaptureInfo, 11030, stream, &status, nullptr, &graph, &after, &count);
  CHECK_TRUE(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && graph && count == 0);
  CUgraphNode node;
  CHECK_CU(cuGraphAddEmptyNode, &node, graph, nullptr, 0);
  CHECK_OLD(StreamUpdateCaptureDependencies, 11030, stream, &node, 1, 1);
  CHECK_OLD(StreamGetCaptureInfo, 11030, stream, &status, nullptr, &graph, &after, &count);
  CHECK_TRUE(count == 1 && after[0] == node);
  CHECK_CU(cuStreamEndCapture, stream, &graph);
}

/// A form that is not there is not found, whatever the newer one is.
static void checkMissing() {
  void* function = nullptr;
  const auto old = reinterpret_cast<PFN_cuGetProcAddress_v11030>(driverFunction("cuGetProcAddress"));
  CHECK_IS(old("cuStreamGetCaptureInfo", &function, 10010, 0), CUDA_ERROR_NOT_FOUND);
  CHECK_IS(old("cuStreamGetCaptureInfo", &function, 12030, 0), CUDA_SUCCESS);
  CHECK_TRUE(function == driverFunction("cuStreamGetCaptureInfo_v3"));
  CHECK_IS(old("cuGetProcAddress", &function, 11030, 0), CUDA_SUCCESS);
  CHECK_TRUE(function == reinterpret_cast<void*>(old));
}

int main() {
  openFirstDevice(4);
  CUdeviceptr managed;
  CHECK_CU(cuMemAllocManaged, &managed, 4, CU_MEM_ATTACH_GLOBAL);
  checkContexts();
  checkMemory(managed);
  checkGraph();
  checkCapture();
  checkMissing();
}
