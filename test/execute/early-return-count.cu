// Threads leave before barriers that ask the others something, in rounds, beside plain barriers, in
// functions and members, and where lanes leave before shuffles.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
#include "Inputs/Expect.h"

#include <algorithm>

struct Poll {
  int lower;
  __device__ int above(int value) const { return __syncthreads_count(value > lower); }
};

__device__ int oneOf(int value, int wanted) {
  return __syncthreads_or(value == wanted) + 2 * __syncthreads_and(value != wanted);
}

// A thread leaves when its count is over, so each round asks fewer of them, at times with no yes.
__global__ void rounds(int* out, int most) {
  const int mine = (threadIdx.x * 7 + blockIdx.x) % most;
  int sum = 0;
  for (int round = 0; round <= mine; ++round) {
    sum += Poll{round + most / 2}.above(mine) * (round + 1);
    __syncthreads();
    sum += oneOf(mine, round + 3) * (round + 1);
    if (round % 3 == 0 && __syncthreads_count(0) != 0)
      sum = -1000000;
  }
  atomicAdd(&out[blockIdx.x], sum);
}

// Of warps that are left in part, beside warps that are gone.
__global__ void lanes(int* out, int live) {
  if (threadIdx.x >= live)
    return;
  int value = threadIdx.x + blockIdx.x;
  for (int round = 0; round < 3; ++round) {
    value = __shfl_sync(0xffffffffu, value, 0);
    value += __syncthreads_count(value % 2 == 0 && threadIdx.x % 3 == 0) + __syncthreads_or(0);
    __syncthreads();
    if (threadIdx.x % 32 % 5 == 4)
      break;
  }
  atomicAdd(&out[blockIdx.x], value);
}

struct Model {
  static int count(const std::vector<int>& values, int round, int lower) {
    int yes = 0;
    for (const int value : values)
      yes += value >= round && value > lower;
    return yes;
  }
};

int main() {
  constexpr int blocks = 60, threads = 160;
  for (const int live : {1, 20, 97, 160}) {
    int* out = deviceArray<int>(blocks);
    const int most = live % 12;
    rounds<<<blocks, threads>>>(out, most);
    expect<int>("rounds", out, blocks, [&](std::size_t block) {
      std::vector<int> values;
      for (int thread = 0; thread < threads; ++thread)
        values.push_back((thread * 7 + static_cast<int>(block)) % most);
      int sum = 0;
      for (const int mine : values)
        for (int round = 0; round <= mine; ++round) {
          const bool any =
              round + 3 < most && std::count(values.begin(), values.end(), round + 3) > 0;
          sum += Model::count(values, round, round + most / 2) * (round + 1);
          sum += (any ? 1 : 2) * (round + 1);
        }
      return sum;
    });
    int* values = deviceArray<int>(blocks);
    lanes<<<blocks, threads>>>(values, live);
    expect<int>("lanes", values, blocks, [&](std::size_t block) {
      std::vector<int> value(threads);
      for (int thread = 0; thread < threads; ++thread)
        value[thread] = thread + static_cast<int>(block);
      int sum = 0;
      std::vector<bool> inside(threads);
      for (int thread = 0; thread < live; ++thread)
        inside[thread] = true;
      for (int round = 0; round < 3; ++round) {
        int yes = 0;
        for (int thread = 0; thread < threads; ++thread) {
          if (inside[thread] && thread % 32 != 0)
            value[thread] = value[thread / 32 * 32];
          yes += inside[thread] && value[thread] % 2 == 0 && thread % 3 == 0;
        }
        for (int thread = 0; thread < threads; ++thread) {
          if (inside[thread])
            value[thread] += yes;
          if (inside[thread] && (thread % 32 % 5 == 4 || round == 2)) {
            sum += value[thread];
            inside[thread] = false;
          }
        }
      }
      return sum;
    });
  }
}
