// Arrays.h - CUDA arrays and mipmapped arrays.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cudaArray_t is an Array's address, a cudaMipmappedArray_t a MipmappedArray's. Rows are packed:
// the bytes of an array lie as those of a C array, with layers and faces as slices.
// Threads: the lock guards who exists; an Array itself never changes.
#pragma once

#include "rt/device/cpu/cudart/ImageFormat.h"
#include "rt/device/cpu/memory/DeviceMemory.h"

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gpusched::cudart {

struct Array {
  cudaChannelFormatDesc description{};
  cudaExtent extent{}; // as asked for: 0 where the array has no such dimension
  unsigned flags = 0;
  ImageFormat format;
  cpu::ImageLevel level; // `base` is device memory

  uint64_t bytes() const { return level.slice * level.depth; }
  bool isCubemap() const { return (flags & cudaArrayCubemap) != 0; }
};

struct MipmappedArray {
  std::vector<Array*> levels; // owned by Arrays like all others
};

class Arrays {
public:
  explicit Arrays(cpu::DeviceMemory& memory) : memory_(memory) {}

  cudaError_t create(const cudaChannelFormatDesc& description, const cudaExtent& extent,
                     unsigned flags, cudaArray_t& array);
  /// Fewer levels when the image has no room for as many.
  cudaError_t create(const cudaChannelFormatDesc& description, const cudaExtent& extent,
                     unsigned flags, unsigned levels, cudaMipmappedArray_t& array);
  /// False when there is no such array.
  bool free(cudaArray_const_t array);
  bool free(cudaMipmappedArray_const_t array);
  /// Null when there is no such array.
  const Array* find(cudaArray_const_t array);
  const MipmappedArray* find(cudaMipmappedArray_const_t array);

private:
  cpu::DeviceMemory& memory_;
  std::mutex mutex_;
  std::unordered_map<const void*, std::unique_ptr<Array>> arrays_;
  std::unordered_map<const void*, std::unique_ptr<MipmappedArray>> mipmapped_;
};

} // namespace gpusched::cudart
