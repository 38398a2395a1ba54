// Host functions run in stream order; an event is not ready before what it follows; a stream can
// be asked whether it is done.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

#include <atomic>

__global__ void waitForGate(volatile int* open, int* out) {
  while (!*open) {
  }
  *out = 5;
}

int main() {
  cudaStream_t stream;
  cudaEvent_t event;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  must(cudaEventCreate(&event), "event");
  int* open = nullptr;
  must(cudaHostAlloc(reinterpret_cast<void**>(&open), sizeof(int), cudaHostAllocMapped), "mapped");
  *open = 0;
  int *deviceOpen = nullptr, *out = deviceArray<int>(1);
  must(cudaHostGetDevicePointer(reinterpret_cast<void**>(&deviceOpen), open, 0), "pointer");
  must(cudaDeviceSynchronize(), "setup");
  std::atomic<int> calls{0};
  waitForGate<<<1, 1, 0, stream>>>(deviceOpen, out);
  must(cudaLaunchHostFunc(stream, [](void* data) { ++*static_cast<std::atomic<int>*>(data); },
                          &calls),
       "host function");
  must(cudaEventRecord(event, stream), "record");
  const cudaError_t eventBefore = cudaEventQuery(event), streamBefore = cudaStreamQuery(stream);
  const int callsBefore = calls;
  *static_cast<volatile int*>(open) = 1;
  must(cudaEventSynchronize(event), "event");
  const int callsAfter = calls;
  const cudaError_t streamAfter = cudaStreamQuery(stream);
  std::printf("%s %s %d, %d %s\n", cudaGetErrorName(eventBefore), cudaGetErrorName(streamBefore),
              callsBefore, callsAfter, cudaGetErrorName(streamAfter));
  return eventBefore == cudaErrorNotReady && streamBefore == cudaErrorNotReady &&
                 callsBefore == 0 && callsAfter == 1 && streamAfter == cudaSuccess
             ? 0
             : 1;
}
