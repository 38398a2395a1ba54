// Bulk copies to and from shared memory that complete on a cuda::barrier, as pipelines on Hopper do.
// RUN: %nvcc -arch=sm_90 -std=c++17 -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

#include <cuda/barrier>
#include <cuda/ptx>

#pragma nv_diag_suppress static_var_with_dynamic_init

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;

constexpr int kTile = 256, kStages = 2;

/// Two stages of a pipeline: while one tile is added to, the next is on its way.
__global__ void addOne(const int* in, int* out, int* sums, int tiles) {
  __shared__ alignas(128) int stage[kStages][kTile];
  __shared__ alignas(8) Barrier filled[kStages];
  if (threadIdx.x == 0) {
    for (Barrier& one : filled)
      init(&one, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  const auto load = [&](int tile) {
    Barrier& barrier = filled[tile % kStages];
    if (threadIdx.x == 0) {
      cuda::device::memcpy_async_tx(stage[tile % kStages],
                                    in + (blockIdx.x * tiles + tile) * kTile,
                                    cuda::aligned_size_t<16>(sizeof(stage[0])), barrier);
      return cuda::device::barrier_arrive_tx(barrier, 1, sizeof(stage[0]));
    }
    return barrier.arrive();
  };
  Barrier::arrival_token tokens[kStages];
  tokens[0] = load(0);
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles)
      tokens[(tile + 1) % kStages] = load(tile + 1);
    filled[tile % kStages].wait(std::move(tokens[tile % kStages]));
    for (int i = threadIdx.x; i < kTile; i += blockDim.x)
      stage[tile % kStages][i] += 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                         out + (blockIdx.x * tiles + tile) * kTile, stage[tile % kStages],
                         sizeof(stage[0]));
      ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums,
                                stage[tile % kStages], sizeof(stage[0]));
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();
  }
}

int main() {
  constexpr int kBlocks = 6, kTiles = 5, kCount = kBlocks * kTiles * kTile;
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; ++i)
    values[i] = i * 7 % 1000;
  int* const in = deviceCopy(values);
  int* const out = deviceArray<int>(kCount);
  int* const sums = deviceArray<int>(kTile);
  addOne<<<kBlocks, 128>>>(in, out, sums, kTiles);
  expect<int>("tiles", out, kCount, [&](size_t i) { return values[i] + 1; });
  expect<int>("sums", sums, kTile, [&](size_t i) {
    int sum = 0;
    for (int tile = 0; tile < kBlocks * kTiles; ++tile)
      sum += values[tile * kTile + int(i)] + 1;
    return sum;
  });
}
