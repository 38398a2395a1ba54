// Textures over linear and pitched memory: fetches by index, types, read modes, both filters.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Texture.h"

__global__ void fetch(cudaTextureObject_t bytes, cudaTextureObject_t quads, int* out, int count) {
  int i = threadIdx.x;
  out[i] = i < count + 4 ? tex1Dfetch<signed char>(bytes, i - 2) : 0;
  int4 quad = tex1Dfetch<int4>(quads, i % 4);
  out[i + 32] = quad.x + 10 * quad.y + 100 * quad.z + 1000 * quad.w;
}

__global__ void normalizedFetch(cudaTextureObject_t shorts, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(shorts, threadIdx.x);
}

__global__ void plane(cudaTextureObject_t texture, float* out) {
  float x = 0.37f * threadIdx.x - 1, y = 0.23f * threadIdx.x - 1;
  out[threadIdx.x] = tex2D<float>(texture, x, y);
}

static void fetches() {
  signed char bytes[20];
  int quads[16];
  for (int i = 0; i < 20; ++i)
    bytes[i] = (signed char)(i * 13 - 128);
  for (int i = 0; i < 16; ++i)
    quads[i] = i * i;
  int* out = managed<int>(64);
  fetch<<<1, 32>>>(linearTexture(bytes, 20), linearTexture((int4*)quads, 4), out, 20);
  CHECK_OK(cudaDeviceSynchronize());
  for (int i = 0; i < 24; ++i)
    CHECK_IS(out[i], i >= 2 && i < 22 ? bytes[i - 2] : 0);
  for (int i = 0; i < 32; ++i)
    CHECK_IS(out[i + 32], quads[i % 4 * 4] + 10 * quads[i % 4 * 4 + 1] +
                              100 * quads[i % 4 * 4 + 2] + 1000 * quads[i % 4 * 4 + 3]);
  short shorts[3] = {-32768, 0, 32767};
  float* real = managed<float>(3);
  normalizedFetch<<<1, 3>>>(linearTexture(shorts, 3, cudaReadModeNormalizedFloat), real);
  CHECK_OK(cudaDeviceSynchronize());
  for (int i = 0; i < 3; ++i)
    CHECK_IS(real[i], i - 1);
}

int main() {
  fetches();
  constexpr int kWidth = 7, kHeight = 5;
  size_t pitch;
  float* memory;
  CHECK_OK(cudaMallocPitch(&memory, &pitch, kWidth * sizeof(float), kHeight));
  Image image(kWidth, kHeight, 1);
  CHECK_OK(cudaMemcpy2D(memory, pitch, image.texels.data(), kWidth * 4, kWidth * 4, kHeight,
                        cudaMemcpyHostToDevice));
  float* out = managed<float>(32);
  for (cudaTextureFilterMode filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {memory, cudaCreateChannelDesc<float>(), kWidth, kHeight, pitch};
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = filter;
    cudaTextureObject_t texture;
    CHECK_OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    plane<<<1, 32>>>(texture, out);
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i)
      CHECK_NEAR(out[i], image.value(description, 2, 0.37f * i - 1, 0.23f * i - 1));
    CHECK_OK(cudaDestroyTextureObject(texture));
    CHECK_IS(cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
  }
}
