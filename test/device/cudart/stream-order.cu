// Operations of one stream run in order, copies and kernels alike; events order streams.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

__global__ void multiplyAdd(unsigned* value, unsigned factor, unsigned more) {
  *value = *value * factor + more;
}

int main() {
  cudaStream_t first, second;
  cudaEvent_t event;
  CHECK_OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK_OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  unsigned *device, *host;
  CHECK_OK(cudaMalloc(&device, sizeof *device));
  CHECK_OK(cudaMallocHost(&host, 101 * sizeof *host));
  CHECK_OK(cudaMemsetAsync(device, 0, sizeof *device, first));
  unsigned expected = 0;
  for (unsigned i = 0; i < 100; ++i) {
    // Each step in the other stream: a lost edge changes the result.
    cudaStream_t stream = i % 2 ? first : second, other = i % 2 ? second : first;
    CHECK_OK(cudaEventRecord(event, other));
    CHECK_OK(cudaStreamWaitEvent(stream, event, 0));
    multiplyAdd<<<1, 1, 0, stream>>>(device, 3, i);
    CHECK_OK(cudaMemcpyAsync(host + i, device, sizeof *device, cudaMemcpyDeviceToHost, stream));
  }
  CHECK_OK(cudaStreamSynchronize(first));
  CHECK_OK(cudaStreamSynchronize(second));
  for (unsigned i = 0; i < 100; ++i) {
    expected = expected * 3 + i;
    CHECK_IS(host[i], expected);
  }
  CHECK_OK(cudaStreamDestroy(first));
  CHECK_IS(cudaStreamSynchronize(first), cudaErrorInvalidResourceHandle);
}
