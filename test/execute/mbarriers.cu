// Barriers and pipelines of libcu++ in shared memory, and mbarriers by hand: each logical block
// begins its own, and those of the block before must be over, its copies too.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90 -std=c++17 -diag-suppress=20054" --outlined=some
#include "Inputs/Expect.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cg = cooperative_groups;
constexpr int kThreads = 64, kTiles = 4;

/// Half of the threads make, half use; two barriers for each of two buffers.
__global__ void producerConsumer(const int* in, int* out) {
  __shared__ Barrier full[2], empty[2];
  __shared__ int tile[2][kThreads / 2];
  const int half = kThreads / 2, t = threadIdx.x % half;
  if (threadIdx.x < 4)
    init(threadIdx.x < 2 ? &full[threadIdx.x] : &empty[threadIdx.x - 2], kThreads);
  __syncthreads();
  int sum = 0;
  if (threadIdx.x < half) {
    for (int i = 0; i < kTiles; ++i) {
      empty[i % 2].arrive_and_wait();
      tile[i % 2][t] = in[(blockIdx.x * kTiles + i) * half + t];
      (void)full[i % 2].arrive();
    }
    return;
  }
  (void)empty[0].arrive();
  (void)empty[1].arrive();
  for (int i = 0; i < kTiles; ++i) {
    full[i % 2].arrive_and_wait();
    sum += tile[i % 2][(t + 1) % half];
    if (i + 2 < kTiles)
      (void)empty[i % 2].arrive();
  }
  out[blockIdx.x * half + t] = sum;
}

/// A barrier of its callee, for the threads that stay.
__device__ int together(int value, int live) {
  static __shared__ Barrier bar;
  __shared__ int values[kThreads];
  if (threadIdx.x == 0)
    init(&bar, live);
  __syncthreads();
  values[threadIdx.x] = value;
  bar.arrive_and_wait();
  return values[(threadIdx.x + 1) % live];
}
__global__ void leaveEarly(const int* in, int* out) {
  const int live = 1 + blockIdx.x % 32;
  if (threadIdx.x >= live)
    return;
  out[blockIdx.x * 32 + threadIdx.x] = together(in[blockIdx.x * 32 + threadIdx.x], live);
}

