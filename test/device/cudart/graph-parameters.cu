// Graph nodes of the generic form, allocations, user objects, and nodes that say what they do.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.dot
// RUN: FileCheck %s < %t.dot
// CHECK: n0 [label="0 memory"]
// CHECK: n1 [label="1 memset"]
// CHECK: n2 [label="2 kernel"]
// CHECK: n1 -> n2
#include "Inputs/Check.h"

__device__ int bias;
__global__ void add(int* values, int amount) {
  values[threadIdx.x] += amount + bias;
}

static int released = 0;
static void release(void* counter) {
  ++*static_cast<int*>(counter);
}

static void checkKernelParameters(cudaGraphNode_t node, int* values) {
  cudaKernelNodeParams back;
  CHECK_OK(cudaGraphKernelNodeGetParams(node, &back));
  CHECK_TRUE(back.func == (void*)add);
  CHECK_IS(back.blockDim.x, 32u);
  CHECK_TRUE(*static_cast<int**>(back.kernelParams[0]) == values);
  CHECK_IS(*static_cast<int*>(back.kernelParams[1]), 5);
}

int main(int, char** arguments) {
  cudaGraph_t graph;
  cudaGraphNode_t allocation, fill, kernel, copy, symbol, end;
  CHECK_OK(cudaGraphCreate(&graph, 0));
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeMemAlloc;
  node.alloc.bytesize = 32 * sizeof(int);
  node.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  node.alloc.poolProps.location = {cudaMemLocationTypeDevice, {0}};
  CHECK_OK(cudaGraphAddNode(&allocation, graph, nullptr, nullptr, 0, &node));
  int* values = static_cast<int*>(node.alloc.dptr);

  node = {};
  node.type = cudaGraphNodeTypeMemset;
  node.memset = {values, 0, 3, 4, 32, 1};
  CHECK_OK(cudaGraphAddNode(&fill, graph, &allocation, nullptr, 1, &node));
  int amount = 5, host[32], one = 1;
  void* parameters[] = {&values, &amount};
  node = {};
  node.type = cudaGraphNodeTypeKernel;
  node.kernel.func = (void*)add;
  node.kernel.gridDim = 1;
  node.kernel.blockDim = 32;
  node.kernel.kernelParams = parameters;
  CHECK_OK(cudaGraphAddNode(&kernel, graph, &fill, nullptr, 1, &node));
  CHECK_OK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, values, sizeof host,
                                    cudaMemcpyDeviceToHost));
  CHECK_OK(cudaGraphAddMemcpyNodeToSymbol(&symbol, graph, &copy, 1, bias, &one, sizeof one, 0,
                                          cudaMemcpyHostToDevice));
  CHECK_OK(cudaGraphAddMemFreeNode(&end, graph, &copy, 1, values));
  checkKernelParameters(kernel, values);
  cudaMemsetParams memset;
  CHECK_OK(cudaGraphMemsetNodeGetParams(fill, &memset));
  CHECK_IS(memset.value, 3u);
  CHECK_IS(cudaGraphMemsetNodeGetParams(kernel, &memset), cudaErrorInvalidValue);
  CHECK_OK(cudaGraphDebugDotPrint(graph, arguments[1], 0));

  cudaUserObject_t object;
  CHECK_OK(cudaUserObjectCreate(&object, &released, release, 1, cudaUserObjectNoDestructorSync));
  CHECK_OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  cudaGraphExec_t executable;
  CHECK_OK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK_OK(cudaGraphDestroy(graph));
  for (int round = 0; round < 3; ++round) { // the same memory each time
    CHECK_OK(cudaGraphLaunch(executable, nullptr));
    CHECK_OK(cudaDeviceSynchronize());
    for (int value : host)
      CHECK_IS(value, 8 + (round > 0));
    CHECK_OK(round ? cudaFreeAsync(values, nullptr) : cudaFree(values)); // the graph's own to keep
  }
  CHECK_IS(released, 0);
  CHECK_OK(cudaGraphExecDestroy(executable));
  CHECK_IS(released, 1);
}
