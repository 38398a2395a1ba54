// Completions.h - CUDA events that say "everything launched up to here has ended", shared.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One event is recorded behind each launch; the control block it used and the scheduler's
// record of the launch both wait for it, so a Completion counts its users and its event is
// used again when the last one lets go. A completion that could not be recorded never becomes
// done: what hangs on it is not used again (a leak, logged), which is the safe side.
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
  bool broken = false; ///< not recorded, or the query failed
};

class Completions {
public:
  /// A completion recorded now on `stream`, with one user; null when the device has no event.
  Completion* record(const gpusched_cudart& runtime, void* stream);
  /// The two steps of that. The second waits where the stream's queue is full, and needs no lock.
  Completion* take(const gpusched_cudart& runtime);
  static void record(const gpusched_cudart& runtime, void* stream, Completion& completion);
  /// True when the work has ended. Asks the device at most once per call and caches "yes".
  bool finished(const gpusched_cudart& runtime, Completion* completion);
  /// What `stream` is given from now on waits for the end. False: CUDA does not make it wait.
  static bool makeWait(const gpusched_cudart& runtime, void* stream, const Completion& end);
  /// The same for the end of all that `earlier` has been given.
  bool makeWait(const gpusched_cudart& runtime, void* stream, void* earlier);
  static Completion* share(Completion* completion);
  void release(Completion* completion);

private:
  std::deque<Completion> all_; // stable addresses
  std::vector<Completion*> free_;
};

} // namespace gpusched
