// Lanes of one instruction may name different members, as after match.any: each set is its own.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

/// Members of a bucket count themselves with one atomic of their leader.
__global__ void rank(const int* buckets, int* counts, int* ranks, int* sums, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    int bucket = buckets[i];
    unsigned peers = __match_any_sync(0xffffffffu, bucket);
    int lane = threadIdx.x % 32, leader = __ffs(peers) - 1, first = 0;
    if (lane == leader)
      first = atomicAdd(&counts[bucket], __popc(peers));
    first = __shfl_sync(peers, first, leader);
    ranks[i] = first + __popc(peers & ((1u << lane) - 1));
    sums[i] = __reduce_add_sync(peers, i);
  }
}

int main() {
  constexpr int kCount = 1024, kBuckets = 6;
  int *buckets, *counts, *ranks, *sums;
  CHECK_OK(cudaMallocManaged(&buckets, kCount * sizeof(int)));
  CHECK_OK(cudaMallocManaged(&counts, kBuckets * sizeof(int)));
  CHECK_OK(cudaMallocManaged(&ranks, kCount * sizeof(int)));
  CHECK_OK(cudaMallocManaged(&sums, kCount * sizeof(int)));
  int expected[kBuckets] = {}, seen[kBuckets][kCount] = {};
  for (int i = 0; i < kCount; ++i) {
    buckets[i] = (i * 7 + i / 13) % kBuckets;
    ++expected[buckets[i]];
  }
  rank<<<1, 64>>>(buckets, counts, ranks, sums, kCount);
  CHECK_OK(cudaDeviceSynchronize());
  for (int b = 0; b < kBuckets; ++b)
    CHECK_IS(counts[b], expected[b]);
  for (int i = 0; i < kCount; ++i) {
    CHECK_TRUE(ranks[i] >= 0 && ranks[i] < expected[buckets[i]]);
    CHECK_IS(seen[buckets[i]][ranks[i]]++, 0); // all different
    int sum = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
      sum += buckets[j] == buckets[i] ? j : 0;
    CHECK_IS(sums[i], sum);
  }
}
