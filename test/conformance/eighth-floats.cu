// Conversions of 8-bit floats on the device give what the same functions give on the host.
// RUN: %nvcc -arch=sm_90 -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

#include <cuda_fp8.h>

/// The value of a pattern: edges, ties and numbers too large among them.
__host__ __device__ float sample(int index) {
  const float scale[] = {1.0f, 0.0078125f, 480.0f, 60000.0f, 1e-4f};
  return (float(index % 97) - 48.0f) / 16.0f * scale[index % 5];
}

template <__nv_fp8_interpretation_t kFormat> __host__ __device__ unsigned both(int index) {
  const float2 pair = make_float2(sample(index), sample(index + 31));
  const __nv_fp8x2_storage_t narrow = __nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, kFormat);
  const __half2_raw wide = __nv_cvt_fp8x2_to_halfraw2(narrow, kFormat);
  const __nv_fp8_storage_t one =
      __nv_cvt_halfraw_to_fp8(__half_raw(__float2half(sample(index + 7))), __NV_SATFINITE, kFormat);
  return narrow ^ (unsigned(wide.x) << 16 | wide.y) * 3u ^ unsigned(one) << 9;
}

__global__ void convert(unsigned* out) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  out[index * 2] = both<__NV_E4M3>(index);
  out[index * 2 + 1] = both<__NV_E5M2>(index);
}

__host__ __device__ unsigned short decoded(int index) {
  const __nv_fp8_storage_t bits = index % 256;
  return __nv_cvt_fp8_to_halfraw(bits, index < 256 ? __NV_E4M3 : __NV_E5M2).x;
}

__global__ void decode(unsigned short* out) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  out[index] = decoded(index);
}

int main() {
  constexpr int kCount = 4096;
  unsigned* const out = deviceArray<unsigned>(kCount * 2);
  convert<<<kCount / 128, 128>>>(out);
  expect<unsigned>("conversions", out, kCount * 2, [](size_t i) {
    return i % 2 ? both<__NV_E5M2>(int(i / 2)) : both<__NV_E4M3>(int(i / 2));
  });
  unsigned short* const halves = deviceArray<unsigned short>(512);
  decode<<<2, 256>>>(halves);
  expect<unsigned short>("every pattern", halves, 512, [](size_t i) { return decoded(int(i)); });
}
