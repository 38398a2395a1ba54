// A kernel that runs on the device is paused between two blocks: it stops, what follows in its stream
// does not start, and after the resume every block has run exactly once. Where streams share a queue to the
// device, the pause may come too late (or not at all before the kernel's end), the resume does not.
//
// RUN: %gpusched-cc -arch=sm_90 %s -o %t -ldl
// RUN: env GPUSCHED_PREEMPT=2 %gpusched run --device=cpu --variant=persistent --blocks-per-sm=1 \
// RUN:   --sms=0-1 --trace=%t.json -- %t | FileCheck %s
// RUN: grep -q '"pauses": 2' %t.json
// RUN: env GPUSCHED_PREEMPT=2 GPUSCHED_CONNECTIONS=1 %gpusched run --device=cpu --variant=persistent --blocks-per-sm=1 \
// RUN:   --sms=0-1 -- %t | FileCheck --check-prefix=SHARED %s
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <thread>

__global__ void count(unsigned* runs, volatile unsigned* progress) {
  float x = threadIdx.x;
  for (int i = 0; i < 2000; ++i)
    x = x * 0.5f + 1;
  if (threadIdx.x == 0) {
    atomicAdd(&runs[blockIdx.x], x > 0 ? 1u : 2u);
    atomicAdd((unsigned*)progress, 1u);
  }
}

__global__ void mark(unsigned* after) { *after = 1; }

static void sleepMs(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

int main() {
  const unsigned kBlocks = 4000;
  void* runtime = dlopen(std::getenv("GPUSCHED_RT"), RTLD_NOW);
  size_t (*pauseAll)() = (size_t (*)())dlsym(runtime, "gpusched_rt_pause_all");
  void (*resumeAll)() = (void (*)())dlsym(runtime, "gpusched_rt_resume_all");
  unsigned *runs, *host;
  cudaMallocManaged(&runs, kBlocks * sizeof(unsigned));
  cudaMallocManaged(&host, 2 * sizeof(unsigned));
  cudaMemset(runs, 0, kBlocks * sizeof(unsigned));
  cudaMemset(host, 0, 2 * sizeof(unsigned));
  cudaDeviceSynchronize();
  volatile unsigned *progress = host, *after = host + 1;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  count<<<kBlocks, 64, 0, stream>>>(runs, progress);
  mark<<<1, 1, 0, stream>>>(host + 1);
  bool held = true, stopped = true;
  for (int round = 1; round <= 2; ++round) {
    while (*progress < unsigned(round * 200))
      sleepMs(1);
    bool any = pauseAll() > 0;
    sleepMs(300);
    unsigned first = *progress;
    sleepMs(100);
    stopped = stopped && any && *progress == first && first < kBlocks;
    held = held && *after == 0;
    resumeAll();
  }
  cudaError_t error = cudaStreamSynchronize(stream);
  bool once = true;
  for (unsigned i = 0; i < kBlocks; ++i)
    once = once && runs[i] == 1;
  // CHECK: stopped 1 held 1 once 1 after 1: no error
  // SHARED: once 1 after 1: no error
  std::printf("stopped %d held %d once %d after %u: %s\n", stopped, held, once, *after,
              cudaGetErrorString(error));
}
