// Launch.cpp - C entry points around the process's one Runtime.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Runtime is made at the first launch and never destroyed: launches from other static
// destructors still find it. The trace is written by an exit handler. No exception leaves.
#include "rt/launch/Launch.h"

#include "rt/launch/Inside.h"
#include "rt/launch/Runtime.h"
#include "rt/support/Log.h"

#include <cstdlib>

namespace gpusched {
namespace {

Runtime& runtime() {
  static Runtime* const kRuntime = [] {
    Runtime* made = new Runtime(loadSettings());
    std::atexit([] { runtime().finish(); });
    return made;
  }();
  return *kRuntime;
}

bool acceptable(const gpusched_launch_request& request) {
  if (request.abi_version == GPUSCHED_ABI_VERSION &&
      request.cudart->size >= sizeof(gpusched_cudart))
    return true;
  GPUSCHED_LOG_ONCE(LogLevel::Warning,
                    "the program was compiled for launch ABI %u, this runtime has %u; launching "
                    "natively. Compile the program again",
                    request.abi_version, GPUSCHED_ABI_VERSION);
  return false;
}

/// 0 where the runtime itself launches, or `launch(runtime)` did not.
template <class Launch> int offered(const gpusched_launch_request& request, const Launch& launch) {
  if (Inside::entered())
    return 0;
  const Inside inside;
  try {
    return acceptable(request) && launch(runtime());
  } catch (...) {
    GPUSCHED_LOG_ONCE(LogLevel::Error,
                      "the runtime failed inside (most likely out of memory); launching natively");
    return 0;
  }
}

} // namespace
} // namespace gpusched

#define GPUSCHED_EXPORT extern "C" __attribute__((visibility("default")))

GPUSCHED_EXPORT int gpusched_rt_launch(const gpusched_launch_request* request, int* error) {
  return gpusched::offered(
      *request, [&](gpusched::Runtime& runtime) { return runtime.launch(*request, *error); });
}

GPUSCHED_EXPORT int gpusched_rt_launch_unmanaged(const gpusched_launch_request* request,
                                                 int (*make)(void* data), void* data, int* error) {
  return gpusched::offered(*request, [&](gpusched::Runtime& runtime) {
    return runtime.launchUnmanaged(*request, {make, data}, *error);
  });
}

GPUSCHED_EXPORT void gpusched_rt_unloading() {
  if (gpusched::Inside::entered())
    return;
  const gpusched::Inside inside;
  try {
    gpusched::runtime().unloading();
  } catch (...) {
    GPUSCHED_LOG_ONCE(gpusched::LogLevel::Error,
                      "the runtime failed inside while code was unloaded");
  }
}

GPUSCHED_EXPORT size_t gpusched_rt_pause_all() {
  try {
    return gpusched::runtime().pauseAll();
  } catch (...) {
    return 0;
  }
}

GPUSCHED_EXPORT void gpusched_rt_resume_all() {
  try {
    gpusched::runtime().resumeAll();
  } catch (...) {
    GPUSCHED_LOG_ONCE(gpusched::LogLevel::Error, "resume failed inside the runtime");
  }
}
