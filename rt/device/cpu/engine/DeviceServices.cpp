// DeviceServices.cpp - the output buffer and the device heap.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/DeviceServices.h"

#include <algorithm>
#include <utility>

namespace gpusched::cpu {

void DeviceServices::print(const std::string& text) {
  std::lock_guard lock(outputMutex_);
  output_ += text;
}

std::string DeviceServices::takeOutput() {
  std::lock_guard lock(outputMutex_);
  return std::exchange(output_, {});
}

void* DeviceServices::allocate(uint64_t bytes) {
  std::lock_guard lock(heapMutex_);
  if (bytes == 0 || bytes > heapLimit_ - heapUsed_)
    return nullptr;
  void* const address = memory_.allocate(bytes);
  if (!address)
    return nullptr;
  heap_[address] = bytes;
  heapUsed_ += bytes;
  return address;
}

bool DeviceServices::release(void* address) {
  std::lock_guard lock(heapMutex_);
  const auto found = heap_.find(address);
  if (found == heap_.end())
    return false;
  heapUsed_ -= found->second;
  heap_.erase(found);
  return memory_.free(address);
}

void DeviceServices::setHeapLimit(uint64_t bytes) {
  std::lock_guard lock(heapMutex_);
  heapLimit_ = std::max(bytes, heapUsed_);
}

} // namespace gpusched::cpu
