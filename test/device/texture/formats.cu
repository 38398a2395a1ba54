// Texel formats: channels, half, normalised integers, sRGB, gather, views in another format.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Texture.h"

#include <cuda_fp16.h>

__global__ void read(cudaTextureObject_t colour, cudaTextureObject_t srgb, cudaTextureObject_t raw,
                     cudaTextureObject_t half, cudaTextureObject_t view, float4* out) {
  out[0] = tex2D<float4>(colour, 0.5f, 0.5f);
  out[1] = tex2D<float4>(srgb, 0.5f, 0.5f);
  uchar4 bytes = tex2D<uchar4>(raw, 1.5f, 0.5f);
  out[2] = make_float4(bytes.x, bytes.y, bytes.z, bytes.w);
  float2 pair = tex2D<float2>(half, 0.5f, 0.5f);
  out[3] = make_float4(pair.x, pair.y, 0, 0);
  out[4] = make_float4(tex2D<unsigned>(view, 1.5f, 0.5f), 0, 0, 0);
  bool resident = false;
  out[5] = tex2Dgather<float4>(colour, 1.0f, 1.0f, &resident, 1);
  if (!resident)
    out[5].x = -1;
}

static cudaArray_t arrayOf(cudaChannelFormatDesc format, const void* texels, size_t pitch,
                           int height) {
  cudaArray_t array;
  int bytes = (format.x + format.y + format.z + format.w) / 8;
  CHECK_OK(cudaMallocArray(&array, &format, pitch / bytes, height));
  CHECK_OK(cudaMemcpy2DToArray(array, 0, 0, texels, pitch, pitch, height, cudaMemcpyHostToDevice));
  return array;
}

int main() {
  unsigned char texels[2][2][4] = {{{0, 51, 102, 255}, {1, 2, 3, 4}}, {{5, 6, 7, 8}, {9, 10, 11, 12}}};
  __half halves[2] = {__float2half(-1.5f), __float2half(0.000030517578125f)};
  cudaArray_t bytes = arrayOf(cudaCreateChannelDesc<uchar4>(), texels, 8, 2);
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t raw = arrayTexture(bytes, how);
  cudaTextureObject_t half = arrayTexture(
      arrayOf(cudaCreateChannelDescHalf2(), halves, 4, 1), how);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = bytes;
  cudaResourceViewDesc asInteger = {};
  asInteger.format = cudaResViewFormatUnsignedInt1;
  asInteger.width = asInteger.height = 2;
  cudaTextureObject_t view, srgb;
  CHECK_OK(cudaCreateTextureObject(&view, &resource, &how, &asInteger));
  how.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t colour = arrayTexture(bytes, how);
  how.sRGB = 1;
  CHECK_OK(cudaCreateTextureObject(&srgb, &resource, &how, nullptr));
  float4* out = managed<float4>(6);
  read<<<1, 1>>>(colour, srgb, raw, half, view, out);
  CHECK_OK(cudaDeviceSynchronize());
  CHECK_NEAR(out[0].y, 0.2);
  CHECK_NEAR(out[0].w, 1);
  CHECK_NEAR(out[1].x, 0);
  CHECK_NEAR(out[1].y, std::pow((0.2 + 0.055) / 1.055, 2.4));
  CHECK_NEAR(out[1].w, 1);
  CHECK_IS(out[2].x + 10 * out[2].y + 100 * out[2].z + 1000 * out[2].w, 4321);
  CHECK_IS(out[3].x, -1.5f);
  CHECK_IS(out[3].y, 0.000030517578125f);
  CHECK_NEAR(out[4].x, 0x04030201);
  CHECK_NEAR(out[5].x, 6 / 255.0); // lower left, lower right, upper right, upper left
  CHECK_NEAR(out[5].y, 10 / 255.0);
  CHECK_NEAR(out[5].z, 2 / 255.0);
  CHECK_NEAR(out[5].w, 51 / 255.0);

  how = {};
  how.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t none;
  CHECK_IS(cudaCreateTextureObject(&none, &resource, &how, nullptr), cudaErrorInvalidFilterSetting);
  cudaTextureDesc back;
  CHECK_OK(cudaGetTextureObjectTextureDesc(&back, srgb));
  CHECK_IS(back.sRGB, 1);
}
