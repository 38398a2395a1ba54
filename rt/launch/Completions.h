// Completions.h - CUDA events that say "everything launched up to here has ended", shared.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One event is recorded behind each launch; the control block it used and the scheduler's
// record of the launch both wait for it, so a Completion counts its users and its event is
// used again when the last one lets go. A completion that could not be recorded never becomes
// done: what hangs on it is not used again (a leak, logged), which is the safe side.
//
// One that is announced is of a launch whose thread enqueues it without the lock. It is not over,
// and no stream can be made to wait for it, until that thread has recorded it and settles it.
//
// Not thread-safe: the owner (LaunchDevice) holds its lock. No allocation in the steady state.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace gpusched {

struct Completion {
  void* event = nullptr;
  uint32_t users = 0;
  bool done = false;
  bool broken = false;    ///< not recorded, or the query failed
  bool announced = false; ///< to be recorded yet
};

class Completions {
public:
  /// A completion recorded now on `stream`, with one user; null when the device has no event.
  Completion* record(const gpusched_cudart& runtime, void* stream);
  /// One that others see before it is recorded; null likewise. settle() belongs behind.
  Completion* announce(const gpusched_cudart& runtime);
  /// The event of one that is announced. It waits where the stream's queue is full, and needs no
  /// lock. False: it was not recorded.
  static bool recordEvent(const gpusched_cudart& runtime, void* stream,
                          const Completion& announced);
  static void settle(Completion& announced, bool recorded);
  /// True when the work has ended. Asks the device at most once per call and caches "yes".
  bool finished(const gpusched_cudart& runtime, Completion* completion);
  /// What `stream` is given from now on waits for the end, which must be recorded. Needs no lock.
  /// False: CUDA does not make it wait.
  static bool makeWait(const gpusched_cudart& runtime, void* stream, const Completion& end);
  static Completion* share(Completion* completion);
  void release(Completion* completion);

private:
  std::deque<Completion> all_; // stable addresses
  std::vector<Completion*> free_;
};

} // namespace gpusched
