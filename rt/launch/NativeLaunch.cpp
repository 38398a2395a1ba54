// NativeLaunch.cpp - the launch with an attribute, or without.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/NativeLaunch.h"

#include "rt/launch/Cudart.h"
#include "rt/support/Log.h"

namespace gpusched {

int launchNatively(const gpusched_launch_request& request) {
  return request.cudart->launchKernel(request.function, request.grid, request.block,
                                      request.arguments, request.sharedBytes, request.stream);
}

int launchUrgently(LaunchDevice& device, const gpusched_launch_request& request) {
  const gpusched_cudart& runtime = *request.cudart;
  if (!runtime.launchKernelExC ||
      cudart::streamPriority(runtime, request.stream) != cudart::kDefaultPriority)
    return launchNatively(request);
  cudart::LaunchAttribute attribute;
  attribute.priority = device.highestPriority();
  const cudart::LaunchConfig config = {request.grid,   request.block, request.sharedBytes,
                                       request.stream, &attribute,    1};
  if (runtime.launchKernelExC(&config, request.function, request.arguments) == cudart::kSuccess)
    return cudart::kSuccess;
  cudart::discardError(runtime);
  GPUSCHED_LOG_ONCE(LogLevel::Info, "a launch with a priority was refused; it is made without one");
  return launchNatively(request);
}

} // namespace gpusched
