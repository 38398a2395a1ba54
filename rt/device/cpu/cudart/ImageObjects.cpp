// ImageObjects.cpp - texture and surface objects: CUDA's descriptors made into the engine's images.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/ImageObjects.h"

#include <algorithm>

namespace gpusched::cudart {

using cpu::ImageLevel;
using cpu::ImageObject;
using cpu::Sampler;

static constexpr uint64_t kMostLinearTexels = uint64_t(1) << 28;

static cudaError_t describedFormat(const cudaChannelFormatDesc& desc, ImageFormat& format) {
  const std::optional<ImageFormat> found = imageFormat(desc);
  if (!found)
    return cudaErrorInvalidChannelDescriptor;
  format = *found;
  return cudaSuccess;
}

static cudaError_t linearLevel(const cudaResourceDesc& resource, ImageLevel& level,
                               ImageFormat& format) {
  const auto& linear = resource.res.linear;
  if (cudaError_t error = describedFormat(linear.desc, format); error != cudaSuccess)
    return error;
  const uint64_t texels = linear.sizeInBytes / format.texel.bytes();
  if (!linear.devPtr || texels == 0 || texels > kMostLinearTexels)
    return cudaErrorInvalidValue;
  level = {static_cast<uint8_t*>(linear.devPtr),
           uint32_t(texels),
           1,
           1,
           linear.sizeInBytes,
           linear.sizeInBytes};
  return cudaSuccess;
}

static cudaError_t pitchedLevel(const cudaResourceDesc& resource, ImageLevel& level,
                                ImageFormat& format) {
  const auto& plane = resource.res.pitch2D;
  if (cudaError_t error = describedFormat(plane.desc, format); error != cudaSuccess)
    return error;
  if (!plane.devPtr || plane.width == 0 || plane.height == 0 ||
      plane.width * format.texel.bytes() > plane.pitchInBytes)
    return cudaErrorInvalidValue;
  level = {static_cast<uint8_t*>(plane.devPtr),
           uint32_t(plane.width),
           uint32_t(plane.height),
           1,
           plane.pitchInBytes,
           plane.pitchInBytes * plane.height};
  return cudaSuccess;
}

cudaError_t ImageObjects::addLevels(const cudaResourceDesc& resource, ImageObject& object,
                                    ImageFormat& format) {
  ImageLevel level;
  cudaError_t error = cudaSuccess;
  switch (resource.resType) {
  case cudaResourceTypeLinear:
    error = linearLevel(resource, level, format);
    break;
  case cudaResourceTypePitch2D:
    error = pitchedLevel(resource, level, format);
    break;
  case cudaResourceTypeArray: {
    const Array* array = arrays_.find(resource.res.array.array);
    if (!array)
      return cudaErrorInvalidValue;
    level = array->level;
    format = array->format;
    break;
  }
  case cudaResourceTypeMipmappedArray: {
    const MipmappedArray* array = arrays_.find(resource.res.mipmap.mipmap);
    if (!array)
      return cudaErrorInvalidValue;
    for (const Array* one : array->levels)
      object.levels.push_back(one->level);
    format = array->levels[0]->format;
    return cudaSuccess;
  }
  default:
    return cudaErrorInvalidValue;
  }
  if (error == cudaSuccess)
    object.levels.push_back(level);
  return error;
}

/// Another format of the same size, some of the levels, some of the layers.
static cudaError_t applyView(const cudaResourceViewDesc& view, ImageObject& object,
                             ImageFormat& format) {
  if (view.format != cudaResViewFormatNone) {
    const std::optional<ImageFormat> seen = imageFormat(view.format);
    if (!seen || seen->texel.bytes() != format.texel.bytes())
      return cudaErrorInvalidValue;
    format = *seen;
  }
  if (view.firstMipmapLevel > view.lastMipmapLevel ||
      view.lastMipmapLevel >= object.levels.size() || view.firstLayer > view.lastLayer)
    return cudaErrorInvalidValue;
  object.levels = {object.levels.begin() + view.firstMipmapLevel,
                   object.levels.begin() + view.lastMipmapLevel + 1};
  if (view.lastLayer == 0)
    return cudaSuccess;
  for (ImageLevel& level : object.levels) {
    if (view.lastLayer >= level.depth)
      return cudaErrorInvalidValue;
    level.base += view.firstLayer * level.slice;
    level.depth = view.lastLayer - view.firstLayer + 1;
  }
  return cudaSuccess;
}

static Sampler samplerOf(const cudaTextureDesc& texture, const ImageFormat& format) {
  Sampler sampler;
  sampler.normalized = texture.normalizedCoords != 0;
  for (unsigned k = 0; k < 3; ++k) {
    const cudaTextureAddressMode mode = texture.addressMode[k];
    const bool needsUnit = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
    sampler.address[k] =
        cpu::AddressMode(needsUnit && !sampler.normalized ? cudaAddressModeClamp : mode);
  }
  sampler.linear = texture.filterMode == cudaFilterModeLinear;
  // CUDA promotes only 8- and 16-bit integers.
  sampler.asFloat = format.normalized || (texture.readMode == cudaReadModeNormalizedFloat &&
                                          format.texel.channelBytes < 4);
  sampler.srgb = texture.sRGB != 0;
  std::copy(std::begin(texture.borderColor), std::end(texture.borderColor), sampler.border.begin());
  sampler.mipLinear = texture.mipmapFilterMode == cudaFilterModeLinear;
  sampler.levelBias = texture.mipmapLevelBias;
  sampler.minLevel = texture.minMipmapLevelClamp;
  sampler.maxLevel = texture.maxMipmapLevelClamp;
  return sampler;
}

cudaError_t ImageObjects::createTexture(const ImageDescription& description,
                                        cudaTextureObject_t& handle) {
  ImageObject object;
  ImageFormat format;
  const cudaResourceDesc& resource = description.resource;
  if (cudaError_t error = addLevels(resource, object, format); error != cudaSuccess)
    return error;
  if (description.hasView)
    if (cudaError_t error = applyView(description.view, object, format); error != cudaSuccess)
      return error;
  object.format = format.texel;
  const Sampler sampler = samplerOf(description.texture, format);
  const bool floats = format.texel.kind == cpu::TexelFormat::Kind::Float || sampler.asFloat;
  if (sampler.linear && !floats && resource.resType != cudaResourceTypeLinear)
    return cudaErrorInvalidFilterSetting;
  if (resource.resType == cudaResourceTypeMipmappedArray && !sampler.normalized)
    return cudaErrorInvalidValue;
  object.sampler = sampler;
  return add(std::move(object), description, handle);
}

cudaError_t ImageObjects::createSurface(const cudaResourceDesc& resource,
                                        cudaSurfaceObject_t& handle) {
  if (resource.resType != cudaResourceTypeArray)
    return cudaErrorInvalidValue;
  const Array* array = arrays_.find(resource.res.array.array);
  if (!array || !(array->flags & cudaArraySurfaceLoadStore))
    return cudaErrorInvalidValue;
  ImageObject object;
  object.format = array->format.texel;
  object.levels.push_back(array->level);
  ImageDescription description;
  description.resource = resource;
  return add(std::move(object), description, handle);
}

cudaError_t ImageObjects::add(ImageObject object, const ImageDescription& description,
                              unsigned long long& handle) {
  handle = table_.add(std::move(object));
  if (!handle)
    return cudaErrorMemoryAllocation;
  std::lock_guard<std::mutex> lock(mutex_);
  descriptions_.emplace(handle, description);
  return cudaSuccess;
}

bool ImageObjects::destroy(unsigned long long handle) {
  std::lock_guard<std::mutex> lock(mutex_);
  return descriptions_.erase(handle) != 0 && table_.remove(handle);
}

std::optional<ImageDescription> ImageObjects::find(unsigned long long handle) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = descriptions_.find(handle);
  return found == descriptions_.end() ? std::nullopt : std::optional(found->second);
}

} // namespace gpusched::cudart
