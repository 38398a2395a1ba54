// ControlPool.cpp - slabs of control blocks, reused as launches complete.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reaping asks after a few busy slots per acquire, round robin, so its cost per launch is
// bounded (a question to the driver each); all of them are looked at before the pool grows. Two are
// one more than a launch adds, so the pool does not grow while launches end as fast as they come.
#include "rt/launch/ControlPool.h"

#include "rt/launch/Cudart.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace gpusched {
namespace {

// A multiple of 256 bytes keeps every control aligned like an allocation of its own.
constexpr size_t kStride = (sizeof(gpusched_control) + 255) / 256 * 256;
constexpr size_t kReapPerAcquire = 2;
constexpr size_t kLookedAt = 8;
// Lines of their own: the gate, the words for the end and for a stop, the relief words.
constexpr size_t kGateStride = 256;
static_assert((3 + ControlSlot::kReliefWords) * sizeof(uint32_t) <= kGateStride);

} // namespace

bool ControlSlot::isTidyFor(uint32_t budget, const SmMask& mask) const {
  return tidy && image->workers_per_sm == budget &&
         std::memcmp(image->sm_mask, mask.data(), sizeof image->sm_mask) == 0;
}

/// Waits for a copy, as allocating memory may do, but not for kernels: a memset may be one.
bool ControlPool::clear(const gpusched_cudart& runtime, void* controls, void* zeros) {
  std::memset(zeros, 0, kSlotsPerSlab * kStride);
  if (!clearing_)
    clearing_ = cudart::makeStream(runtime);
  return clearing_ &&
         cudart::succeeded(runtime, runtime.memcpyAsync(controls, zeros, kSlotsPerSlab * kStride,
                                                        cudart::kHostToDevice, clearing_)) &&
         cudart::succeeded(runtime, runtime.streamSynchronize(clearing_));
}

bool ControlPool::grow(const gpusched_cudart& runtime) {
  if (slabs_.size() == kMaxSlabs)
    return false;
  cudart::MemoryPair memory;
  if (!cudart::allocate(runtime, memory, kSlotsPerSlab * kStride,
                        kSlotsPerSlab * (kStride + kGateStride)))
    return false;
  if (!clear(runtime, memory.device, memory.host)) {
    cudart::release(runtime, memory);
    return false;
  }
  slabs_.push_back(std::make_unique<std::array<ControlSlot, kSlotsPerSlab>>());
  free_.reserve(slots());
  busy_.reserve(slots());
  char* controls = static_cast<char*>(memory.device);
  char* images = static_cast<char*>(memory.host);
  char* gates = images + kSlotsPerSlab * kStride;
  // From the last to the first: slots are then handed out in address order.
  for (size_t i = kSlotsPerSlab; i-- > 0;) {
    ControlSlot& slot = (*slabs_.back())[i];
    slot.control = reinterpret_cast<gpusched_control*>(controls + i * kStride);
    slot.image = reinterpret_cast<gpusched_control*>(images + i * kStride);
    slot.gate = reinterpret_cast<uint32_t*>(gates + i * kGateStride);
    slot.ended = slot.gate + 1;
    slot.stopped = slot.gate + 2;
    *slot.stopped = 0;
    slot.relief = slot.gate + 3;
    free_.push_back(&slot);
  }
  return true;
}

/// Of busy_[index]: free again if its launch is over. The newest takes its place.
void ControlPool::reap(const gpusched_cudart& runtime, Completions& completions, size_t index) {
  ControlSlot* slot = busy_[index];
  if (!isOver(runtime, completions, *slot))
    return;
  release(completions, *slot);
  free_.push_back(slot);
  busy_[index] = busy_.back();
  busy_.pop_back();
}

bool ControlPool::isOver(const gpusched_cudart& runtime, Completions& completions,
                         const ControlSlot& slot) {
  if (slot.says)
    return __atomic_load_n(slot.ended, __ATOMIC_ACQUIRE) != 0;
  return completions.finished(runtime, slot.completion) &&
         std::all_of(slot.helpers.begin(), slot.helpers.end(), [&](const Help& help) {
           return completions.finished(runtime, help.completion);
         });
}

void ControlPool::release(Completions& completions, ControlSlot& slot) {
  completions.release(slot.completion);
  for (const Help& help : slot.helpers)
    completions.release(help.completion);
  slot.helpers.clear();
  slot.completion = nullptr;
  slot.reliefsInUse = 0;
}

/// Of the newest few the first that is tidy for such a launch, else one that is so for none.
ControlSlot* ControlPool::take(uint32_t budget, const SmMask& mask) {
  const auto newest = free_.rbegin();
  const auto end = newest + std::ptrdiff_t(std::min(free_.size(), kLookedAt));
  auto found = std::find_if(newest, end,
                            [&](const ControlSlot* slot) { return slot->isTidyFor(budget, mask); });
  if (found == end)
    found = std::find_if(newest, end, [](const ControlSlot* slot) { return !slot->tidy; });
  if (found == end)
    found = newest;
  ControlSlot* const slot = *found;
  free_.erase(std::next(found).base());
  return slot;
}

ControlSlot* ControlPool::acquire(const gpusched_cudart& runtime, Completions& completions,
                                  uint32_t budget, const SmMask& mask) {
  for (size_t i = 0; i < kReapPerAcquire && !busy_.empty(); ++i, ++nextToReap_) {
    nextToReap_ = nextToReap_ < busy_.size() ? nextToReap_ : 0;
    reap(runtime, completions, nextToReap_);
  }
  for (size_t i = free_.empty() ? busy_.size() : 0; i-- > 0;)
    reap(runtime, completions, i);
  if (free_.empty() && !grow(runtime)) {
    GPUSCHED_LOG_ONCE(
        LogLevel::Warning,
        "no control block for a persistent launch (%zu in flight, or no device memory); launching "
        "natively until some complete",
        busy_.size());
    return nullptr;
  }
  return take(budget, mask);
}

void ControlPool::inFlight(ControlSlot* slot, Completion* completion) {
  slot->completion = completion;
  if (completion || slot->says)
    busy_.push_back(slot);
}

} // namespace gpusched
