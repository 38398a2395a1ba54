// ControlPool.h - the control blocks of persistent launches, in device memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each slot is a gpusched_control on the device, the pinned host image it is filled from, and
// a pinned gate word for pausing. One asynchronous copy image -> control on the launch's own
// stream starts a launch, so stream order holds and no zeroing is needed; none where the last
// launch left there what this one wants (tidy), so slots are handed out by that. The image belongs
// to the launch until its completion, because the copy reads it when the stream gets there.
//
// `next` grows from use to use of a slot: no launch begins to count below what the device has. So
// who finds it where a launch counts knows that this one has begun (Persistent.cuh), and that it
// has not while it still waits in its stream and the words are those of the use before.
//
// Launches with GPUSCHED_ALONE say themselves, in a pinned word, that they need their slot no more.
// They cost no event, neither for the host nor between two kernels of a stream.
//
// Slots come in slabs of kSlotsPerSlab, allocated when all are in use, up to kMaxSlabs; with
// none left acquire() gives null and the launch goes native. It never waits: a launch in
// flight may depend on what the calling thread does next. A slot returns to the free list
// when its completion is seen done. Nothing is freed before the process ends.
//
// Not thread-safe: the owner (LaunchDevice) holds its lock.
#pragma once

#include "rt/launch/Completions.h"
#include "rt/launch/Settings.h"
#include "rt/launch/WorkerPlan.h"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace gpusched {

/// What a second launch of the same twin needs.
struct SavedLaunch {
  const gpusched_cudart* cudart = nullptr; ///< null: nothing is saved
  const void* twin = nullptr;
  gpusched_params params = {};
  gpusched_dim3 block = {};
  size_t sharedBytes = 0;
  std::vector<char> values;   ///< the user's arguments, one after the other
  std::vector<size_t> places; ///< where each begins in `values`
};

/// The last helping launch in a stream; the earlier ones there have ended before it.
struct Help {
  void* stream = nullptr;
  Completion* completion = nullptr;
};

struct ControlSlot {
  static constexpr uint32_t kReliefWords = 60;
  /// With this in its word no gate holds, one of a spare that could not be launched included.
  static constexpr uint32_t kGatesOpen = 0x7fffffff;

  gpusched_control* control = nullptr; ///< device memory
  gpusched_control* image = nullptr;   ///< pinned host memory
  uint32_t* gate = nullptr;            ///< pinned host memory, device-readable
  uint32_t* relief = nullptr;          ///< kReliefWords pinned words: budgets for later
  uint64_t reliefsInUse = 0;           ///< a bit for each word that a copy is still to read
  uint32_t* ended = nullptr;           ///< pinned word: gpusched_params::ended
  uint32_t* stopped = nullptr;      ///< pinned word: what a pause's copy has left, see Pausing.cpp
  bool says = false;                ///< the launch that uses it will set `ended`
  uint64_t sequence = 0;            ///< of the launch that uses it
  uint64_t stream = 0;              ///< streamId of that
  uint64_t owner = 0;               ///< firstSequence of the running entry it belongs to
  Completion* completion = nullptr; ///< of the launch that uses it
  std::vector<Help> helpers;        ///< a stream once
  Batches batches;                  ///< what control->next counts
  /// Once the launch that uses it is over, the device has what the image has, but for the counters.
  bool tidy = false;
  struct Counters {
    uint32_t next = 0, finished = 0;
  };
  Counters before; ///< the launch that uses it, on the device
  /// The same; with helpers `next` is at most that.
  Counters behind;
  /// Can a helper tell whether the launch has begun?
  bool countsOn = false;

  /// The image's budget: once the launch may be paused, under the lock for that (Runtime.h) or
  /// read as it happens to be.
  uint32_t budget() const { return __atomic_load_n(&image->workers_per_sm, __ATOMIC_RELAXED); }
  void setBudget(uint32_t budget) {
    __atomic_store_n(&image->workers_per_sm, budget, __ATOMIC_SEQ_CST);
  }
  /// May a launch with that budget and mask go without a copy, as far as these are concerned?
  bool isTidyFor(uint32_t budget, const SmMask& mask) const;
  SavedLaunch saved;
};

class ControlPool {
public:
  static constexpr size_t kSlotsPerSlab = 64;
  static constexpr size_t kMaxSlabs = 64; // 4096 launches in flight, 9.4 MB of device memory

  /// A slot that nobody uses, if possible a tidy one with that budget and mask; null when the pool
  /// is exhausted or the device has no memory.
  ControlSlot* acquire(const gpusched_cudart& runtime, Completions& completions, uint32_t budget,
                       const SmMask& mask);
  /// The launch, or at least a copy for it, is in its stream; takes over the caller's use of
  /// `completion`. With null (nothing could be recorded) the slot is given up, unless the launch
  /// says when it ends.
  void inFlight(ControlSlot* slot, Completion* completion);

  /// Slots of launches in flight, in no order; some may be over.
  const std::vector<ControlSlot*>& busy() const { return busy_; }
  size_t slots() const { return slabs_.size() * kSlotsPerSlab; }

private:
  static bool isOver(const gpusched_cudart& runtime, Completions& completions,
                     const ControlSlot& slot);
  bool clear(const gpusched_cudart& runtime, void* controls, void* zeros);
  static void release(Completions& completions, ControlSlot& slot);
  bool grow(const gpusched_cudart& runtime);
  ControlSlot* take(uint32_t budget, const SmMask& mask);
  void reap(const gpusched_cudart& runtime, Completions& completions, size_t index);

  std::vector<std::unique_ptr<std::array<ControlSlot, kSlotsPerSlab>>> slabs_;
  std::vector<ControlSlot*> free_;
  std::vector<ControlSlot*> busy_;
  size_t nextToReap_ = 0;
  void* clearing_ = nullptr; ///< a stream of its own: nothing stands in front of the copies there
};

} // namespace gpusched
