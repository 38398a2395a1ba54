// ContextIds.cpp - asks the driver for the number of the current context.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After a reset, and before the program's first call, no context is current; cudaFree(0) makes the
// primary one, as the launch at hand would.
#include "rt/launch/ContextIds.h"

#include "rt/launch/Cudart.h"

namespace gpusched {

ContextIds::GetId ContextIds::find(const gpusched_cudart& runtime) {
  if (GetId known = getId_.load(std::memory_order_acquire))
    return known;
  if (missing_.load(std::memory_order_relaxed))
    return nullptr;
  GetId found =
      cudart::driverFunction<GetId>(runtime, "cuCtxGetId", cudart::kDriverVersionOfContextId);
  if (!found)
    return missing_.store(true), nullptr;
  getId_.store(found, std::memory_order_release);
  return found;
}

uint64_t ContextIds::existing(const gpusched_cudart& runtime) {
  GetId getId = find(runtime);
  unsigned long long id = 0;
  return getId && getId(nullptr, &id) == cudart::kSuccess ? id : 0;
}

uint64_t ContextIds::current(const gpusched_cudart& runtime) {
  if (uint64_t id = existing(runtime); id != 0 || missing_.load(std::memory_order_relaxed))
    return id;
  if (runtime.free(nullptr) != cudart::kSuccess)
    cudart::discardError(runtime);
  return existing(runtime);
}

} // namespace gpusched
