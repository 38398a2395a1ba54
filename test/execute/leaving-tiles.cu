// Lanes leave before primitives of their tiles, of groups that tiles are divided into, and of such
// groups in functions.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out -- -std=c++17 | count 0
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags=-arch=sm_90 --outlined=native
#include "Inputs/Expect.h"

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

constexpr int kBlocks = 37, kThreads = 96;

struct Pair {
  int low;
  double high;
  char tag;
};

template <class Group> __device__ void sumUp(Group& group, float& value) {
  value = cg::reduce(group, value, cg::plus<float>());
}
template <class Group> __device__ int largest(const Group& group, int value) {
  return cg::reduce(group, value, cg::greater<int>());
}

// Lanes from `live` on leave, one by one; those that stay ask every primitive there is.
template <int lanes> __global__ void ask(int live, unsigned* answers, float* sums) {
  const int lane = threadIdx.x % 32, place = blockIdx.x * kThreads + threadIdx.x;
  if (lane >= live)
    return;
  auto tile = cg::tiled_partition<lanes>(cg::this_thread_block());
  const int rank = tile.thread_rank();
  unsigned answer = tile.any(rank == 1) + 2 * tile.all(rank < 40) + 4 * tile.ballot(rank % 2 == 0);
  answer = 31 * answer + tile.match_any(rank / 2);
  int same = 0;
  answer = 31 * answer + tile.match_all(7, same) + same;
  const int stay = threadIdx.x < 64 ? live : live - 2;
  if (lane >= stay)
    return;
  tile.sync();
  Pair pair{rank, 0.5 * rank, char('a' + rank)};
  pair = tile.shfl(pair, 0);
  answer = 31 * answer + pair.low + int(4 * pair.high) + pair.tag;
  answer = 31 * answer + tile.shfl_up(rank, 1);
  const double next = tile.shfl_down(1.25 * rank, 1);
  answer = 31 * answer + (lane + 1 < stay ? unsigned(4 * next) : 0);
  const int other = tile.shfl_xor(rank, 1);
  answer = 31 * answer + ((lane ^ 1) < stay ? other : 0);
  cg::sync(tile);
  answer = 31 * answer + (lanes < 16 ? 0 : largest(tile, rank * 3)); // smaller ones ask who left
  answers[place] = 31 * answer + tile.thread_rank();

  auto group = cg::labeled_partition(tile, rank / 3);
  float sum = 0.25f * rank;
  sumUp(group, sum);
  if (group.thread_rank() == 0)
    sums[place] = sum + largest(group, rank);
}

template <int lanes> void check(int live) {
  unsigned* answers = deviceArray<unsigned>(kBlocks * kThreads);
  float* sums = deviceArray<float>(kBlocks * kThreads);
  ask<lanes><<<kBlocks, kThreads>>>(live, answers, sums);
  std::vector<unsigned> got(kBlocks * kThreads);
  std::vector<float> total(kBlocks * kThreads);
  must(cudaMemcpy(got.data(), answers, got.size() * 4, cudaMemcpyDeviceToHost), "answers");
  must(cudaMemcpy(total.data(), sums, total.size() * 4, cudaMemcpyDeviceToHost), "sums");
  for (int thread = 0; thread < kThreads; ++thread)
    for (int block = 1; block < kBlocks; ++block)
      if (got[thread] != got[block * kThreads + thread] ||
          total[thread] != total[block * kThreads + thread])
        std::printf("block %d differs at %d\n", block, thread);
  for (int thread = 0; thread < kThreads; ++thread)
    std::printf("%u %g\n", got[thread], total[thread]);
}

int main() {
  check<32>(21);
  check<16>(27);
  check<8>(32);
  check<4>(30);
}
