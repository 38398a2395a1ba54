// Events, host functions, callbacks, blocking and non-blocking streams and graphs give the order and
// the results of the native program; a launch inside a capture stays native.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --expect=some
// RUN: %gpusched run --device=cpu -- %t/native > %t/reference
// RUN: %gpusched run --device=cpu --policy=serial --variant=persistent -- %t/gpusched | diff %t/reference -
// RUN: %gpusched run --device=cpu --policy=kscheduler --variant=persistent --blocks-per-sm=1 -- %t/gpusched | diff %t/reference -
#include "Inputs/Expect.h"

#include <atomic>
#include <thread>

__global__ void append(long* value, long digit) {
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    *value = *value * 10 + digit;
}

static std::atomic<int> turn{0};
static void CUDART_CB takeTurn(void* expected) {
  int before = turn.fetch_add(1);
  if (before != int(reinterpret_cast<intptr_t>(expected)))
    std::printf("host function %d came as number %d\n", int(reinterpret_cast<intptr_t>(expected)),
                before);
}
static void CUDART_CB callback(cudaStream_t, cudaError_t status, void* expected) {
  must(status, "callback");
  takeTurn(expected);
}
static void* number(intptr_t value) { return reinterpret_cast<void*>(value); }

static cudaStream_t makeStream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream;
  must(cudaStreamCreateWithFlags(&stream, flags), "stream");
  return stream;
}

static void events(long* value) {
  cudaStream_t a = makeStream(), b = makeStream();
  cudaEvent_t reached, returned;
  must(cudaEventCreate(&reached), "event");
  must(cudaEventCreateWithFlags(&returned, cudaEventDisableTiming), "event");
  append<<<40, 32, 0, a>>>(value, 1);
  must(cudaEventRecord(reached, a), "record");
  must(cudaStreamWaitEvent(b, reached, 0), "wait");
  append<<<40, 32, 0, b>>>(value, 2);
  must(cudaEventRecord(returned, b), "record");
  must(cudaStreamWaitEvent(a, returned, 0), "wait");
  append<<<40, 32, 0, a>>>(value, 3);
  must(cudaEventRecord(reached, a), "record");
  must(cudaEventSynchronize(reached), "synchronize");
  must(cudaEventQuery(reached), "query");
  float milliseconds = -1;
  cudaEvent_t first;
  must(cudaEventCreate(&first), "event");
  must(cudaEventRecord(first, a), "record");
  append<<<40, 32, 0, a>>>(value, 4);
  must(cudaEventRecord(reached, a), "record");
  must(cudaEventSynchronize(reached), "synchronize");
  must(cudaEventElapsedTime(&milliseconds, first, reached), "elapsed");
  std::printf("elapsed is a time: %d\n", milliseconds >= 0);
}

static void hostFunctions(long* value) {
  cudaStream_t a = makeStream();
  for (long round = 0; round < 6; round += 2) {
    append<<<40, 32, 0, a>>>(value, 5);
    must(cudaLaunchHostFunc(a, takeTurn, number(round)), "host function");
    append<<<40, 32, 0, a>>>(value, 6);
    must(cudaStreamAddCallback(a, callback, number(round + 1), 0), "callback");
  }
  must(cudaStreamSynchronize(a), "synchronize");
  std::printf("turns taken: %d\n", turn.load());
}

static void defaultStream(long* value) {
  cudaStream_t blocking = makeStream(cudaStreamDefault);
  append<<<40, 32, 0, blocking>>>(value, 7);
  append<<<40, 32>>>(value, 8);
  append<<<40, 32, 0, blocking>>>(value, 9);
  append<<<40, 32, 0, cudaStreamLegacy>>>(value, 1);
  must(cudaStreamSynchronize(cudaStreamLegacy), "synchronize");
}

static void graphs(long* value) {
  cudaStream_t a = makeStream(), b = makeStream();
  cudaEvent_t fork;
  must(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming), "event");
  must(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal), "begin");
  append<<<40, 32, 0, a>>>(value, 2);
  std::thread([value] { // a stranger's launches, while a capture runs
    cudaStream_t own = makeStream();
    append<<<40, 32, 0, own>>>(value + 1, 3);
    append<<<40, 32, 0, own>>>(value + 1, 4);
  }).join();
  must(cudaEventRecord(fork, a), "record");
  must(cudaStreamWaitEvent(b, fork, 0), "wait");
  append<<<40, 32, 0, b>>>(value, 3);
  must(cudaEventRecord(fork, b), "record");
  must(cudaStreamWaitEvent(a, fork, 0), "join");
  cudaGraph_t graph;
  must(cudaStreamEndCapture(a, &graph), "end");
  cudaGraphExec_t executable;
  must(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
  append<<<40, 32, 0, a>>>(value, 1);
  must(cudaGraphLaunch(executable, a), "graph");
  must(cudaGraphLaunch(executable, a), "graph");
  append<<<40, 32, 0, a>>>(value, 4);
  must(cudaStreamSynchronize(a), "synchronize");
}

int main() {
  long* value = deviceArray<long>(4 * 2);
  must(cudaDeviceSynchronize(), "setup");
  events(value);
  hostFunctions(value + 2);
  defaultStream(value + 4);
  graphs(value + 6);
  const long results[] = {1234, 0, 565656, 0, 7891, 0, 123234, 34};
  expect<long>("order", value, 8, [&](std::size_t index) { return results[index]; });
}
