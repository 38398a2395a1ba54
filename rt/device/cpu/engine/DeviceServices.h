// DeviceServices.h - what kernels ask of the device while they run: printf, malloc, textures.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by workers; each part has its own lock.
#pragma once

#include "rt/device/cpu/engine/Gpu.h"
#include "rt/device/cpu/engine/ImageTable.h"
#include "rt/device/cpu/memory/DeviceMemory.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace gpusched::cpu {

class DeviceServices {
public:
  explicit DeviceServices(DeviceMemory& memory) : memory_(memory) {}

  void print(const std::string& text);
  std::string takeOutput();

  /// Null when the heap limit is reached.
  void* allocate(uint64_t bytes);
  /// False when `address` did not come from allocate().
  bool release(void* address);
  void setHeapLimit(uint64_t bytes);

  ImageTable images;
  DeviceQueries queries;
  DeviceMemory& memory() { return memory_; }

private:
  DeviceMemory& memory_;
  std::mutex outputMutex_, heapMutex_;
  std::string output_;
  std::unordered_map<void*, uint64_t> heap_;
  uint64_t heapUsed_ = 0, heapLimit_ = 8 << 20;
};

} // namespace gpusched::cpu
