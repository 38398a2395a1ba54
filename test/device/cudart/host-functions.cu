// Host functions and callbacks run in stream order, on a thread that is not the caller's.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

#include <thread>

struct Record {
  int* value;
  int seen = -1;
  std::thread::id thread;
};

__global__ void set(int* value, int to) { *value = to; }

static void look(void* data) {
  Record* record = static_cast<Record*>(data);
  record->seen = *record->value;
  record->thread = std::this_thread::get_id();
}

static void called(cudaStream_t, cudaError_t status, void* data) {
  CHECK_OK(status);
  look(data);
}

int main() {
  int* value;
  CHECK_OK(cudaMallocManaged(&value, sizeof(int)));
  cudaStream_t stream;
  CHECK_OK(cudaStreamCreate(&stream));
  Record first{value}, second{value};
  set<<<1, 1, 0, stream>>>(value, 1);
  CHECK_OK(cudaLaunchHostFunc(stream, look, &first));
  set<<<1, 1, 0, stream>>>(value, 2);
  CHECK_OK(cudaStreamAddCallback(stream, called, &second, 0));
  set<<<1, 1, 0, stream>>>(value, 3);
  CHECK_OK(cudaStreamSynchronize(stream));
  CHECK_IS(first.seen, 1);
  CHECK_IS(second.seen, 2);
  CHECK_IS(*value, 3);
  CHECK_TRUE(first.thread != std::this_thread::get_id());
}
