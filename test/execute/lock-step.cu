// A kernel that leans on lock step: lanes exchange through shared memory with fences only, in a loop
// that asks which lane it is. nvcc must not make two loops of the twin's, one for each answer.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void prefix(const int* in, int* out, int* odd, int rounds) {
  __shared__ int sums[2 * 48];
  const int lane = threadIdx.x & 31, warp = blockIdx.x * 2 + threadIdx.x / 32;
  int at = threadIdx.x / 32 * 48 + lane, code = 0;
  sums[at] = 0;
  at += 16;
  for (int i = 0; i < rounds; ++i) {
    const int place = (warp * rounds + i) * 32 + lane;
    sums[at] = in[place];
    __threadfence_block();
    for (int step = 1; step < 32; step *= 2) {
      sums[at] += sums[at - step];
      __threadfence_block();
    }
    out[place] = sums[at];
    code += sums[at];
    sums[at] = code;
    __threadfence_block();
    if (lane & 1)
      odd[place] = sums[at - 1] | code << 4;
  }
}

int main() {
  const int kBlocks = 20, kRounds = 6, kValues = kBlocks * 2 * kRounds * 32;
  std::vector<int> values(kValues);
  for (int i = 0; i < kValues; ++i)
    values[i] = i % 13;
  int* in = deviceCopy(values);
  int *out = deviceArray<int>(kValues), *odd = deviceArray<int>(kValues);
  prefix<<<kBlocks, 64>>>(in, out, odd, kRounds);
  expect<int>("prefix", out, kValues, [&](std::size_t index) {
    int sum = 0;
    for (std::size_t i = index / 32 * 32; i <= index; ++i)
      sum += values[i];
    return sum;
  });
  expect<int>("odd", odd, kValues, [&](std::size_t index) {
    if (index % 2 == 0)
      return 0;
    int code[2] = {0, 0};
    for (std::size_t row = index / 32 / kRounds * kRounds; row <= index / 32; ++row) {
      int sum = 0;
      for (std::size_t lane = 0; lane <= index % 32; ++lane) {
        sum += values[row * 32 + lane];
        if (lane + 1 >= index % 32)
          code[lane % 2] += sum;
      }
    }
    return code[0] | code[1] << 4;
  });
}
