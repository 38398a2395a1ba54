// Kernels in half and bfloat16: scalars, pairs, conversions, intrinsics; behind an early return and
// through a device helper that reads blockIdx, as today's programs write them.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_80"
#include "Inputs/Expect.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ int globalThread() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void axpyPairs(const __half2* x, __half2* y, __half2 a, int pairs) {
  const int i = globalThread();
  if (i >= pairs)
    return;
  y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void widen(const __half* x, float* out, int count) {
  const int i = globalThread();
  if (i >= count)
    return;
  const __half root = hsqrt(x[i]) * __float2half(2.0f);
  out[i] = __half2float(__hgt(root, x[i]) ? root : __hneg(x[i]));
}

__global__ void brain(const float* x, float* out, int count) {
  const int i = globalThread();
  if (i >= count)
    return;
  const __nv_bfloat16 rounded = __float2bfloat16(x[i]);
  const __nv_bfloat162 pair = __halves2bfloat162(rounded, __hadd(rounded, rounded));
  out[i] = __low2float(pair) + __high2float(pair) + __bfloat162float(__hmul(rounded, rounded));
}

int main() {
  const int count = 37 * 64 - 5;
  std::vector<__half> values(2 * count), ones(2 * count, __float2half(1.0f));
  std::vector<float> floats(count);
  for (int i = 0; i < 2 * count; ++i)
    values[i] = __float2half(float(i % 64));
  for (int i = 0; i < count; ++i)
    floats[i] = float(i % 50) * 0.5f;
  const __half* const x = deviceCopy(values);
  __half* const y = deviceCopy(ones);
  axpyPairs<<<37, 64>>>(reinterpret_cast<const __half2*>(x), reinterpret_cast<__half2*>(y),
                        __floats2half2_rn(2.0f, 3.0f), count);
  float* const wide = deviceArray<float>(count);
  widen<<<37, 64>>>(y, wide, count);
  // y holds 1 + 2 v or 1 + 3 v, up to 190: exact in half. Its root is rounded twice.
  expect<float>("half", wide, count, [](std::size_t i) {
    const float v = 1.0f + (i % 2 ? 3.0f : 2.0f) * float(i % 64);
    const float root = 2.0f * __half2float(__float2half(sqrtf(v)));
    return root > v ? root : -v;
  });
  float* const sums = deviceArray<float>(count);
  brain<<<37, 64>>>(deviceCopy(floats), sums, count);
  expect<float>("bfloat16", sums, count, [](std::size_t i) {
    const float v = float(i % 50) * 0.5f;
    return 3.0f * v + __bfloat162float(__float2bfloat16(v * v));
  });
}
