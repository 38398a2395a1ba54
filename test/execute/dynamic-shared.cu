// Dynamic shared memory of a size chosen at the launch, carved into two arrays.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void interleave(const float* in, float* out, int half) {
  extern __shared__ float storage[];
  float* evens = storage;
  float* odds = storage + half;
  const float* line = in + blockIdx.x * 2 * half;
  for (int index = threadIdx.x; index < half; index += blockDim.x) {
    evens[index] = line[2 * index];
    odds[index] = line[2 * index + 1];
  }
  __syncthreads();
  for (int index = threadIdx.x; index < 2 * half; index += blockDim.x)
    out[blockIdx.x * 2 * half + index] = storage[index];
}

int main() {
  constexpr int blocks = 60;
  for (int half : {8, 500, 3000}) {
    std::vector<float> in(blocks * 2 * half);
    for (std::size_t index = 0; index < in.size(); ++index)
      in[index] = static_cast<float>(index);
    float* out = deviceArray<float>(in.size());
    interleave<<<blocks, 64, 2 * half * sizeof(float)>>>(deviceCopy(in), out, half);
    expect<float>("interleave", out, in.size(), [&](std::size_t index) {
      const std::size_t at = index % (2 * half), base = index - at;
      return in[base + (at < std::size_t(half) ? 2 * at : 2 * (at - half) + 1)];
    });
  }
}
