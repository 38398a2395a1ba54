// Every address mode with both filters and coordinate kinds, in one, two and three dimensions.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Texture.h"

constexpr int kPoints = 96;

/// Exact in single precision and never between two texels, where a mirror has two answers.
__host__ __device__ float coordinate(int point, int axis, bool normalized) {
  int step = point * (axis * 2 + 5) % 97 - 30;
  return normalized ? step / 32.0f + 1 / 64.0f : step / 4.0f + 0.125f;
}

__global__ void sample(cudaTextureObject_t texture, int axes, bool normalized, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = coordinate(i, 0, normalized), y = coordinate(i, 1, normalized),
        z = coordinate(i, 2, normalized);
  if (axes == 1)
    out[i] = tex1D<float>(texture, x);
  else if (axes == 2)
    out[i] = tex2D<float>(texture, x, y);
  else
    out[i] = tex3D<float>(texture, x, y, z);
}

int main() {
  float* out = managed<float>(kPoints);
  for (int axes = 1; axes <= 3; ++axes) {
    Image image(8, axes > 1 ? 4 : 0, axes > 2 ? 2 : 0);
    cudaArray_t array = image.array(make_cudaExtent(8, axes > 1 ? 4 : 0, axes > 2 ? 2 : 0));
    for (int test = 0; test < 16; ++test) {
      cudaTextureDesc how = {};
      for (cudaTextureAddressMode& mode : how.addressMode)
        mode = cudaTextureAddressMode(test / 4);
      how.filterMode = test & 1 ? cudaFilterModeLinear : cudaFilterModePoint;
      how.normalizedCoords = test >> 1 & 1;
      how.borderColor[0] = 0.75f;
      cudaTextureObject_t texture = arrayTexture(array, how);
      sample<<<3, 32>>>(texture, axes, how.normalizedCoords, out);
      CHECK_OK(cudaDestroyTextureObject(texture));
      bool unit = how.addressMode[0] == cudaAddressModeWrap ||
                  how.addressMode[0] == cudaAddressModeMirror;
      for (cudaTextureAddressMode& mode : how.addressMode)
        if (unit && !how.normalizedCoords)
          mode = cudaAddressModeClamp;
      for (int i = 0; i < kPoints; ++i)
        CHECK_NEAR(out[i], image.value(how, axes, coordinate(i, 0, how.normalizedCoords),
                                       coordinate(i, 1, how.normalizedCoords),
                                       coordinate(i, 2, how.normalizedCoords)));
    }
    CHECK_OK(cudaFreeArray(array));
  }
}
