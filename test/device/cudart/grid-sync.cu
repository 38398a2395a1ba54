// A cooperative launch can synchronise its grid; an ordinary one traps, as on a GPU.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>

__global__ void sum(int* values, int rounds) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int i = grid.thread_rank(), n = grid.size();
  for (int round = 0; round < rounds; ++round) {
    int next = values[(i + 97) % n]; // of another block
    grid.sync();
    values[i] += next;
    grid.sync();
  }
}

int main() {
  constexpr int kBlocks = 40, kThreads = 64, kCount = kBlocks * kThreads;
  int *values, rounds = 5;
  CHECK_OK(cudaMallocManaged(&values, kCount * sizeof(int)));
  for (int i = 0; i < kCount; ++i)
    values[i] = 1;
  void* arguments[] = {&values, &rounds};
  CHECK_OK(cudaLaunchCooperativeKernel(sum, kBlocks, kThreads, arguments, 0, nullptr));
  CHECK_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; ++i)
    CHECK_IS(values[i], 32);
  sum<<<kBlocks, kThreads>>>(values, 1);
  CHECK_IS(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}
