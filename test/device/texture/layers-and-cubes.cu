// Layered and cubemap textures: the layer is an index that clamps, a direction chooses a face.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Texture.h"

__global__ void layers(cudaTextureObject_t line, cudaTextureObject_t plane, float* out) {
  int i = threadIdx.x;
  out[i] = tex1DLayered<float>(line, i % 8 + 0.5f, i / 8);
  out[i + 32] = tex2DLayered<float>(plane, i % 8 + 0.25f, i % 4 + 0.75f, i / 8);
}

__global__ void cubes(cudaTextureObject_t cube, cudaTextureObject_t cubes, float3* directions,
                      float* out) {
  float3 d = directions[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(cube, d.x, d.y, d.z);
  out[threadIdx.x + 32] = texCubemapLayered<float>(cubes, d.x, d.y, d.z, 1);
}

static void checkLayers() {
  Image lines(8, 1, 3), planes(8, 4, 3);
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  float* out = managed<float>(64);
  layers<<<1, 32>>>(
      arrayTexture(lines.array(make_cudaExtent(8, 0, 3), cudaArrayLayered), how),
      arrayTexture(planes.array(make_cudaExtent(8, 4, 3), cudaArrayLayered), how), out);
  CHECK_OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) {
    int layer = std::min(i / 8, 2);
    CHECK_NEAR(out[i], lines.value(how, 1, i % 8 + 0.5, 0, layer));
    CHECK_NEAR(out[i + 32], planes.value(how, 2, i % 8 + 0.25, i % 4 + 0.75, layer));
  }
}

int main() {
  checkLayers();
  // Axis, sign, face, and how s and t come from the other axes: the guide's table.
  struct Face { int major, sign, s, sSign, t, tSign; };
  const Face faces[6] = {{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
                         {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1}};
  constexpr int kSide = 4;
  Image one(kSide, kSide, 6), two(kSide, kSide, 12);
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
  how.normalizedCoords = 1;
  float3* directions = managed<float3>(24);
  float* out = managed<float>(64);
  double expectedS[24], expectedT[24];
  for (int i = 0; i < 24; ++i) {
    const Face& face = faces[i % 6];
    float s = (i / 6 * 2 - 3) / 4.0f, t = (3 - i / 6 * 2) / 4.0f, d[3];
    d[face.major] = face.sign * 2.0f;
    d[face.s] = 2 * s * face.sSign;
    d[face.t] = 2 * t * face.tSign;
    directions[i] = make_float3(d[0], d[1], d[2]);
    expectedS[i] = (s + 1) / 2, expectedT[i] = (t + 1) / 2;
  }
  cubes<<<1, 24>>>(arrayTexture(one.array(make_cudaExtent(kSide, kSide, 6), cudaArrayCubemap), how),
                   arrayTexture(two.array(make_cudaExtent(kSide, kSide, 12),
                                          cudaArrayCubemap | cudaArrayLayered), how),
                   directions, out);
  CHECK_OK(cudaDeviceSynchronize());
  for (int i = 0; i < 24; ++i) {
    CHECK_NEAR(out[i], one.value(how, 2, expectedS[i], expectedT[i], i % 6));
    CHECK_NEAR(out[i + 32], two.value(how, 2, expectedS[i], expectedT[i], 6 + i % 6));
  }
}
