// Launch.h - the functions that libgpusched_rt.so exports.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpusched_rt_launch is the entry of LaunchAbi.h, called by rewritten programs. The others are
// for tools and tests in the same process. All are thread-safe and throw nothing.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

#include <stddef.h>

extern "C" {

int gpusched_rt_launch(const struct gpusched_launch_request* request, int* error);

/// See GPUSCHED_RT_LAUNCH_UNMANAGED_SYMBOL.
int gpusched_rt_launch_unmanaged(const struct gpusched_launch_request* request,
                                 int (*make)(void* data), void* data, int* error);

/// See GPUSCHED_RT_UNLOADING_SYMBOL.
void gpusched_rt_unloading(void);

/// Pauses every persistent launch in flight that was made with GPUSCHED_PREEMPT > 0 and has
/// pauses left; returns how many, and does not wait for them: a thread of ours asks the device, and
/// the workers then finish the blocks they have claimed. What follows in the streams does not
/// start. Streams that share a queue to the device with a paused one may stand still, too
/// (CUDA_DEVICE_MAX_CONNECTIONS), so do not wait for other work before the resume.
size_t gpusched_rt_pause_all(void);
/// Lets them go on. Waits for nothing on the device, nor for a launch that waits for room.
void gpusched_rt_resume_all(void);
}
