// Barriers that carry a value, a warp barrier, and barriers in loops and both arms of a branch
// that the whole block takes.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void barriers(const int* in, int* out) {
  __shared__ int cell[64];
  const int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
  const int positive = __syncthreads_count(mine > 0);
  const int any = __syncthreads_or(mine > 90), all = __syncthreads_and(mine > -90);
  cell[threadIdx.x] = mine;
  if (blockIdx.x % 2 == 0) {
    __syncthreads();
    cell[threadIdx.x ^ 1] += 1;
    __syncwarp();
  } else {
    for (int round = 0; round < 3; ++round) {
      __syncthreads();
      const int next = cell[(threadIdx.x + 1) % 64];
      __syncthreads();
      cell[threadIdx.x] = next;
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      cell[threadIdx.x] * 1000 + positive * 4 + (any ? 2 : 0) + (all ? 1 : 0);
}

int main() {
  constexpr int blocks = 51, threads = 64;
  std::vector<int> in(blocks * threads);
  for (std::size_t index = 0; index < in.size(); ++index)
    in[index] = static_cast<int>(index * 37 % 191) - 95;
  int* out = deviceArray<int>(in.size());
  barriers<<<blocks, threads>>>(deviceCopy(in), out);
  expect<int>("barriers", out, in.size(), [&](std::size_t index) {
    const std::size_t block = index / threads, base = block * threads;
    int positive = 0, any = 0, all = 1;
    for (int thread = 0; thread < threads; ++thread) {
      positive += in[base + thread] > 0;
      any |= in[base + thread] > 90;
      all &= in[base + thread] > -90;
    }
    const int cell = block % 2 == 0 ? in[index] + 1 : in[base + (index + 3) % threads];
    return cell * 1000 + positive * 4 + any * 2 + all;
  });
}
