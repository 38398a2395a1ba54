// Graphs of the driver API: made by hand and by capture, changed, launched again.
// RUN: %nvcc -arch=sm_90 -ptx -DDEVICE %s -o %t.ptx
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.ptx
#ifdef DEVICE
extern "C" __global__ void add(int* data, int value) { data[threadIdx.x] += value; }
#else
#include "Inputs/Driver.h"

static CUDA_KERNEL_NODE_PARAMS kernelNode(CUfunction add, void** arguments) {
  CUDA_KERNEL_NODE_PARAMS kernel = {};
  kernel.func = add;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = 8, kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = arguments;
  return kernel;
}

static CUDA_MEMCPY3D copyOut(int* host, CUdeviceptr data) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = data;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = host;
  copy.WidthInBytes = 8 * sizeof(int), copy.Height = copy.Depth = 1;
  return copy;
}

static void CUDA_CB count(void* calls) { ++*static_cast<int*>(calls); }

static void checkByHand(CUfunction add, CUdeviceptr data, CUstream stream) {
  int value = 4, host[8], calls = 0;
  void* arguments[] = {&data, &value};
  CUDA_KERNEL_NODE_PARAMS kernel = kernelNode(add, arguments);
  CUDA_MEMSET_NODE_PARAMS fill = {data, 0, 100, 4, 8, 1};
  CUDA_MEMCPY3D copy = copyOut(host, data);
  CUDA_HOST_NODE_PARAMS call = {count, &calls};
  CUgraph graph;
  CUgraphNode nodes[4];
  CHECK_CU(cuGraphCreate, &graph, 0);
  CHECK_CU(cuGraphAddMemsetNode, &nodes[0], graph, nullptr, 0, &fill, nullptr);
  CHECK_CU(cuGraphAddKernelNode, &nodes[1], graph, &nodes[0], 1, &kernel);
  CHECK_CU(cuGraphAddMemcpyNode, &nodes[2], graph, &nodes[1], 1, &copy, nullptr);
  CHECK_CU(cuGraphAddHostNode, &nodes[3], graph, &nodes[2], 1, &call);
  CUgraphNodeType type;
  CHECK_CU(cuGraphNodeGetType, nodes[3], &type);
  CHECK_IS(type, CU_GRAPH_NODE_TYPE_HOST);
  CUDA_KERNEL_NODE_PARAMS known;
  CHECK_CU(cuGraphKernelNodeGetParams, nodes[1], &known);
  CHECK_TRUE(known.blockDimX == 8 && known.func == add);
  CUgraphExec executable;
  CHECK_CU(cuGraphInstantiate, &executable, graph, 0);
  CHECK_CU(cuGraphLaunch, executable, stream);
  CHECK_CU(cuStreamSynchronize, stream);
  for (int seen : host)
    CHECK_IS(seen, 104);
  value = 9; // taken when the parameters are set
  CHECK_CU(cuGraphExecKernelNodeSetParams, executable, nodes[1], &kernel);
  fill.value = 200;
  CHECK_CU(cuGraphExecMemsetNodeSetParams, executable, nodes[0], &fill, nullptr);
  CHECK_CU(cuGraphLaunch, executable, stream);
  CHECK_CU(cuStreamSynchronize, stream);
  CHECK_TRUE(host[0] == 209 && host[7] == 209 && calls == 2);
  CHECK_CU(cuGraphExecDestroy, executable);
  CHECK_CU(cuGraphDestroy, graph);
}

static void checkCapture(CUfunction add, CUdeviceptr data, CUstream stream) {
  int value = 1, host[8];
  void* arguments[] = {&data, &value};
  CUstreamCaptureStatus status;
  CUgraph graph;
  CHECK_CU(cuMemsetD32, data, 0, 8);
  CHECK_CU(cuCtxSynchronize); // the stream does not wait for stream 0
  CHECK_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  CHECK_CU(cuStreamIsCapturing, stream, &status);
  CHECK_IS(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK_CU(cuLaunchKernel, add, 1, 1, 1, 8, 1, 1, 0, stream, arguments, nullptr);
  CHECK_CU(cuLaunchKernel, add, 1, 1, 1, 8, 1, 1, 0, stream, arguments, nullptr);
  CHECK_CU(cuStreamEndCapture, stream, &graph);
  size_t nodes = 0;
  CHECK_CU(cuGraphGetNodes, graph, nullptr, &nodes);
  CHECK_IS(nodes, size_t(2));
  CUgraphExec executable;
  CHECK_CU(cuGraphInstantiate, &executable, graph, 0);
  for (int i = 0; i < 3; ++i)
    CHECK_CU(cuGraphLaunch, executable, stream);
  CHECK_CU(cuStreamSynchronize, stream);
  CHECK_CU(cuMemcpyDtoH, host, data, sizeof host);
  CHECK_TRUE(host[0] == 6 && host[7] == 6);
}

int main(int, char** arguments) {
  CUcontext context;
  CUmodule module;
  CUfunction add;
  CUdeviceptr data;
  CUstream stream;
  CHECK_CU(cuInit, 0);
  CHECK_CU(cuCtxCreate, &context, nullptr, 0, 0);
  CHECK_CU(cuModuleLoad, &module, arguments[1]);
  CHECK_CU(cuModuleGetFunction, &add, module, "add");
  CHECK_CU(cuMemAlloc, &data, 8 * sizeof(int));
  CHECK_CU(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  checkByHand(add, data, stream);
  checkCapture(add, data, stream);
}
#endif
