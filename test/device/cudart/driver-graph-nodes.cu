// All kinds of nodes through cuGraphAddNode, as XLA makes them: the kernel by its library's handle, changed in the
// executable and in the graph; a condition; what is not there is refused.
// RUN: %nvcc -arch=sm_90 -ptx -DDEVICE %s -o %t.ptx
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.ptx 2>&1 | FileCheck %s
// CHECK: gpusched: error: graphs of the driver API copy between pointers only on the cpu device
#ifdef DEVICE
extern "C" __global__ void add(int* data, int value) { data[threadIdx.x] += value; }
#else
#include "Inputs/Driver.h"

static CUstream stream;
static CUdeviceptr data;
static int value;

static CUgraphNodeParams node(CUgraphNodeType type) {
  CUgraphNodeParams made = {};
  made.type = type;
  return made;
}

static CUgraphNodeParams launchOf(CUkernel add) {
  static void* arguments[] = {&data, &value};
  CUgraphNodeParams made = node(CU_GRAPH_NODE_TYPE_KERNEL);
  made.kernel.kern = add;
  made.kernel.gridDimX = made.kernel.gridDimY = made.kernel.gridDimZ = 1;
  made.kernel.blockDimX = 8, made.kernel.blockDimY = made.kernel.blockDimZ = 1;
  made.kernel.kernelParams = arguments;
  return made;
}

static void launch(CUgraphExec executable) {
  CHECK_CU(cuGraphLaunch, executable, stream);
  CHECK_CU(cuStreamSynchronize, stream);
}

static void CUDA_CB count(void* calls) { ++*static_cast<int*>(calls); }

static void checkInARow(CUkernel add) {
  int host[8], calls = 0;
  CUgraphNodeParams fill = node(CU_GRAPH_NODE_TYPE_MEMSET), copy = node(CU_GRAPH_NODE_TYPE_MEMCPY), call = node(CU_GRAPH_NODE_TYPE_HOST);
  fill.memset = {data, 0, 100, 4, 8, 1, nullptr};
  copy.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.memcpy.copyParams.srcDevice = data;
  copy.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_HOST, copy.memcpy.copyParams.dstHost = host;
  copy.memcpy.copyParams.WidthInBytes = sizeof host, copy.memcpy.copyParams.Height = copy.memcpy.copyParams.Depth = 1;
  call.host.fn = count, call.host.userData = &calls;
  value = 4;
  CUgraphNodeParams kernel = launchOf(add), empty = node(CU_GRAPH_NODE_TYPE_EMPTY);
  CUgraph graph;
  CHECK_CU(cuGraphCreate, &graph, 0);
  CUgraphNodeParams* const row[] = {&fill, &kernel, &copy, &call, &empty};
  CUgraphNode nodes[5];
  for (int i = 0; i < 5; ++i)
    CHECK_CU(cuGraphAddNode, &nodes[i], graph, i ? &nodes[i - 1] : nullptr, nullptr, size_t(i > 0), row[i]);
  CUgraphExec executable;
  CHECK_CU(cuGraphInstantiate, &executable, graph, 0);
  launch(executable);
  CHECK_TRUE(host[0] == 104 && host[7] == 104 && calls == 1);
  value = 9; // taken when the parameters are set
  CHECK_CU(cuGraphExecNodeSetParams, executable, nodes[1], &kernel);
  launch(executable);
  CHECK_TRUE(host[0] == 109 && host[7] == 109 && calls == 2);
  CHECK_CU(cuGraphExecDestroy, executable);
  value = 7;
  CHECK_CU(cuGraphNodeSetParams, nodes[1], &kernel);
  CHECK_CU(cuGraphInstantiate, &executable, graph, 0);
  launch(executable);
  CHECK_TRUE(host[0] == 107 && host[7] == 107);
  copy.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  CHECK_IS(DRIVER(cuGraphAddNode)(&nodes[0], graph, nullptr, nullptr, 0, &copy), CUDA_ERROR_NOT_SUPPORTED);
  CHECK_IS(DRIVER(cuGraphAddNode)(&nodes[0], graph, nullptr, nullptr, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cuGraphExecDestroy, executable);
  CHECK_CU(cuGraphDestroy, graph);
}

/// The body for 1 and the one for 0.
static void checkCondition(CUkernel add, unsigned initial, int expected) {
  CUgraph graph;
  CUgraphNode made;
  CUgraphNodeParams branch = node(CU_GRAPH_NODE_TYPE_CONDITIONAL);
  CHECK_CU(cuGraphCreate, &graph, 0);
  CHECK_CU(cuGraphConditionalHandleCreate, &branch.conditional.handle, graph, nullptr, initial, CU_GRAPH_COND_ASSIGN_DEFAULT);
  branch.conditional.type = CU_GRAPH_COND_TYPE_IF;
  branch.conditional.size = 2;
  CHECK_CU(cuGraphAddNode, &made, graph, nullptr, nullptr, 0, &branch);
  for (int i = 0; i < 2; ++i) {
    value = i ? -1 : 5;
    CUgraphNodeParams kernel = launchOf(add);
    CHECK_CU(cuGraphAddNode, &made, branch.conditional.phGraph_out[i], nullptr, nullptr, 0, &kernel);
  }
  CUgraphExec executable;
  CHECK_CU(cuGraphInstantiate, &executable, graph, 0);
  CHECK_CU(cuMemsetD32, data, 0, 8);
  CHECK_CU(cuCtxSynchronize); // the stream does not wait for stream 0
  launch(executable);
  int host[8];
  CHECK_CU(cuMemcpyDtoH, host, data, sizeof host);
  CHECK_IS(host[7], expected);
  CHECK_CU(cuGraphExecDestroy, executable);
  CHECK_CU(cuGraphDestroy, graph);
}

int main(int, char** arguments) {
  data = openFirstDevice(8 * sizeof(int));
  CHECK_CU(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  CUlibrary library;
  CUkernel add;
  CHECK_CU(cuLibraryLoadFromFile, &library, arguments[1], nullptr, nullptr, 0, nullptr, nullptr, 0);
  CHECK_CU(cuLibraryGetKernel, &add, library, "add");
  checkInARow(add);
  checkCondition(add, 1, 5);
  checkCondition(add, 0, -1);
}
#endif
