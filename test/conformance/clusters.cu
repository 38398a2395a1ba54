// Clusters of blocks: fixed in the kernel and given at launch, their barrier, and shared memory of
// the neighbours through cooperative groups.
// RUN: %nvcc -arch=sm_90 -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

#include <algorithm>
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/// Block r of a cluster counts values that are r modulo the cluster's size, for all of its blocks.
__device__ void histogram(const int* in, int each, int* bins) {
  extern __shared__ int mine[];
  cg::cluster_group cluster = cg::this_cluster();
  const int blocks = cluster.num_blocks(), rank = cluster.block_rank();
  for (int i = threadIdx.x; i < 32; i += blockDim.x)
    mine[i] = 0;
  cluster.sync();
  for (int i = threadIdx.x; i < each; i += blockDim.x) {
    const int value = in[blockIdx.x * each + i];
    atomicAdd(cluster.map_shared_rank(mine, value % blocks) + value / blocks, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < 64 / blocks; i += blockDim.x)
    atomicAdd(bins + i * blocks + rank, mine[i]);
}

__global__ void __cluster_dims__(2, 1, 1) fixedSize(const int* in, int each, int* bins) {
  histogram(in, each, bins);
}
__global__ void launchSize(const int* in, int each, int* bins) { histogram(in, each, bins); }

/// Each block reads its left neighbour's word; the split barrier lets none leave before.
__global__ void __cluster_dims__(2, 2, 1) neighbours(int* out) {
  __shared__ int word;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    word = blockIdx.y * gridDim.x + blockIdx.x;
  cluster.sync();
  const unsigned rank = cluster.block_rank(), other = rank ^ 1;
  const int seen = *cluster.map_shared_rank(&word, other);
  cluster.barrier_arrive();
  if (threadIdx.x == 0)
    out[blockIdx.y * gridDim.x + blockIdx.x] =
        seen * 100 + int(cluster.dim_blocks().y * 10 + cluster.query_shared_rank(&word) - rank);
  cluster.barrier_wait();
}

int main() {
  constexpr int kEach = 500, kBlocks = 8;
  std::vector<int> values(kEach * kBlocks);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int(i * i % 64);
  const auto counted = [&](size_t bin) {
    return int(std::count(values.begin(), values.end(), int(bin)));
  };
  int* const in = deviceCopy(values);
  int* bins = deviceArray<int>(64);
  fixedSize<<<kBlocks, 96, 128>>>(in, kEach, bins);
  expect<int>("fixed size", bins, 64, counted);

  bins = deviceArray<int>(64);
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim = {4, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = kBlocks;
  config.blockDim = 64;
  config.dynamicSmemBytes = 128;
  config.attrs = attribute;
  config.numAttrs = 1;
  must(cudaLaunchKernelEx(&config, launchSize, static_cast<const int*>(in), kEach, bins), "launch");
  expect<int>("launch size", bins, 64, counted);

  int* const out = deviceArray<int>(4 * 6);
  neighbours<<<dim3(4, 6), 40>>>(out);
  expect<int>("neighbours", out, 24,
              [](size_t i) { return int(i ^ 1) * 100 + 20; });

  config.gridDim = 6;
  if (cudaLaunchKernelEx(&config, launchSize, static_cast<const int*>(in), kEach, bins) ==
      cudaSuccess) {
    std::printf("a grid of 6 blocks is no multiple of 4\n");
    return 1;
  }
  int clusters = 0;
  config.gridDim = kBlocks;
  must(cudaOccupancyMaxActiveClusters(&clusters, launchSize, &config), "occupancy");
  return clusters > 0 ? 0 : 1;
}
