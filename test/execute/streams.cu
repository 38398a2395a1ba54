// Eight streams, kernels in order within each and unordered between them; an event makes the last
// one wait for all.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void step(int* values, int factor) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  values[index] = values[index] * factor + 1;
}

__global__ void gather(int* const* parts, int* out, int count) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  for (int part = 0; part < count; ++part)
    out[index] += parts[part][index];
}

int main() {
  constexpr int streams = 8, count = 30 * 64;
  cudaStream_t stream[streams];
  std::vector<int*> parts;
  for (int part = 0; part < streams; ++part) {
    parts.push_back(deviceArray<int>(count));
    must(cudaStreamCreateWithFlags(&stream[part], cudaStreamNonBlocking), "stream");
  }
  int** deviceParts = deviceCopy(parts);
  int* out = deviceArray<int>(count);
  must(cudaDeviceSynchronize(), "setup");
  for (int round = 0; round < 5; ++round)
    for (int part = 0; part < streams; ++part)
      step<<<30, 64, 0, stream[part]>>>(parts[part], part + 1);
  for (int part = 1; part < streams; ++part) {
    cudaEvent_t event;
    must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
    must(cudaEventRecord(event, stream[part]), "record");
    must(cudaStreamWaitEvent(stream[0], event, 0), "wait");
  }
  gather<<<30, 64, 0, stream[0]>>>(deviceParts, out, streams);
  expect<int>("gather", out, count, [](std::size_t) {
    int sum = 0;
    for (int part = 0; part < streams; ++part) {
      int value = 0;
      for (int round = 0; round < 5; ++round)
        value = value * (part + 1) + 1;
      sum += value;
    }
    return sum;
  });
}
