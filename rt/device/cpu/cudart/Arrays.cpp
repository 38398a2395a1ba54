// Arrays.cpp - CUDA arrays and mipmapped arrays.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/Arrays.h"

#include <algorithm>
#include <bit>

namespace gpusched::cudart {

static constexpr size_t kLongestSide = 1 << 17;
static constexpr unsigned kKnownFlags = cudaArrayLayered | cudaArraySurfaceLoadStore |
                                        cudaArrayCubemap | cudaArrayTextureGather |
                                        cudaArrayColorAttachment;

static bool validShape(const cudaExtent& extent, unsigned flags) {
  if (extent.width == 0 || extent.width > kLongestSide || extent.height > kLongestSide ||
      extent.depth > kLongestSide || flags & ~kKnownFlags)
    return false;
  const bool layered = flags & cudaArrayLayered;
  if (flags & cudaArrayCubemap)
    return extent.width == extent.height &&
           (layered ? extent.depth && extent.depth % 6 == 0 : extent.depth == 6);
  return layered ? extent.depth != 0 : extent.depth == 0 || extent.height != 0;
}

cudaError_t Arrays::create(const cudaChannelFormatDesc& description, const cudaExtent& extent,
                           unsigned flags, cudaArray_t& result) {
  const std::optional<ImageFormat> format = imageFormat(description);
  if (!format)
    return cudaErrorInvalidChannelDescriptor;
  if (!validShape(extent, flags))
    return cudaErrorInvalidValue;
  std::unique_ptr<Array> array = std::make_unique<Array>();
  array->description = description;
  array->extent = extent;
  array->flags = flags;
  array->format = *format;
  cpu::ImageLevel& level = array->level;
  level.width = uint32_t(extent.width);
  level.height = uint32_t(std::max<size_t>(1, extent.height));
  level.depth = uint32_t(std::max<size_t>(1, extent.depth));
  level.pitch = uint64_t(level.width) * format->texel.bytes();
  level.slice = level.pitch * level.height;
  level.base = static_cast<uint8_t*>(memory_.allocate(array->bytes()));
  if (!level.base)
    return cudaErrorMemoryAllocation;
  result = reinterpret_cast<cudaArray_t>(array.get());
  std::lock_guard<std::mutex> lock(mutex_);
  arrays_.emplace(result, std::move(array));
  return cudaSuccess;
}

/// Layers stay as many as they are from level to level.
static cudaExtent halved(const cudaExtent& extent, unsigned flags) {
  const auto half = [](size_t size) { return size ? std::max<size_t>(1, size / 2) : 0; };
  const bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
  return {half(extent.width), half(extent.height), layers ? extent.depth : half(extent.depth)};
}

static unsigned mostLevels(const cudaExtent& extent, unsigned flags) {
  const bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
  return unsigned(
      std::bit_width(std::max({extent.width, extent.height, layers ? 0 : extent.depth})));
}

cudaError_t Arrays::create(const cudaChannelFormatDesc& description, const cudaExtent& extent,
                           unsigned flags, unsigned count, cudaMipmappedArray_t& result) {
  count = std::clamp(count, 1u, mostLevels(extent, flags));
  std::unique_ptr<MipmappedArray> mipmapped = std::make_unique<MipmappedArray>();
  cudaExtent size = extent;
  for (unsigned i = 0; i < count; ++i, size = halved(size, flags)) {
    cudaArray_t level = nullptr;
    if (cudaError_t error = create(description, size, flags, level); error != cudaSuccess) {
      for (const Array* made : mipmapped->levels)
        free(reinterpret_cast<cudaArray_const_t>(made));
      return error;
    }
    mipmapped->levels.push_back(reinterpret_cast<Array*>(level));
  }
  result = reinterpret_cast<cudaMipmappedArray_t>(mipmapped.get());
  std::lock_guard<std::mutex> lock(mutex_);
  mipmapped_.emplace(result, std::move(mipmapped));
  return cudaSuccess;
}

bool Arrays::free(cudaArray_const_t array) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = arrays_.find(array);
  if (found == arrays_.end())
    return false;
  memory_.free(found->second->level.base);
  arrays_.erase(found);
  return true;
}

bool Arrays::free(cudaMipmappedArray_const_t array) {
  std::unique_ptr<MipmappedArray> mipmapped;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = mipmapped_.find(array);
    if (found == mipmapped_.end())
      return false;
    mipmapped = std::move(found->second);
    mipmapped_.erase(found);
  }
  for (const Array* level : mipmapped->levels)
    free(reinterpret_cast<cudaArray_const_t>(level));
  return true;
}

const Array* Arrays::find(cudaArray_const_t array) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = arrays_.find(array);
  return found == arrays_.end() ? nullptr : found->second.get();
}

const MipmappedArray* Arrays::find(cudaMipmappedArray_const_t array) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = mipmapped_.find(array);
  return found == mipmapped_.end() ? nullptr : found->second.get();
}

} // namespace gpusched::cudart
