// A graph made of explicit nodes obeys its edges; parameters of an executable graph can change.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

__global__ void multiplyAdd(unsigned* value, unsigned factor, unsigned more) {
  *value = *value * factor + more;
}

static void see(void* data) { ++*static_cast<int*>(data); }

int main() {
  unsigned* value;
  int seen = 0;
  CHECK_OK(cudaMallocManaged(&value, sizeof *value));
  cudaGraph_t graph;
  CHECK_OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t second, first, fill, host;

  unsigned factor = 10, more = 3;
  void* arguments[] = {&value, &factor, &more};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)multiplyAdd;
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  CHECK_OK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &kernel));
  more = 2; // arguments were copied
  CHECK_OK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
  CHECK_OK(cudaGraphAddDependencies(graph, &first, &second, nullptr, 1));
  cudaMemsetParams zero = {};
  zero.dst = value;
  zero.elementSize = 4;
  zero.width = zero.height = 1;
  zero.value = 1;
  CHECK_OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
  CHECK_OK(cudaGraphAddDependencies(graph, &fill, &first, nullptr, 1));
  cudaHostNodeParams call = {see, &seen};
  CHECK_OK(cudaGraphAddHostNode(&host, graph, &second, 1, &call));

  cudaGraphExec_t executable;
  CHECK_OK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK_OK(cudaGraphLaunch(executable, 0));
  CHECK_OK(cudaDeviceSynchronize());
  CHECK_IS(*value, 123u);
  CHECK_IS(seen, 1);

  more = 7;
  CHECK_OK(cudaGraphExecKernelNodeSetParams(executable, second, &kernel));
  CHECK_OK(cudaGraphLaunch(executable, 0));
  CHECK_OK(cudaDeviceSynchronize());
  CHECK_IS(*value, 127u);

  CHECK_OK(cudaGraphAddDependencies(graph, &host, &fill, nullptr, 1));
  CHECK_IS(cudaGraphInstantiate(&executable, graph, 0), cudaErrorInvalidValue); // a cycle
}
