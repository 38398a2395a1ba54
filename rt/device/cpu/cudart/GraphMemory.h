// GraphMemory.h - the addresses that graphs allocated.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph's allocation has the same address in every launch, whoever frees it in between: a free
// node, cudaFreeAsync in the same or another stream, or cudaFree. So none of them gives it back.
// Thread-safe.
#pragma once

#include <mutex>
#include <unordered_set>

namespace gpusched::cudart {

class GraphMemory {
public:
  static GraphMemory& instance() {
    static GraphMemory* const kMemory = new GraphMemory;
    return *kMemory;
  }
  void add(void* address) {
    std::lock_guard<std::mutex> lock(mutex_);
    addresses_.insert(address);
  }
  bool contains(void* address) {
    std::lock_guard<std::mutex> lock(mutex_);
    return addresses_.contains(address);
  }

private:
  std::mutex mutex_;
  std::unordered_set<void*> addresses_;
};

} // namespace gpusched::cudart
