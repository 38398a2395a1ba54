// What no graph can hold makes a capture invalid: waiting for the captured stream, and calls like cudaMalloc, where the
// modes of the capture and of the calling thread forbid them.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

#include <thread>

/// cudaMemcpy where the default stream is the thread's.
extern "C" cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);

static cudaStream_t stream;

/// What the end of a capture returns during which `call` is made, by this thread or another one.
template <class Call> cudaError_t during(cudaStreamCaptureMode mode, bool elsewhere, const Call& call) {
  CHECK_OK(cudaStreamBeginCapture(stream, mode));
  elsewhere ? std::thread(call).join() : call();
  cudaStreamCaptureStatus status;
  CHECK_OK(cudaStreamIsCapturing(stream, &status));
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  CHECK_IS(status, ended == cudaSuccess ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated);
  CHECK_IS(graph != nullptr, ended == cudaSuccess);
  if (graph)
    CHECK_OK(cudaGraphDestroy(graph));
  CHECK_OK(cudaStreamIsCapturing(stream, &status));
  CHECK_IS(status, cudaStreamCaptureStatusNone);
  cudaGetLastError();
  return ended;
}

/// Takes memory, in a thread with that mode.
template <cudaStreamCaptureMode kMode, cudaError_t kExpected> void allocate() {
  cudaStreamCaptureMode mode = kMode;
  CHECK_OK(cudaThreadExchangeStreamCaptureMode(&mode));
  void* memory = nullptr;
  CHECK_IS(cudaMalloc(&memory, 4), kExpected);
  CHECK_OK(cudaThreadExchangeStreamCaptureMode(&mode));
}

template <cudaError_t kExpected> void query() {
  static cudaEvent_t event;
  CHECK_OK(cudaEventCreate(&event));
  CHECK_IS(cudaEventQuery(event), kExpected);
}

int main() {
  constexpr cudaStreamCaptureMode kGlobal = cudaStreamCaptureModeGlobal, kThread = cudaStreamCaptureModeThreadLocal,
                                  kRelaxed = cudaStreamCaptureModeRelaxed;
  constexpr cudaError_t kNo = cudaErrorStreamCaptureUnsupported, kInvalid = cudaErrorStreamCaptureInvalidated;
  CHECK_OK(cudaStreamCreate(&stream));
  // Of this thread, the capture's own mode and the thread's count.
  CHECK_IS(during(kGlobal, false, allocate<kGlobal, kNo>), kInvalid);
  CHECK_IS(during(kThread, false, allocate<kThread, kNo>), kInvalid);
  CHECK_OK(during(kRelaxed, false, allocate<kGlobal, cudaSuccess>));
  CHECK_OK(during(kGlobal, false, allocate<kRelaxed, cudaSuccess>));
  // Of another one both must be global.
  CHECK_IS(during(kGlobal, true, allocate<kGlobal, kNo>), kInvalid);
  CHECK_OK(during(kGlobal, true, allocate<kThread, cudaSuccess>));
  CHECK_OK(during(kThread, true, allocate<kGlobal, cudaSuccess>));
  CHECK_OK(during(kGlobal, true, allocate<kRelaxed, cudaSuccess>));

  CHECK_IS(during(kGlobal, true, query<kNo>), kInvalid);
  CHECK_OK(during(kThread, true, query<cudaSuccess>));
  // Each by itself.
  void* memory = nullptr;
  size_t pitch;
  CHECK_IS(during(kThread, false, [&] { CHECK_IS(cudaMallocManaged(&memory, 4), kNo); }), kInvalid);
  CHECK_IS(during(kThread, false, [&] { CHECK_IS(cudaMallocPitch(&memory, &pitch, 4, 4), kNo); }), kInvalid);
  CHECK_IS(during(kThread, false, [&] { CHECK_IS(cudaMallocHost(&memory, 4), kNo); }), kInvalid);
  CHECK_IS(during(kThread, false, [&] { CHECK_IS(cudaFree(memory), kNo); }), kInvalid);
  CHECK_IS(during(kThread, false, [&] { CHECK_IS(cudaFreeHost(memory), kNo); }), kInvalid);

  // Whatever the mode: what waits for the stream, and what comes from outside.
  CHECK_IS(during(kRelaxed, true, [] { CHECK_IS(cudaStreamSynchronize(stream), kNo); }), kInvalid);
  CHECK_IS(during(kRelaxed, true, [] { CHECK_IS(cudaStreamQuery(stream), kNo); }), kInvalid);
  cudaGraph_t graph;
  int word = 0;
  CHECK_OK(cudaMalloc(&memory, sizeof word));
  CHECK_OK(cudaStreamBeginCapture(cudaStreamPerThread, kRelaxed));
  CHECK_IS(cudaMemcpy_ptds(memory, &word, sizeof word, cudaMemcpyHostToDevice), kNo);
  CHECK_IS(cudaStreamEndCapture(cudaStreamPerThread, &graph), kInvalid);
  cudaStream_t other;
  cudaEvent_t before;
  CHECK_OK(cudaStreamCreate(&other));
  CHECK_OK(cudaEventCreate(&before));
  CHECK_OK(cudaEventRecord(before, other));
  CHECK_IS(during(kRelaxed, false, [&] { CHECK_IS(cudaStreamWaitEvent(stream, before, 0), cudaErrorStreamCaptureIsolation); }),
           kInvalid);
  CHECK_OK(cudaStreamBeginCapture(other, kRelaxed));
  CHECK_OK(cudaEventRecord(before, other));
  CHECK_IS(during(kRelaxed, false, [&] { CHECK_IS(cudaStreamWaitEvent(stream, before, 0), cudaErrorStreamCaptureMerge); }), kInvalid);
  CHECK_IS(cudaStreamEndCapture(other, &graph), kInvalid);

  // Only who has begun may end it, unless it is relaxed.
  CHECK_OK(during(kThread, true, [] {
    cudaGraph_t graph;
    CHECK_IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureWrongThread);
  }));
}
