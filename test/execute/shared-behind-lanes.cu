// Kernels that take all of their static shared memory and whose lanes leave before primitives of their warp:
// the words that say who is there are behind the dynamic memory, with the worker's. Whole warps and other
// masks, a function that is called, barriers that are asked, an instantiation with room and one without.
// Outlined, only what needs no such words has twins.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90 -std=c++17" --outlined=native
// RUN: %gpusched-cc --gpusched-strict --gpusched-keep=%t/kept -arch=sm_90 -std=c++17 -c %s -o %t/x.o
// RUN: grep -q "whole__gs(.*Drain::Lanes, ::gpusched::Copies::None, ::gpusched::NoMbarriers, ::gpusched::SharedBehind<16>" %t/kept/shared-behind-lanes.cu
#include "Inputs/Expect.h"

constexpr int kBlocks = 50, kThreads = 64, kWords = 48 * 256;
constexpr unsigned kAll = 0xffffffffu;

__device__ __noinline__ int sumOf(int value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(kAll, value, step);
  return value;
}

/// Writes to every word of shared memory, and says how many are still the block's.
__device__ int own(int* all) {
  for (int i = threadIdx.x; i < kWords; i += kThreads)
    all[i] = blockIdx.x;
  int same = 0;
  for (int i = threadIdx.x; i < kWords; i += kThreads)
    same += all[i] == blockIdx.x;
  return same == kWords / kThreads;
}

__global__ void whole(int* out) {
  __shared__ int all[kWords];
  if (threadIdx.x >= 40)
    return;
  __syncthreads();
  const int same = own(all);
  out[blockIdx.x * kThreads + threadIdx.x] = same + __popc(__ballot_sync(kAll, same)) * 10;
}

__global__ void called(int* out, int last) {
  __shared__ int all[kWords];
  const int same = own(all);
  if (int(threadIdx.x) / 32 > last)
    return;
  out[blockIdx.x * kThreads + threadIdx.x] = sumOf(same) + __syncthreads_count(same) * 100;
}

__global__ void masked(int* out, unsigned mask) {
  __shared__ int all[kWords];
  const int same = own(all);
  if (threadIdx.x % 8 == 7)
    return;
  if (threadIdx.x % 32 < 16)
    out[blockIdx.x * kThreads + threadIdx.x] = same + __popc(__ballot_sync(mask, same)) * 10;
}

template <int kPart> __global__ void shaped(int* out, int live) {
  __shared__ int all[kWords / kPart];
  all[threadIdx.x] = blockIdx.x;
  if (int(threadIdx.x) >= live)
    return;
  out[blockIdx.x * kThreads + threadIdx.x] = __popc(__ballot_sync(kAll, all[threadIdx.x] == blockIdx.x));
}

void check(const char* name, const int* out, int (*expected)(int)) {
  expect<int>(name, out, kBlocks * kThreads,
              [=](std::size_t index) { return expected(static_cast<int>(index) % kThreads); });
}

int main() {
  int* out = deviceArray<int>(kBlocks * kThreads);
  whole<<<kBlocks, kThreads>>>(out);
  check("whole warps", out, [](int t) { return t < 32 ? 321 : t < 40 ? 81 : 0; });
  out = deviceArray<int>(kBlocks * kThreads);
  called<<<kBlocks, kThreads>>>(out, 0);
  check("called", out, [](int t) { return t < 32 ? 3232 : 0; });
  out = deviceArray<int>(kBlocks * kThreads);
  masked<<<kBlocks, kThreads>>>(out, 0xffffu);
  check("masked", out, [](int t) { return t % 8 != 7 && t % 32 < 16 ? 141 : 0; });
  out = deviceArray<int>(kBlocks * kThreads);
  shaped<1><<<kBlocks, kThreads>>>(out, 50);
  check("without room", out, [](int t) { return t < 32 ? 32 : t < 50 ? 18 : 0; });
  out = deviceArray<int>(kBlocks * kThreads);
  shaped<2><<<kBlocks, kThreads>>>(out, 50);
  check("with room", out, [](int t) { return t < 32 ? 32 : t < 50 ? 18 : 0; });
}
