// Tracing.cpp - what of a launch goes into the trace, and when it ran.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When: an event on either side, in the launch's stream (LaunchTimes.h), looked at when a later
// launch comes and when the program ends. Asks nothing of a context that was reset.
#include "rt/launch/Runtime.h"

#include "rt/launch/RelaxedCapture.h"

namespace gpusched {

void Runtime::trace(const Flight& flight) {
  if (!trace_.enabled())
    return;
  const gpusched_launch_request& request = flight.request;
  TraceLaunch launch;
  launch.sequence = flight.sequence;
  launch.kernel = flight.plan.policyKernel.name;
  launch.device = uint32_t(flight.on.device.ordinal());
  launch.stream = trace_.streamNumber(request.stream);
  launch.gridX = request.grid.x, launch.gridY = request.grid.y, launch.gridZ = request.grid.z;
  launch.blockX = request.block.x, launch.blockY = request.block.y, launch.blockZ = request.block.z;
  launch.dynamicSharedBytes = request.sharedBytes;
  launch.variant = flight.twin ? "persistent" : "native";
  launch.blocksPerSm = flight.twin ? flight.options.workers.blocksPerSm : 0;
  launch.occupancyBlocksPerSm =
      flight.twin ? flight.plan.persistentOccupancy : flight.plan.nativeOccupancy;
  launch.workers = flight.twin ? flight.options.workers.workers : 0;
  launch.claimBatch = flight.twin ? uint32_t(claimedBlocks(1, flight.options.workers.batches)) : 0;
  launch.pauses = flight.pauses;
  launch.set = flight.wish.decision.set;
  launch.after = flight.wish.decision.after;
  launch.reason = flight.wish.decision.reason;
  auto add = [&](const std::string& why) {
    launch.reason.append(launch.reason.empty() ? "" : "; ").append(why);
  };
  if (flight.unmanaged)
    add("launched as it comes");
  if (flight.fused)
    add("one launch for two: " + flight.fused->plan->reason);
  else if (!flight.twin && !flight.plan.whyNative.empty())
    add(flight.plan.whyNative);
  if (!flight.twin && flight.wanted)
    add("native: no control block was free, or its launch failed");
  if (flight.guarded)
    add("native: alone, and of its persistent variant " +
        std::to_string(flight.plan.persistentOccupancy) + " instead of " +
        std::to_string(flight.plan.nativeOccupancy) + " blocks fit on an SM");
  if (launch.reason.empty())
    launch.reason = flight.twin
                        ? "forced by GPUSCHED_VARIANT, GPUSCHED_BLOCKS_PER_SM or GPUSCHED_SMS"
                        : "no policy: as launched";
  trace_.add(std::move(launch));
  if (flight.isTimed)
    flight.on.traced.push_back({flight.sequence, flight.span});
}

/// REQUIRES, as all below: the device's lock, where times are traced.
void Runtime::makeTimes(Flight& flight) {
  if (!trace_.timed())
    return;
  collectTimes(flight.on);
  flight.isTimed = flight.on.times.make(*flight.request.cudart, flight.span);
}

void Runtime::beginTimes(Flight& flight) {
  if (flight.isTimed)
    flight.isTimed = LaunchTimes::begin(*flight.request.cudart, flight.span, flight.request.stream);
}

void Runtime::endTimes(Flight& flight) {
  if (flight.isTimed)
    flight.isTimed = LaunchTimes::end(*flight.request.cudart, flight.span, flight.request.stream);
}

void Runtime::settleTimes(Flight& flight) {
  if (!flight.isTimed)
    flight.on.times.release(flight.span);
}

void Runtime::collectTimes(PerDevice& on) {
  const gpusched_cudart& runtime = on.device.runtime();
  for (; !on.traced.empty(); on.traced.pop_front()) {
    TracedSpan& first = on.traced.front();
    const LaunchTimes::State state = LaunchTimes::state(runtime, first.span);
    if (state == LaunchTimes::State::Pending)
      return;
    double beginUs = 0, endUs = 0;
    if (state == LaunchTimes::State::Ended && on.times.read(runtime, first.span, beginUs, endUs))
      trace_.ran(first.sequence, beginUs, endUs);
    on.times.release(first.span);
  }
}

/// Of the device that is current then.
void Runtime::finishTimes() {
  if (!trace_.timed())
    return;
  forEachDevice([&](PerDevice& on) {
    int ordinal = 0;
    const gpusched_cudart& runtime = on.device.runtime();
    if (on.traced.empty() || runtime.getDevice(&ordinal) != cudart::kSuccess ||
        ordinal != on.device.ordinal() || contexts_.existing(runtime) != on.context)
      return;
    if (const RelaxedCapture relaxed(runtime); relaxed)
      collectTimes(on);
  });
}

} // namespace gpusched
