// DriverImage.cpp - driver functions: arrays, texture and surface objects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's descriptors say the same as the runtime's in other words. Its sampler describes
// promotion the other way round: integers become floats unless CU_TRSF_READ_AS_INTEGER is set.
#include "rt/device/cpu/cudart/DriverCall.h"

#include <algorithm>

using namespace gpusched::cudart;

static cudaChannelFormatDesc channels(CUarray_format format, unsigned count) {
  int bits = 32;
  cudaChannelFormatKind kind = cudaChannelFormatKindNone;
  switch (format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
    bits = 8, kind = cudaChannelFormatKindUnsigned;
    break;
  case CU_AD_FORMAT_UNSIGNED_INT16:
    bits = 16, kind = cudaChannelFormatKindUnsigned;
    break;
  case CU_AD_FORMAT_UNSIGNED_INT32:
    kind = cudaChannelFormatKindUnsigned;
    break;
  case CU_AD_FORMAT_SIGNED_INT8:
    bits = 8, kind = cudaChannelFormatKindSigned;
    break;
  case CU_AD_FORMAT_SIGNED_INT16:
    bits = 16, kind = cudaChannelFormatKindSigned;
    break;
  case CU_AD_FORMAT_SIGNED_INT32:
    kind = cudaChannelFormatKindSigned;
    break;
  case CU_AD_FORMAT_HALF:
    bits = 16, kind = cudaChannelFormatKindFloat;
    break;
  case CU_AD_FORMAT_FLOAT:
    kind = cudaChannelFormatKindFloat;
    break;
  default:
    break;
  }
  const auto channel = [&](unsigned index) { return index < count ? bits : 0; };
  return {channel(0), channel(1), channel(2), channel(3), kind};
}

static CUarray driverArray(cudaArray_t array) {
  return reinterpret_cast<CUarray>(array);
}
static cudaArray_t runtimeArray(CUarray array) {
  return reinterpret_cast<cudaArray_t>(array);
}

GPUSCHED_DRIVER cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description) {
  if (!array || !description)
    return CUDA_ERROR_INVALID_VALUE;
  cudaChannelFormatDesc format = channels(description->Format, description->NumChannels);
  cudaArray_t made = nullptr;
  cudaError_t error = cudaMalloc3DArray(
      &made, &format, {description->Width, description->Height, description->Depth},
      description->Flags); // the flags have the runtime's values
  *array = driverArray(made);
  return driverResult(error);
}

GPUSCHED_DRIVER cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* description) {
  if (!description)
    return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR whole = {description->Width,  description->Height,      0,
                                         description->Format, description->NumChannels, 0};
  return cuArray3DCreate(array, &whole);
}

GPUSCHED_DRIVER cuArrayDestroy(CUarray array) {
  return driverResult(cudaFreeArray(runtimeArray(array)));
}

static bool translate(const CUDA_RESOURCE_DESC& from, cudaResourceDesc& to) {
  switch (from.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    to.resType = cudaResourceTypeArray;
    to.res.array.array = runtimeArray(from.res.array.hArray);
    return true;
  case CU_RESOURCE_TYPE_LINEAR:
    to.resType = cudaResourceTypeLinear;
    to.res.linear = {hostPointer(from.res.linear.devPtr),
                     channels(from.res.linear.format, from.res.linear.numChannels),
                     from.res.linear.sizeInBytes};
    return true;
  case CU_RESOURCE_TYPE_PITCH2D: {
    const auto& plane = from.res.pitch2D;
    to.resType = cudaResourceTypePitch2D;
    to.res.pitch2D = {hostPointer(plane.devPtr), channels(plane.format, plane.numChannels),
                      plane.width, plane.height, plane.pitchInBytes};
    return true;
  }
  default:
    return false;
  }
}

GPUSCHED_DRIVER cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                                  const CUDA_TEXTURE_DESC* texture,
                                  const CUDA_RESOURCE_VIEW_DESC* view) {
  cudaResourceDesc source = {};
  if (!object || !resource || !texture || view || !translate(*resource, source))
    return CUDA_ERROR_INVALID_VALUE;
  cudaTextureDesc how = {};
  for (unsigned k = 0; k < 3; ++k)
    how.addressMode[k] = cudaTextureAddressMode(texture->addressMode[k]);
  how.filterMode = cudaTextureFilterMode(texture->filterMode);
  how.readMode = texture->flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType
                                                          : cudaReadModeNormalizedFloat;
  how.normalizedCoords = (texture->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  how.sRGB = (texture->flags & CU_TRSF_SRGB) != 0;
  how.mipmapFilterMode = cudaTextureFilterMode(texture->mipmapFilterMode);
  how.mipmapLevelBias = texture->mipmapLevelBias;
  how.minMipmapLevelClamp = texture->minMipmapLevelClamp;
  how.maxMipmapLevelClamp = texture->maxMipmapLevelClamp;
  std::copy(std::begin(texture->borderColor), std::end(texture->borderColor), how.borderColor);
  return driverResult(cudaCreateTextureObject(object, &source, &how, nullptr));
}

GPUSCHED_DRIVER cuTexObjectDestroy(CUtexObject object) {
  return driverResult(cudaDestroyTextureObject(object));
}

GPUSCHED_DRIVER cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
  cudaResourceDesc source = {};
  if (!object || !resource || !translate(*resource, source))
    return CUDA_ERROR_INVALID_VALUE;
  return driverResult(cudaCreateSurfaceObject(object, &source));
}

GPUSCHED_DRIVER cuSurfObjectDestroy(CUsurfObject object) {
  return driverResult(cudaDestroySurfaceObject(object));
}
