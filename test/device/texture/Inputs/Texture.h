// Texture.h - a host image, its filtered value by the programming guide's formulas, and helpers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference works on real numbers and one axis after the other, unlike the device.
#pragma once

#include "../../cudart/Inputs/Check.h"

#include <algorithm>
#include <cmath>
#include <vector>

#define CHECK_NEAR(VALUE, EXPECTED)                                                                \
  do {                                                                                             \
    double checkedValue = (VALUE), checkedExpected = (EXPECTED);                                   \
    if (!(std::fabs(checkedValue - checkedExpected) <= 1e-5 * (1 + std::fabs(checkedExpected)))) { \
      std::printf("%s:%d: %s is %.9g, not %.9g\n", __FILE__, __LINE__, #VALUE, checkedValue,       \
                  checkedExpected);                                                                \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (false)

template <class T> T* managed(size_t count) {
  T* memory;
  CHECK_OK(cudaMallocManaged(&memory, count * sizeof(T)));
  return memory;
}

/// A texture over a copy of `texels`.
template <class T>
cudaTextureObject_t linearTexture(const T* texels, size_t count,
                                  cudaTextureReadMode mode = cudaReadModeElementType) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = count * sizeof(T);
  CHECK_OK(cudaMalloc(&resource.res.linear.devPtr, count * sizeof(T)));
  CHECK_OK(cudaMemcpy(resource.res.linear.devPtr, texels, count * sizeof(T),
                      cudaMemcpyHostToDevice));
  cudaTextureDesc description = {};
  description.readMode = mode;
  cudaTextureObject_t texture;
  CHECK_OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

inline cudaTextureObject_t arrayTexture(cudaArray_t array, const cudaTextureDesc& description) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t texture;
  CHECK_OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

inline cudaSurfaceObject_t arraySurface(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK_OK(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}

/// Floats whose values differ everywhere; sizes 0 are 1.
struct Image {
  int size[3];
  std::vector<float> texels;

  Image(int width, int height, int depth)
      : size{width, std::max(1, height), std::max(1, depth)},
        texels(size_t(size[0]) * size[1] * size[2]) {
    for (size_t i = 0; i < texels.size(); ++i)
      texels[i] = float((i * 37) % 101) - 13;
  }

  /// An array of this image. Extents as CUDA wants them.
  cudaArray_t array(cudaExtent extent, unsigned flags = 0) const {
    cudaArray_t result;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK_OK(cudaMalloc3DArray(&result, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void*)texels.data(), size[0] * 4, size[0], size[1]);
    copy.dstArray = result;
    copy.extent = make_cudaExtent(size[0], size[1], size[2]);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK_OK(cudaMemcpy3D(&copy));
    return result;
  }

  double texel(const cudaTextureDesc& how, const int (&at)[3]) const {
    int place[3];
    for (int k = 0; k < 3; ++k) {
      int n = size[k], i = at[k];
      switch (how.addressMode[k]) {
      case cudaAddressModeClamp:
        place[k] = std::min(std::max(i, 0), n - 1);
        break;
      case cudaAddressModeBorder:
        if (i < 0 || i >= n)
          return how.borderColor[0];
        place[k] = i;
        break;
      case cudaAddressModeWrap:
        place[k] = i - n * int(std::floor(double(i) / n));
        break;
      default:
        place[k] = i < 0 ? -1 - i : i;
        place[k] %= 2 * n;
        place[k] = place[k] < n ? place[k] : 2 * n - 1 - place[k];
      }
    }
    return texels[(size_t(place[2]) * size[1] + place[1]) * size[0] + place[0]];
  }

  double filtered(const cudaTextureDesc& how, int axis, const double (&x)[3],
                  int (&at)[3]) const {
    if (axis < 0)
      return texel(how, at);
    double low = std::floor(x[axis] - 0.5);
    double weight = std::floor((x[axis] - 0.5 - low) * 256 + 0.5) / 256;
    at[axis] = int(low);
    double a = filtered(how, axis - 1, x, at);
    at[axis] = int(low) + 1;
    double b = filtered(how, axis - 1, x, at);
    return (1 - weight) * a + weight * b;
  }

  /// The first `axes` coordinates are filtered, the rest are slices.
  double value(const cudaTextureDesc& how, int axes, double x, double y = 0, double z = 0) const {
    double place[3] = {x, y, z};
    int at[3] = {0, int(y), int(z)};
    for (int k = 0; k < axes; ++k) {
      if (how.normalizedCoords)
        place[k] *= size[k];
      at[k] = int(std::floor(place[k]));
    }
    cudaTextureDesc all = how;
    for (int k = axes; k < 3; ++k)
      all.addressMode[k] = cudaAddressModeClamp;
    return how.filterMode == cudaFilterModePoint ? texel(all, at)
                                                 : filtered(all, axes - 1, place, at);
  }
};
