// Workers of a second launch help a launch that runs: every logical block is run once, and the
// first launch does not end before blocks that its helpers claimed have returned in every thread.
//
// RUN: %nvcc -arch=sm_90 -std=c++17 -I%root/rt/include %s -o %t
// RUN: %gpusched run --device=cpu -- %t | FileCheck %s
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <gpusched/LaunchAbi.h>
#include <gpusched/device/Persistent.cuh>

__device__ void body(uint3 index, unsigned helps, unsigned* runs, volatile unsigned* progress) {
  if (threadIdx.x == 0)
    atomicAdd((unsigned*)progress, 1u);
  if (threadIdx.x != blockDim.x - 1)
    return; // the leader, which claims and counts, is long done before the last thread
  for (volatile int i = 0; i < (helps ? 50000 : 2000); i = i + 1) {
  }
  atomicAdd(&runs[index.x + 100 * index.y], 1u);
}

__global__ void count(const gpusched_params params, unsigned* runs, volatile unsigned* progress) {
  gpusched::Worker worker(params);
  if (worker.more())
    do {
      worker.begin();
      body(worker.block(), params.role == GPUSCHED_HELPS, runs, progress);
      worker.advance();
    } while (worker.more());
  worker.end();
}

__global__ void copyOut(const unsigned* runs, unsigned* seen, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    seen[i] = runs[i];
}

int main() {
  const unsigned kBlocks = 600;
  gpusched_control* control;
  unsigned* data;
  cudaMallocManaged(&control, sizeof *control);
  cudaMallocManaged(&data, (2 * kBlocks + 1) * sizeof(unsigned));
  std::memset(data, 0, (2 * kBlocks + 1) * sizeof(unsigned));
  std::memset(control, 0, sizeof *control);
  std::memset(control->sm_mask, 0xff, sizeof control->sm_mask);
  control->workers_per_sm = 1;
  gpusched_params params = {};
  params.control = control;
  params.total = params.end = kBlocks;
  params.grid_x = 100, params.grid_y = 6, params.grid_z = 1;
  params.by_x = {1202590843u, 1, 6}; // division by 100
  params.by_y = {1431655766u, 1, 2}; // and by 6
  cudaStream_t own, other;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  volatile unsigned* progress = data + 2 * kBlocks;
  count<<<2, 64, 0, own>>>(params, data, progress);
  copyOut<<<1, 64, 0, own>>>(data, data + kBlocks, kBlocks);
  while (*progress < 20) {
  }
  control->workers_per_sm = 4;
  params.role = GPUSCHED_HELPS;
  count<<<40, 64, 0, other>>>(params, data, progress);
  cudaDeviceSynchronize();
  count<<<40, 64, 0, other>>>(params, data, progress); // too late to help
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  bool once = true, seen = true;
  for (unsigned i = 0; i < kBlocks; ++i) {
    once = once && data[i] == 1;
    seen = seen && data[kBlocks + i] == 1;
  }
  // CHECK: no error
  // CHECK: once 1, seen by the successor 1, finished 600, left 0
  std::printf("once %d, seen by the successor %d, finished %u, left %u\n", once,
              seen, control->finished, control->left);
}
