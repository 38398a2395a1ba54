// ImageObjects.h - texture and surface objects: CUDA's descriptors made into the engine's images.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear memory gives a row of texels for tex1Dfetch, pitched memory a plane, an array whatever it
// is. What CUDA refuses is refused with its code; where it silently changes a setting (wrap and
// mirror need normalised coordinates, otherwise they clamp) so does this.
#pragma once

#include "rt/device/cpu/cudart/Arrays.h"
#include "rt/device/cpu/engine/ImageTable.h"

#include <cuda_runtime_api.h>

#include <mutex>
#include <unordered_map>

namespace gpusched::cudart {

/// What an object was made from, for the queries.
struct ImageDescription {
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  cudaResourceViewDesc view{};
  bool isTexture = false, hasView = false;
};

class ImageObjects {
public:
  ImageObjects(cpu::ImageTable& table, Arrays& arrays) : table_(table), arrays_(arrays) {}

  cudaError_t createTexture(const ImageDescription& description, cudaTextureObject_t& handle);
  cudaError_t createSurface(const cudaResourceDesc& resource, cudaSurfaceObject_t& handle);
  bool destroy(unsigned long long handle);
  std::optional<ImageDescription> find(unsigned long long handle);

private:
  cudaError_t addLevels(const cudaResourceDesc& resource, cpu::ImageObject& object,
                        ImageFormat& format);
  cudaError_t add(cpu::ImageObject object, const ImageDescription& description,
                  unsigned long long& handle);

  cpu::ImageTable& table_;
  Arrays& arrays_;
  std::mutex mutex_;
  std::unordered_map<unsigned long long, ImageDescription> descriptions_;
};

} // namespace gpusched::cudart
