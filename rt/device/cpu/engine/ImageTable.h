// ImageTable.h - the live texture and surface objects, by handle.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: kernels look a handle up in every texture instruction while host threads create and
// destroy objects, and a stale handle must be told from a live one.
// Model: a handle is a place in the table and the number of times the place was used before; it
// is never 0. Places are in chunks that never move. find() takes no lock: two loads and a
// comparison. The caller of remove() sees to it that no kernel still uses the object.
#pragma once

#include "rt/device/cpu/engine/Image.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace gpusched::cpu {

class ImageTable {
public:
  static constexpr uint32_t kMostObjects = 1 << 20;

  ImageTable();
  ~ImageTable();
  ImageTable(const ImageTable&) = delete;
  ImageTable& operator=(const ImageTable&) = delete;

  /// 0 when the table is full.
  uint64_t add(ImageObject object);
  /// False when there is no such object.
  bool remove(uint64_t handle);
  /// Null when there is no such object.
  const ImageObject* find(uint64_t handle) const;

private:
  static constexpr uint32_t kChunk = 1024;
  struct Entry {
    uint64_t handle;
    ImageObject object;
  };
  using Place = std::atomic<Entry*>;

  std::mutex mutex_;
  std::unique_ptr<std::atomic<Place*>[]> chunks_;
  std::vector<uint64_t> free_; // handles that the next objects take
  uint32_t used_ = 0;          // places ever used
};

} // namespace gpusched::cpu
