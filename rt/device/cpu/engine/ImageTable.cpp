// ImageTable.cpp - the live texture and surface objects, by handle.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/ImageTable.h"

namespace gpusched::cpu {

/// A handle's low half is its place + 1, the high half counts the place's uses.
static constexpr uint64_t kNextUse = uint64_t(1) << 32;

static uint32_t placeOf(uint64_t handle) {
  return static_cast<uint32_t>(handle) - 1;
}

ImageTable::ImageTable()
    : chunks_(std::make_unique<std::atomic<Place*>[]>(kMostObjects / kChunk)) {}

ImageTable::~ImageTable() {
  for (uint32_t place = 0; place < used_; ++place)
    delete chunks_[place / kChunk].load()[place % kChunk].load();
  for (uint32_t chunk = 0; chunk < kMostObjects / kChunk; ++chunk)
    delete[] chunks_[chunk].load();
}

uint64_t ImageTable::add(ImageObject object) {
  std::lock_guard lock(mutex_);
  if (free_.empty()) {
    if (used_ == kMostObjects)
      return 0;
    if (used_ % kChunk == 0)
      chunks_[used_ / kChunk].store(new Place[kChunk]{}, std::memory_order_release);
    free_.push_back(++used_);
  }
  const uint64_t handle = free_.back();
  free_.pop_back();
  const uint32_t place = placeOf(handle);
  chunks_[place / kChunk].load()[place % kChunk].store(new Entry{handle, std::move(object)},
                                                       std::memory_order_release);
  return handle;
}

bool ImageTable::remove(uint64_t handle) {
  std::lock_guard lock(mutex_);
  if (!find(handle))
    return false;
  const uint32_t place = placeOf(handle);
  delete chunks_[place / kChunk].load()[place % kChunk].exchange(nullptr);
  free_.push_back(handle + kNextUse);
  return true;
}

const ImageObject* ImageTable::find(uint64_t handle) const {
  const uint32_t place = placeOf(handle);
  if (place >= kMostObjects)
    return nullptr;
  const Place* chunk = chunks_[place / kChunk].load(std::memory_order_acquire);
  const Entry* entry = chunk ? chunk[place % kChunk].load(std::memory_order_acquire) : nullptr;
  return entry && entry->handle == handle ? &entry->object : nullptr;
}

} // namespace gpusched::cpu
