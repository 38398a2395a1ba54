// A budget rises before its launch begins, which waits in its stream: for the host, for a kernel of the same stream, and while
// a neighbour ends. Nobody helps a launch before that, whatever is left in its control block of launches before, smaller ones
// among them: every block reads what was written in front of it.
//
// RUN: %gpusched-cc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu --policy=even --trace=%t.json -- %t | FileCheck %s
// RUN: not grep -q '"variant": "native"' %t.json
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>

__global__ void add(const volatile int* from, int* to) { to[blockIdx.x * blockDim.x + threadIdx.x] += *from; }

/// Until it is stopped.
__global__ void set(int* to, int value, const volatile int* stop, int* out) {
  for (long i = 0; i < 1L << 40 && !*stop; ++i)
    out[threadIdx.x] = i;
  to[threadIdx.x] = value;
}

std::atomic<bool> mayGoOn;

void wait(void*) {
  while (!mayGoOn)
    std::this_thread::yield();
}

/// For the thread that raises budgets, and for help to arrive.
void leaveTime() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

int main() {
  const int kRounds = 12, kMostBlocks = 40;
  cudaStream_t own, other;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  int *from, *to, *stop, *out;
  cudaMallocHost(&from, sizeof *from);
  cudaMallocHost(&stop, sizeof *stop);
  cudaMalloc(&out, 3 * sizeof *out);
  cudaMallocManaged(&to, kMostBlocks * 32 * sizeof *to);
  int wrong = 0;
  for (int round = 1; round <= kRounds; ++round) {
    const int blocks = round % 3 == 0 ? kMostBlocks : 10 * (round % 3);
    *from = -1, *const_cast<volatile int*>(stop) = 0;
    cudaMemset(to, 0, kMostBlocks * 32 * sizeof *to);
    cudaDeviceSynchronize();
    mayGoOn = false;
    if (round % 4 < 2)
      set<<<1, 1, 0, other>>>(out + 2, 0, stop, out);
    if (round % 2)
      cudaLaunchHostFunc(own, wait, nullptr);
    else
      set<<<1, 1, 0, own>>>(from, round, stop, out + 1);
    add<<<blocks, 32, 0, own>>>(from, to);
    leaveTime();
    if (round % 2)
      *from = round;
    *const_cast<volatile int*>(stop) = 1;
    leaveTime();
    mayGoOn = true;
    cudaDeviceSynchronize();
    for (int i = 0; i < blocks * 32; ++i)
      wrong += to[i] != round;
  }
  // CHECK: 0 wrong: no error
  std::printf("%d wrong: %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
}