/// Over before the block is, and begun again in the same memory.
__global__ void twice(const int* in, int* out) {
  __shared__ Barrier bar;
  __shared__ int tile[kThreads];
  int sum = 0;
  for (int round = 0; round < 2; ++round) {
    if (threadIdx.x == 0)
      init(&bar, kThreads);
    __syncthreads();
    cuda::memcpy_async(&tile[threadIdx.x], &in[blockIdx.x * kThreads + threadIdx.x],
                       cuda::aligned_size_t<4>(4), bar);
    bar.arrive_and_wait();
    sum += tile[kThreads - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0 && (round == 0 || blockIdx.x % 2))
      (&bar)->~Barrier();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

template <class Pipeline> __device__ int staged(Pipeline& pipe, int* tile, const int* in) {
  auto block = cg::this_thread_block();
  int sum = 0;
  for (int fetch = 0, i = 0; i < kTiles; ++i) {
    for (; fetch < kTiles && fetch < i + 2; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile + fetch % 2 * kThreads, in + fetch * kThreads,
                         cuda::aligned_size_t<16>(4 * kThreads), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    block.sync();
    sum += tile[i % 2 * kThreads + (threadIdx.x + 1) % kThreads];
    pipe.consumer_release();
    block.sync();
  }
  return sum;
}
__global__ void pipelined(const int* in, int* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas(16) int tile[2 * kThreads];
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
  out[blockIdx.x * kThreads + threadIdx.x] =
      staged(pipe, tile, in + blockIdx.x * kThreads * kTiles);
}
__global__ void roles(const int* in, int* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  __shared__ int tile[kThreads / 2];
  auto block = cg::this_thread_block();
  const bool makes = threadIdx.x >= kThreads / 2;
  const int t = threadIdx.x % (kThreads / 2);
  auto pipe = cuda::make_pipeline(
      block, &state, makes ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sum = 0;
  for (int i = 0; i < kTiles; ++i) {
    const int* const from = in + (blockIdx.x * kTiles + i) * kThreads / 2;
    if (makes) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[t], &from[t], sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += tile[(t + 1) % (kThreads / 2)];
      pipe.consumer_release();
    }
  }
  if (!makes)
    out[blockIdx.x * kThreads / 2 + t] = sum;
}

/// Copies of the last round are still on the way when the block ends.
__global__ void prefetching(const int* in, int* out) {
  __shared__ alignas(16) int tile[2][kThreads];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  int sum = 0;
  for (int i = 0; i <= kTiles; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[i % 2][threadIdx.x],
                       &in[(blockIdx.x * kTiles + i % kTiles) * kThreads + threadIdx.x],
                       sizeof(int), pipe);
    pipe.producer_commit();
    if (i == 0)
      continue;
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    sum += tile[(i - 1) % 2][threadIdx.x];
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

__device__ void begin(uint32_t word, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(word), "r"(count) : "memory");
}
/// In dynamic shared memory, by assembly and by cuda::ptx.
__global__ void byHand(const int* in, int* out) {
  extern __shared__ __align__(16) char memory[];
  int* const tile = reinterpret_cast<int*>(memory);
  uint64_t* const words = reinterpret_cast<uint64_t*>(memory + 2 * kThreads * sizeof(int));
  if (threadIdx.x == 0) {
    begin(uint32_t(__cvta_generic_to_shared(&words[0])), 1);
    cuda::ptx::mbarrier_init(&words[1], 1);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; ++i) {
      cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global,
                               tile + i * kThreads, in + (blockIdx.x * 2 + i) * kThreads,
                               4 * kThreads, &words[i]);
      cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                           cuda::ptx::space_shared, &words[i], 4 * kThreads);
    }
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    while (!cuda::ptx::mbarrier_try_wait_parity(&words[i], 0)) {
    }
    sum += tile[i * kThreads + (threadIdx.x + 1) % kThreads];
  }
  __syncthreads();
  tile[threadIdx.x] = 0;
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

int main() {
  const int blocks = 45;
  std::vector<int> values(blocks * kThreads * kTiles);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = int(i * 7 % 1000);
  const int* const in = deviceCopy(values);
  /// The sum of `tiles` tiles of n, of each the element behind the thread's.
  const auto sums = [&](std::size_t n, int tiles, int shift) {
    return [=, &values](std::size_t i) {
      int sum = 0;
      for (int tile = 0; tile < tiles; ++tile)
        sum += values[(i / n * tiles + tile) * n + (i % n + shift) % n];
      return sum;
    };
  };
  int* const out = deviceArray<int>(blocks * kThreads);
  producerConsumer<<<blocks, kThreads>>>(in, out);
  expect<int>("producerConsumer", out, blocks * kThreads / 2, sums(kThreads / 2, kTiles, 1));
  int* const few = deviceArray<int>(blocks * 32);
  leaveEarly<<<blocks, kThreads>>>(in, few);
  expect<int>("leaveEarly", few, blocks * 32, [&](std::size_t i) {
    const std::size_t live = 1 + i / 32 % 32, t = i % 32;
    return t < live ? values[i / 32 * 32 + (t + 1) % live] : 0;
  });
  twice<<<blocks, kThreads>>>(in, out);
  expect<int>("twice", out, blocks * kThreads, [&](std::size_t i) {
    return 2 * values[i / kThreads * kThreads + kThreads - 1 - i % kThreads];
  });
  pipelined<<<blocks, kThreads>>>(in, out);
  expect<int>("pipelined", out, blocks * kThreads, sums(kThreads, kTiles, 1));
  roles<<<blocks, kThreads>>>(in, out);
  expect<int>("roles", out, blocks * kThreads / 2, sums(kThreads / 2, kTiles, 1));
  prefetching<<<blocks, kThreads>>>(in, out);
  expect<int>("prefetching", out, blocks * kThreads, sums(kThreads, kTiles, 0));
  byHand<<<blocks, kThreads, 2 * kThreads * sizeof(int) + 16>>>(in, out);
  expect<int>("byHand", out, blocks * kThreads, sums(kThreads, 2, 1));
}
