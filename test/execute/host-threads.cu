// Four host threads launch at the same time, each on its own stream.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

#include <thread>

__global__ void accumulate(int* values, int amount) {
  values[blockIdx.x * blockDim.x + threadIdx.x] += amount;
}

int main() {
  std::vector<int*> values;
  for (int worker = 0; worker < 4; ++worker)
    values.push_back(deviceArray<int>(16 * 32));
  must(cudaDeviceSynchronize(), "setup");
  std::vector<std::thread> threads;
  for (int worker = 0; worker < 4; ++worker)
    threads.emplace_back([&values, worker] {
      cudaStream_t stream;
      must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
      for (int round = 0; round < 50; ++round)
        accumulate<<<16, 32, 0, stream>>>(values[worker], worker + round);
      must(cudaStreamSynchronize(stream), "synchronize");
    });
  for (std::thread& thread : threads)
    thread.join();
  for (int worker = 0; worker < 4; ++worker)
    expect<int>("worker", values[worker], 16 * 32,
                [=](std::size_t) { return 50 * worker + 49 * 50 / 2; });
}
