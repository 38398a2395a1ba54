// ContextIds.h - which CUDA context the calling thread launches into.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control blocks, events, streams and mirrored attributes belong to a context, not to a device: a
// program may make several contexts for one device, and cudaDeviceReset ends one and later begins
// another. cuCtxGetId (driver 12.0) gives each context of the process a number of its own that is
// never used again. A driver without it is taken to have one context a device; there a reset
// in the middle of a program is not survived.
//
// Thread-safe. Cost in the steady state: one call into the driver.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

#include <atomic>
#include <cstdint>

namespace gpusched {

class ContextIds {
public:
  /// The current context's number, made by the runtime if there is none yet; 0 = not known.
  uint64_t current(const gpusched_cudart& runtime);
  /// The same, but makes none; 0 = there is none, too.
  uint64_t existing(const gpusched_cudart& runtime);

private:
  using GetId = int (*)(void* context, unsigned long long* id);
  GetId find(const gpusched_cudart& runtime);

  std::atomic<GetId> getId_{nullptr};
  std::atomic<bool> missing_{false};
};

} // namespace gpusched
