// A captured sequence over two streams runs nothing while captured, and every time it is launched.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

__global__ void multiplyAdd(unsigned* value, unsigned factor, unsigned more) {
  *value = *value * factor + more;
}

int main() {
  cudaStream_t stream, side;
  cudaEvent_t fork, join;
  unsigned *value, *other, *host;
  CHECK_OK(cudaStreamCreate(&stream));
  CHECK_OK(cudaStreamCreate(&side));
  CHECK_OK(cudaEventCreate(&fork));
  CHECK_OK(cudaEventCreate(&join));
  CHECK_OK(cudaMalloc(&value, sizeof *value));
  CHECK_OK(cudaMallocManaged(&other, sizeof *other));
  CHECK_OK(cudaMallocHost(&host, sizeof *host));
  *other = 1;

  CHECK_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK_OK(cudaMemsetAsync(value, 0, sizeof *value, stream));
  multiplyAdd<<<1, 1, 0, stream>>>(value, 2, 5);
  CHECK_OK(cudaEventRecord(fork, stream));
  CHECK_OK(cudaStreamWaitEvent(side, fork, 0));
  cudaStreamCaptureStatus status;
  CHECK_OK(cudaStreamIsCapturing(side, &status));
  CHECK_IS(status, cudaStreamCaptureStatusActive);
  multiplyAdd<<<1, 1, 0, side>>>(other, 3, 1);
  CHECK_OK(cudaEventRecord(join, side));
  multiplyAdd<<<1, 1, 0, stream>>>(value, 2, 5);
  CHECK_OK(cudaStreamWaitEvent(stream, join, 0));
  CHECK_OK(cudaMemcpyAsync(host, value, sizeof *value, cudaMemcpyDeviceToHost, stream));
  cudaGraph_t graph;
  CHECK_OK(cudaStreamEndCapture(stream, &graph));
  CHECK_IS(*other, 1u);

  size_t nodes = 0;
  CHECK_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK_IS(nodes, 5u);
  cudaGraphExec_t executable;
  CHECK_OK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK_OK(cudaGraphDestroy(graph));
  for (int i = 0; i < 3; ++i)
    CHECK_OK(cudaGraphLaunch(executable, stream));
  CHECK_OK(cudaStreamSynchronize(stream));
  CHECK_IS(*host, 15u);
  CHECK_IS(*other, 40u); // 1, 4, 13, 40: once a launch
  CHECK_OK(cudaGraphExecDestroy(executable));
}
