// Forms that only PTX has: texel offsets, results of f16, reductions to surfaces.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Texture.h"

#include <cuda_fp16.h>

constexpr int kWidth = 8, kHeight = 4;

__device__ float fromHalf(unsigned short bits) {
  return __half2float(__ushort_as_half(bits));
}

__global__ void offsets(cudaTextureObject_t texture, float x, float y, int i, int j, float* out) {
  float unused[3];
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8};"
      : "=f"(out[0]), "=f"(unused[0]), "=f"(unused[1]), "=f"(unused[2])
      : "l"(texture), "f"(x), "f"(y), "r"(i), "r"(j));
  asm("tld4.r.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8};"
      : "=f"(out[1]), "=f"(out[2]), "=f"(out[3]), "=f"(out[4])
      : "l"(texture), "f"(x), "f"(y), "r"(i), "r"(j));
}

__global__ void fetchWithOffset(cudaTextureObject_t texture, int x, int i, float* out) {
  float unused[3];
  asm("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %5}], {%6, %6};"
      : "=f"(out[0]), "=f"(unused[0]), "=f"(unused[1]), "=f"(unused[2])
      : "l"(texture), "r"(x), "r"(i));
}

__global__ void halves(cudaTextureObject_t texture, float x, float* out) {
  unsigned short single[4];
  asm("tex.1d.v4.f16.f32 {%0, %1, %2, %3}, [%4, {%5}];"
      : "=h"(single[0]), "=h"(single[1]), "=h"(single[2]), "=h"(single[3])
      : "l"(texture), "f"(x));
  unsigned pairs[2];
  asm("tex.1d.v2.f16x2.f32 {%0, %1}, [%2, {%3}];"
      : "=r"(pairs[0]), "=r"(pairs[1])
      : "l"(texture), "f"(x));
  for (int k = 0; k < 4; ++k) {
    out[k] = fromHalf(single[k]);
    out[k + 4] = fromHalf((unsigned short)(pairs[k / 2] >> k % 2 * 16));
  }
}

/// Two columns outside are left out by .zero and gathered in the last by .clamp.
__global__ void reduce(cudaSurfaceObject_t sums, cudaSurfaceObject_t extremes) {
  int i = threadIdx.x;
  asm volatile("sured.b.add.2d.u32.zero [%0, {%1, %2}], %3;" ::"l"(sums), "r"(i % 10 * 4), "r"(1),
               "r"(i));
  if (i % 2)
    asm volatile("sured.b.min.1d.s32.clamp [%0, {%1}], %2;" ::"l"(extremes), "r"(i % 10 * 4),
                 "r"(-i));
}

static void checkOffsets(bool normalized, bool linear) {
  Image image(kWidth, kHeight, 1);
  cudaTextureDesc description = {};
  description.addressMode[0] = cudaAddressModeWrap;
  description.addressMode[1] = normalized ? cudaAddressModeMirror : cudaAddressModeClamp;
  description.normalizedCoords = normalized;
  description.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  cudaTextureObject_t texture =
      arrayTexture(image.array(make_cudaExtent(kWidth, kHeight, 0)), description);
  float *moved = managed<float>(5), *plain = managed<float>(5);
  for (int i = -8; i <= 7; ++i) {
    const float x = 3.25f, y = 1.75f, w = normalized ? kWidth : 1, h = normalized ? kHeight : 1;
    const int j = i % 3;
    offsets<<<1, 1>>>(texture, x / w, y / h, i, j, moved);
    offsets<<<1, 1>>>(texture, (x + i) / w, (y + j) / h, 0, 0, plain);
    CHECK_OK(cudaDeviceSynchronize());
    for (int k = 0; k < 5; ++k)
      CHECK_IS(moved[k], plain[k]);
  }
}

static void checkFetches() {
  Image image(kWidth, kHeight, 1);
  cudaTextureObject_t texture = arrayTexture(image.array(make_cudaExtent(kWidth, kHeight, 0)), {});
  float* out = managed<float>(1);
  for (int i = -4; i <= 3; ++i) {
    fetchWithOffset<<<1, 1>>>(texture, 2, i, out);
    CHECK_OK(cudaDeviceSynchronize());
    const int at = 2 + i;
    CHECK_IS(out[0], at < 0 || at >= kHeight ? 0 : image.texels[at * kWidth + at]);
  }
}

static void checkHalves() {
  const float4 texels[2] = {{1.5f, -2.0f, 1000.25f, 70000.0f}, {}};
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  CHECK_OK(cudaMallocArray(&resource.res.array.array, &format, 2));
  CHECK_OK(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, texels, sizeof texels,
                               sizeof texels, 1, cudaMemcpyHostToDevice));
  float* out = managed<float>(8);
  halves<<<1, 1>>>(arrayTexture(resource.res.array.array, {}), 0.5f, out);
  CHECK_OK(cudaDeviceSynchronize());
  const float expected[4] = {1.5f, -2.0f, 1000.0f, INFINITY};
  for (int k = 0; k < 8; ++k)
    CHECK_IS(out[k], expected[k % 4]);
}

static void checkReductions() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t sums, extremes;
  CHECK_OK(cudaMallocArray(&sums, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
  CHECK_OK(cudaMallocArray(&extremes, &format, kWidth, 0, cudaArraySurfaceLoadStore));
  const int zeros[kHeight][kWidth] = {};
  CHECK_OK(cudaMemcpy2DToArray(sums, 0, 0, zeros, kWidth * 4, kWidth * 4, kHeight,
                               cudaMemcpyHostToDevice));
  CHECK_OK(cudaMemcpy2DToArray(extremes, 0, 0, zeros, kWidth * 4, kWidth * 4, 1,
                               cudaMemcpyHostToDevice));
  reduce<<<4, 64>>>(arraySurface(sums), arraySurface(extremes));
  CHECK_OK(cudaDeviceSynchronize());
  int expected[kHeight][kWidth] = {}, least[kWidth] = {};
  for (int i = 0; i < 64; ++i) {
    if (i % 10 < kWidth)
      expected[1][i % 10] += 4 * i;
    if (i % 2)
      least[std::min(i % 10, kWidth - 1)] = std::min(least[std::min(i % 10, kWidth - 1)], -i);
  }
  int got[kHeight][kWidth];
  CHECK_OK(cudaMemcpy2DFromArray(got, kWidth * 4, sums, 0, 0, kWidth * 4, kHeight,
                                 cudaMemcpyDeviceToHost));
  for (int i = 0; i < kWidth * kHeight; ++i)
    CHECK_IS(got[i / kWidth][i % kWidth], expected[i / kWidth][i % kWidth]);
  CHECK_OK(cudaMemcpy2DFromArray(got, kWidth * 4, extremes, 0, 0, kWidth * 4, 1,
                                 cudaMemcpyDeviceToHost));
  for (int i = 0; i < kWidth; ++i)
    CHECK_IS(got[0][i], least[i]);
}

int main() {
  for (bool normalized : {false, true})
    for (bool linear : {false, true})
      checkOffsets(normalized, linear);
  checkFetches();
  checkHalves();
  checkReductions();
}
