// Members that wait where threads have left: reductions that call themselves with half of the size,
// one after the other; primitives, mbarriers and a group's barrier behind members that only hand
// them on; kernels whose threads leave and kernels whose threads stay, with one member.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90 -std=c++17 -diag-suppress=20054" --outlined=some
#include "Inputs/Expect.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cg = cooperative_groups;
constexpr int kThreads = 128, kBlocks = 40;

template <class T> __device__ T plus(T a, T b) { return a + b; }
template <class T> __device__ T larger(T a, T b) { return a < b ? b : a; }

/// Those who are done wait no more, and go on to the next reduction or out.
template <class T, int Half> class Reduce {
public:
  __device__ static void run(volatile T* a, T* out, T (*join)(T, T)) {
    __syncthreads();
    if (threadIdx.x < Half) {
      a[threadIdx.x] = join(a[threadIdx.x], a[threadIdx.x + Half]);
      Reduce<T, Half / 2>::run(a, out, join);
    }
  }
};
template <class T> class Reduce<T, 0> {
public:
  __device__ static void run(volatile T* a, T* out, T (*)(T, T)) {
    if (threadIdx.x == 0)
      out[blockIdx.x] = a[0];
  }
};

template <class T> __global__ void reduceBoth(const T* in, T* sums, T* most) {
  __shared__ T a[kThreads], b[kThreads];
  a[threadIdx.x] = b[threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x];
  __syncthreads();
  Reduce<T, kThreads / 2>::run(a, sums, plus);
  Reduce<T, kThreads / 2>::run(b, most, larger);
}

__device__ int ofFirstLane(int value) { return __shfl_sync(0xffffffffu, value, 0); }

struct Team {
  int live;

  __device__ void meet() const { cg::this_thread_block().sync(); }
  __device__ int pass(int value) const {
    __shared__ int kept[kThreads];
    kept[threadIdx.x] = value;
    meet();
    return kept[(threadIdx.x + 1) % live];
  }
  __device__ int lanes(int value) const { 
    return 100 * ofFirstLane(value) + __popc(__ballot_sync(0xffffffffu, value > 0));
  }
  __device__ void begin(Barrier* bar) const { init(bar, live); }
  __device__ int await(int value) const {
    __shared__ Barrier bar;
    __shared__ int kept[kThreads];
    if (threadIdx.x == 0)
      begin(&bar);
    meet();
    kept[threadIdx.x] = value;
    bar.arrive_and_wait();
    return kept[live - 1 - threadIdx.x];
  }
};

__global__ void leave(int* out, Team team) {
  if (threadIdx.x >= team.live)
    return;
  int* const mine = out + blockIdx.x * kThreads + threadIdx.x;
  *mine = team.pass(threadIdx.x + blockIdx.x) * 1000 + team.await(threadIdx.x);
}
__global__ void stay(int* out, Team team) {
  out[blockIdx.x * kThreads + threadIdx.x] = team.pass(threadIdx.x);
}
__global__ void leaveLanes(int* out, Team team) {
  if (threadIdx.x < team.live)
    out[blockIdx.x * kThreads + threadIdx.x] = team.lanes(1 + threadIdx.x);
}

int main() {
  std::vector<int> in(kBlocks * kThreads);
  for (std::size_t index = 0; index < in.size(); ++index)
    in[index] = static_cast<int>(index * 37 % 1009);
  int *sums = deviceArray<int>(kBlocks), *most = deviceArray<int>(kBlocks);
  reduceBoth<<<kBlocks, kThreads>>>(deviceCopy(in), sums, most);
  const auto block = [&](std::size_t index) {
    return std::vector<int>(in.begin() + index * kThreads, in.begin() + (index + 1) * kThreads);
  };
  expect<int>("sums", sums, kBlocks, [&](std::size_t index) {
    int sum = 0;
    for (int value : block(index))
      sum += value;
    return sum;
  });
  expect<int>("largest", most, kBlocks, [&](std::size_t index) {
    int largest = 0;
    for (int value : block(index))
      largest = std::max(largest, value);
    return largest;
  });

  constexpr int kLive = 77;
  int* out = deviceArray<int>(in.size());
  leave<<<kBlocks, kThreads>>>(out, Team{kLive});
  expect<int>("leave", out, in.size(), [&](std::size_t index) {
    const int thread = index % kThreads, from = index / kThreads;
    return thread < kLive ? ((thread + 1) % kLive + from) * 1000 + kLive - 1 - thread : 0;
  });
  stay<<<kBlocks, kThreads>>>(out, Team{kThreads});
  expect<int>("stay", out, in.size(),
              [](std::size_t index) { return static_cast<int>(index + 1) % kThreads; });
  int* lanes = deviceArray<int>(in.size());
  leaveLanes<<<kBlocks, kThreads>>>(lanes, Team{kLive});
  expect<int>("lanes", lanes, in.size(), [](std::size_t index) {
    const int thread = index % kThreads, first = thread - thread % 32;
    return thread < kLive ? 100 * (1 + first) + std::min(32, kLive - first) : 0;
  });
}
