// Streams that share a queue to the device, as GPUSCHED_CONNECTIONS says, hold each other back: what waits at its head does not
// let pass what is behind, and whoever fills it is held, too. Otherwise none does.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: env GPUSCHED_CONNECTIONS=2:3 %gpusched run --device=cpu -- %t shared
// RUN: %gpusched run --device=cpu -- %t
// RUN: env GPUSCHED_CONNECTIONS=2:0 %gpusched run --device=cpu -- %t 2>&1 | FileCheck %s
// CHECK: gpusched: warning: GPUSCHED_CONNECTIONS: '2:0' is neither COUNT nor COUNT:DEPTH, each at least 1; ignored
#include "Inputs/Driver.h"

#include <atomic>
#include <thread>

__global__ void raise(int* value) { ++*value; }

static int *word, *passed;
static cudaStream_t a, b, c; // a and c share a queue where there are two
static cudaEvent_t event;

static void awaitWord(cudaStream_t stream, unsigned value) {
  CHECK_CU(cuStreamWaitValue32, stream, CUdeviceptr(word), value, CU_STREAM_WAIT_VALUE_GEQ);
}

static void open(int value) { __atomic_store_n(word, value, __ATOMIC_SEQ_CST); }

/// Does a kernel of c begin while a waits?
static void meets(bool held, int value) {
  const int before = *passed;
  raise<<<1, 1, 0, c>>>(passed);
  CHECK_OK(cudaGetLastError());
  if (held)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  else
    CHECK_OK(cudaStreamSynchronize(c));
  CHECK_IS(*passed - before, held ? 0 : 1);
  open(value);
  CHECK_OK(cudaDeviceSynchronize());
  CHECK_IS(*passed - before, 1);
}

/// With two more behind the value that a waits for the queue is full.
static void fills(bool held, int value) {
  std::atomic<bool> opened{false};
  awaitWord(a, value);
  for (int i = 0; i < 2; ++i)
    raise<<<1, 1, 0, c>>>(passed);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(held ? 50 : 1000));
    opened = true;
    open(value);
  });
  raise<<<1, 1, 0, c>>>(passed);
  CHECK_IS(opened.load(), held);
  opener.join();
  CHECK_OK(cudaDeviceSynchronize());
}

int main(int count, char**) {
  const bool shared = count > 1;
  CHECK_OK(cudaMallocManaged(&word, sizeof(int)));
  CHECK_OK(cudaMallocManaged(&passed, sizeof(int)));
  *word = *passed = 0;
  for (cudaStream_t* stream : {&a, &b, &c})
    CHECK_OK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  CHECK_OK(cudaEventCreate(&event));

  awaitWord(b, 1);
  meets(false, 1);
  awaitWord(a, 2);
  meets(shared, 2);
  awaitWord(b, 3); // so does an event that a waits for
  CHECK_OK(cudaEventRecord(event, b));
  CHECK_OK(cudaStreamWaitEvent(a, event, 0));
  meets(shared, 3);
  fills(shared, 4);
}
