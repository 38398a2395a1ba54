// Surfaces: byte columns, every width, layers and volumes, and what happens outside.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
// RUN: %gpusched run --device=cpu -- %t trap 2>&1 | FileCheck %s
#include "Inputs/Texture.h"

__global__ void move(cudaSurfaceObject_t plane, cudaSurfaceObject_t volume,
                     cudaSurfaceObject_t layers, float* out) {
  int i = threadIdx.x;
  surf2Dwrite(float(i), plane, i % 8 * 4, i / 8);
  surf3Dwrite(make_short2(i, -i), volume, i % 4 * 4, i / 4 % 4, i / 16);
  surf2DLayeredwrite((unsigned char)i, layers, i % 4, i / 4 % 4, i / 16);
  __syncthreads();
  out[i] = surf2Dread<float>(plane, (i % 10 - 1) * 4, i / 10 - 1, cudaBoundaryModeClamp);
  out[i + 32] = surf2Dread<float>(plane, (i % 10 - 1) * 4, i / 10 - 1, cudaBoundaryModeZero);
  surf2Dwrite(-1.0f, plane, 64, 0, cudaBoundaryModeZero);
  short2 pair = surf3Dread<short2>(volume, i % 4 * 4, i / 4 % 4, i / 16);
  out[i + 64] = pair.x - pair.y;
  out[i + 96] = surf2DLayeredread<unsigned char>(layers, i % 4, i / 4 % 4, i / 16);
}

__global__ void outside(cudaSurfaceObject_t plane) {
  surf2Dwrite(1.0f, plane, 32, 0);
}

template <class T> cudaArray_t surfaceArray(cudaExtent extent, unsigned flags = 0) {
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  CHECK_OK(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore));
  return array;
}

int main(int count, char**) {
  cudaArray_t plane = surfaceArray<float>(make_cudaExtent(8, 4, 0));
  cudaSurfaceObject_t surface = arraySurface(plane);
  if (count > 1) {
    outside<<<1, 1>>>(surface);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    // CHECK: lane 0's byte column 32 (row 0) is outside the surface
    // CHECK: cudaErrorIllegalAddress
    return 0;
  }
  float* out = managed<float>(128);
  move<<<1, 32>>>(surface, arraySurface(surfaceArray<short2>(make_cudaExtent(4, 4, 2))),
                  arraySurface(surfaceArray<unsigned char>(make_cudaExtent(4, 4, 2),
                                                           cudaArrayLayered)),
                  out);
  CHECK_OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) {
    int x = i % 10 - 1, y = i / 10 - 1;
    bool inside = x >= 0 && x < 8 && y >= 0 && y < 4;
    CHECK_IS(out[i], std::clamp(y, 0, 3) * 8 + std::clamp(x, 0, 7));
    CHECK_IS(out[i + 32], inside ? y * 8 + x : 0);
    CHECK_IS(out[i + 64], 2 * i);
    CHECK_IS(out[i + 96], i);
  }
  float back[4][8];
  CHECK_OK(cudaMemcpy2DFromArray(back, 32, plane, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i)
    CHECK_IS(back[i / 8][i % 8], i);
  cudaArray_t plain;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK_OK(cudaMallocArray(&plain, &format, 8, 4));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = plain;
  CHECK_IS(cudaCreateSurfaceObject(&surface, &resource), cudaErrorInvalidValue);
}
