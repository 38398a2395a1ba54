// Mipmapped arrays: the level is given, clamped and biased, or follows from gradients.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Texture.h"

__global__ void sample(cudaTextureObject_t texture, float* out) {
  int i = threadIdx.x;
  out[i] = tex2DLod<float>(texture, 0.5f, 0.5f, i * 0.25f - 1);
  // Gradients of 2^(i/4) texels of the 16 x 16 level.
  float step = exp2f(i * 0.25f) / 16;
  out[i + 32] =
      tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(step, 0), make_float2(0, step / 2));
  out[i + 64] = tex2D<float>(texture, 0.5f, 0.5f);
}

int main() {
  cudaMipmappedArray_t mipmapped;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK_OK(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(16, 16, 0), 9));
  cudaArray_t level;
  for (int i = 0; i < 5; ++i) {
    CHECK_OK(cudaGetMipmappedArrayLevel(&level, mipmapped, i));
    cudaExtent extent;
    CHECK_OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
    CHECK_IS(extent.width, size_t(16 >> i));
    std::vector<float> texels(extent.width * extent.height, i * 10.0f);
    CHECK_OK(cudaMemcpy2DToArray(level, 0, 0, texels.data(), extent.width * 4, extent.width * 4,
                                 extent.height, cudaMemcpyHostToDevice));
  }
  CHECK_IS(cudaGetMipmappedArrayLevel(&level, mipmapped, 5), cudaErrorInvalidValue);

  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmapped;
  float* out = managed<float>(96);
  for (int linear = 0; linear < 2; ++linear) {
    cudaTextureDesc how = {};
    how.normalizedCoords = 1;
    how.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.mipmapLevelBias = 0.5f;
    how.maxMipmapLevelClamp = 3;
    cudaTextureObject_t texture;
    CHECK_OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    sample<<<1, 32>>>(texture, out);
    CHECK_OK(cudaDestroyTextureObject(texture));
    for (int i = 0; i < 32; ++i) {
      double given = std::clamp(i * 0.25 - 0.5, 0.0, 3.0);
      double gradient = std::clamp(i * 0.25 + 0.5, 0.0, 3.0);
      CHECK_NEAR(out[i], 10 * (linear ? given : std::floor(given + 0.5)));
      if (linear) // the rounding of log2 decides about ties of the other
        CHECK_TRUE(std::fabs(out[i + 32] - 10 * gradient) < 0.05);
      CHECK_NEAR(out[i + 64], linear ? 5 : 10);
    }
  }
  CHECK_OK(cudaFreeMipmappedArray(mipmapped));
}
