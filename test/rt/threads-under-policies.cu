// Four host threads launch, copy, allocate, capture and call back at the same time, on two streams
// each: under every policy each thread reads what it wrote.
//
// RUN: %gpusched-cc --gpusched-telemetry -arch=sm_90 -std=c++17 %s -o %t
// RUN: %gpusched run --device=cpu --policy=even -- %t | FileCheck %s
// RUN: %gpusched run --device=cpu --policy=fifo --blocks-per-sm=1 -- %t | FileCheck %s
// RUN: env GPUSCHED_PREEMPT=2 GPUSCHED_TELEMETRY=1 GPUSCHED_TELEMETRY_OUTPUT=%t.telemetry \
// RUN:   GPUSCHED_TRACE_TIMES=1 GPUSCHED_PAIRS=%t.pairs \
// RUN:   %gpusched run --device=cpu --policy=bottleneck --blocks-per-sm=2 \
// RUN:   --trace=%t.json -- %t | FileCheck %s
// RUN: not grep -q '"startedUs": 0.0' %t.json
// RUN: grep -q '"kernel": "twice"' %t.json && grep -q blocks_run %t.telemetry
// CHECK: 0 wrong, 24 callbacks, no error
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

static constexpr int kThreads = 64, kBlocks = 24, kCount = kThreads * kBlocks, kRounds = 30;
static std::atomic<int> wrong{0}, callbacks{0};

__global__ void add(int* values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] += 1;
}
__global__ void twice(int* values) {
  __shared__ int staged[kThreads];
  staged[threadIdx.x] = values[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  values[blockIdx.x * blockDim.x + threadIdx.x] = 2 * staged[threadIdx.x];
}

static void captured(int* values, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  add<<<kBlocks, kThreads, 0, stream>>>(values, kCount);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

static void work() {
  cudaStream_t streams[2];
  cudaEvent_t added;
  for (cudaStream_t& stream : streams)
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&added, cudaEventDisableTiming);
  std::vector<int> host(kCount);
  for (int round = 0; round < kRounds; ++round) {
    cudaStream_t first = streams[round % 2], second = streams[1 - round % 2];
    int* values;
    cudaMallocAsync(&values, kCount * sizeof(int), first);
    cudaMemsetAsync(values, 0, kCount * sizeof(int), first);
    add<<<kBlocks, kThreads, 0, first>>>(values, kCount);
    cudaEventRecord(added, first);
    cudaStreamWaitEvent(second, added, 0);
    twice<<<kBlocks, kThreads, 0, second>>>(values);
    if (round % 10 == 0)
      captured(values, second);
    if (round % 5 == 0)
      cudaLaunchHostFunc(second, [](void*) { ++callbacks; }, nullptr);
    cudaMemcpyAsync(host.data(), values, kCount * sizeof(int), cudaMemcpyDeviceToHost, second);
    cudaStreamSynchronize(second);
    for (int value : host)
      wrong += value != (round % 10 == 0 ? 3 : 2);
    cudaFreeAsync(values, second);
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(work);
  for (std::thread& thread : threads)
    thread.join();
  std::printf("%d wrong, %d callbacks, %s\n", wrong.load(), callbacks.load(),
              cudaGetErrorString(cudaDeviceSynchronize()));
}
