// PersistentLaunch.h - starts the persistent twin of a kernel instead of the kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   in the program's stream:
//     copy image -> control                       the launch's state, one asynchronous copy; none
//                                                 where the slot's last launch left just that
//     twin<<<workers, block, shared>>>({control, total, grid}, user's arguments...)
//     for each spare launch, if the launch shall be pausable:
//       cuStreamWaitValue32(gate >= i)            open unless the launch is paused
//       copy the image's budget -> control        that of the resume
//       twin<<<same>>>(same)                      continues from control->next
//     record the completion                       not of GPUSCHED_ALONE, which says when it ends
//
// Pause (Pausing.cpp) writes workers_per_sm = 0 and closes the gate: the workers finish the
// blocks they have claimed and leave, and the stream stands before the next spare launch, so
// no successor in the stream starts early. Resume puts the budget into the image and opens the
// gate. Arguments are captured by the launches themselves, so nothing of the caller's stack is
// kept. A spare launch that is not needed finds next >= total and costs an empty kernel; that is
// why spares are only launched when pausing is wanted.
#pragma once

#include "rt/launch/LaunchDevice.h"

namespace gpusched {

/// Fills the slot's image and enqueues all of the above except the completion. False when
/// nothing of the kernel was enqueued: the plan is broken from then on, which is logged once; the
/// caller launches natively and gives the slot back behind what is in the stream, for a copy of the
/// image may be. `spareLaunches` is lowered to what could be enqueued.
bool enqueuePersistent(LaunchDevice& device, const gpusched_launch_request& request,
                       const LaunchPlan& plan, ControlSlot& slot, PersistentOptions& options);

/// The twin as GPUSCHED_FITS, which needs nothing but its launch. False likewise.
bool enqueueFitting(const gpusched_launch_request& request, const LaunchPlan& plan,
                    const PersistentOptions& options);

/// Relaunches from control->next after every worker has left; for the stress knob.
bool relaunchPersistent(const gpusched_launch_request& request, const LaunchPlan& plan,
                        ControlSlot& slot, const PersistentOptions& options);

/// The launch's budget on the device becomes `*budget` (pinned), as it is when `stream` gets there.
/// False, and CUDA's error discarded, when it could not be enqueued.
bool copyBudget(const gpusched_cudart& runtime, const ControlSlot& slot, const uint32_t* budget,
                void* stream);

/// Keeps in the slot what enqueueHelpers needs; nothing when the parameters' sizes are not known.
void saveLaunch(ControlSlot& slot, const gpusched_launch_request& request, const LaunchPlan& plan,
                const PersistentOptions& options);

/// Copies `*budget` (pinned; read when the stream gets there) to the launch's budget and adds
/// `workers` workers to it, all in `stream`. They leave at once when the launch is over.
/// REQUIRES: a saved launch. The slot is not reused before the stream has passed this point.
/// `copied`, if not null: a use of a completion behind the copy, or null when there is none.
/// Returns the slot's completion behind it all; null when there is none.
Completion* enqueueHelpers(LaunchDevice& device, ControlSlot& slot, const uint32_t* budget,
                           uint64_t workers, void* stream, Completion** copied = nullptr);

} // namespace gpusched
