// WarpCalls.cpp - starting a warp, calls, returns and the frames they use.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A frame's registers are reused by later activations and later blocks; its constants are
// copied only when the function changes, its special registers every time.
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/Program.h"
#include "rt/device/cpu/engine/SpecialRegisters.h"
#include "rt/device/cpu/engine/Warp.h"
#include "rt/support/RoundUp.h"

#include <cstring>

namespace gpusched::cpu {
namespace {

constexpr uint64_t kStackAlign = 16;
uint64_t aligned(uint64_t bytes) {
  return roundUp(bytes, kStackAlign);
}

template <class Visit> void eachLane(Mask mask, Visit visit) {
  for (Mask rest = mask; rest; rest &= rest - 1)
    visit(static_cast<unsigned>(__builtin_ctz(rest)));
}

} // namespace

void Warp::start(Block& owner, uint32_t warpIndex, Mask lanes) {
  block = &owner;
  checker = owner.launch.checker;
  index = warpIndex;
  active = live = lanes;
  parked_.clear();
  fair_ = faulted_ = sleeping = false;
  for (std::unique_ptr<Frame>& old : frames_)
    old->function = nullptr;
  std::memset(classCounts, 0, sizeof classCounts);
  laneInstructions = flops = divergentBranches = 0;
  clusterArrived[0] = clusterArrived[1] = 0;
  const Kernel& kernel = *owner.launch.kernel;
  const LoadedModule& module = *kernel.function->module;
  const bool alone = owner.warpCount == 1;
  twinDistance_ = alone ? 0 : static_cast<std::ptrdiff_t>(module.code.size() / 2);
  twin_ = alone ? stopHere() : module.code.data() + twinDistance_;
  parameters = owner.launch.parameters();
  reserveStack(kernel.stackBytes);
  Frame* root = freeFrame(*kernel.function);
  root->parent = nullptr;
  root->callOp = root->returnTo = nullptr;
  root->depth = 0;
  root->localOffset = 0;
  root->lanes = lanes;
  prepare(*root);
  enter(*root);
  opening_ = false;
  pc_ = reopen(kernel.function->entry());
}

void Warp::reserveStack(uint64_t bytesPerLane) {
  stackBytes_ = aligned(bytesPerLane);
  if (stackBytes_ * kLanes <= stackCapacity_)
    return;
  stackCapacity_ = stackBytes_ * kLanes;
  stack_ = reserveBytes(stackCapacity_);
}

Frame* Warp::freeFrame(const DecodedFunction& function) {
  Frame* found = nullptr;
  for (std::unique_ptr<Frame>& candidate : frames_)
    if (!candidate->function && (!found || candidate->prepared == function.serial))
      found = candidate.get();
  if (!found)
    found = frames_.emplace_back(std::make_unique<Frame>()).get();
  found->function = &function;
  return found;
}

void Warp::prepare(Frame& next) {
  const DecodedFunction& function = *next.function;
  if (next.prepared != function.serial) {
    if (next.capacity < function.frameBytes) {
      next.registers = allocateAligned(function.frameBytes);
      next.capacity = function.frameBytes;
      std::memset(next.registers.get(), 0, function.frameBytes);
    }
    std::memset(next.registers.get(), 0, kFrameHead);
    std::memset(next.registers.get() + kTrueSlot, 0xff, sizeof(Mask));
    std::memcpy(next.registers.get() + function.constantBase, function.constants.data(),
                function.constants.size());
    next.prepared = function.serial;
  }
  fillSpecials(*this, next);
}

/// The frame for a call at `op`: shared with lanes that made the same call earlier.
Frame* Warp::frameFor(const MicroOp* op, const DecodedFunction& callee) {
  for (std::unique_ptr<Frame>& candidate : frames_)
    if (candidate->function == &callee && candidate->parent == frame && candidate->callOp == op)
      return candidate.get();
  Frame* next = freeFrame(callee);
  next->parent = frame;
  next->callOp = op;
  next->returnTo = op + 1;
  next->lanes = 0;
  next->depth = frame->depth + 1;
  next->localOffset = frame->localOffset + aligned(frame->function->localBytes);
  if (next->localOffset + callee.localBytes > stackBytes_) {
    next->function = nullptr;
    return nullptr;
  }
  prepare(*next);
  return next;
}

const MicroOp* Warp::call(const MicroOp* op, Mask mask, const DecodedFunction& callee) {
  if (!callee.opCount)
    return fault(op, "function '" + callee.source->name + "' is declared but defined nowhere");
  splitOff(op, mask);
  Frame* next = frameFor(steady(op), callee);
  if (!next)
    return fault(op, "stack overflow: calls need more than " + std::to_string(stackBytes_) +
                         " bytes of local memory per thread");
  copyArguments(op, mask, *next);
  next->lanes |= mask;
  enter(*next);
  budget -= 4;
  const MicroOp* const entry = sameCopy(op, callee.entry());
  if (budget <= 0) // recursion needs no loop to run for ever
    return stopQuantum(entry);
  setLimit(entry);
  return entry;
}

void Warp::copyArguments(const MicroOp* op, Mask mask, const Frame& callee) {
  const CallSite& site = callee.parent->function->module->callSites[op->immediate];
  const size_t count = std::min(site.arguments.size(), callee.function->parameters.size());
  for (size_t i = 0; i < count; ++i) {
    const ParameterPlace from = site.arguments[i], to = callee.function->parameters[i];
    eachLane(mask, [&](unsigned lane) {
      std::memcpy(localBase(lane, callee) + to.offset,
                  localBase(lane, *callee.parent) + from.offset, std::min(from.bytes, to.bytes));
    });
  }
}

void Warp::copyResults(const Frame& callee, Mask mask) {
  const CallSite& site = callee.parent->function->module->callSites[callee.callOp->immediate];
  const size_t count = std::min(site.results.size(), callee.function->results.size());
  for (size_t i = 0; i < count; ++i) {
    const ParameterPlace to = site.results[i], from = callee.function->results[i];
    eachLane(mask, [&](unsigned lane) {
      std::memcpy(localBase(lane, *callee.parent) + to.offset,
                  localBase(lane, callee) + from.offset, std::min(from.bytes, to.bytes));
    });
  }
}

const MicroOp* Warp::ret(const MicroOp* op, Mask mask) {
  Frame& done = *frame;
  if (!done.parent)
    return exit(op, mask);
  copyResults(done, mask);
  done.lanes &= ~mask;
  if (mask != active) {
    parkOthers({sameCopy(op, done.returnTo), done.parent, mask});
    active &= ~mask;
    return op + 1;
  }
  enter(*done.parent);
  pc_ = sameCopy(op, done.returnTo);
  if (!done.lanes)
    done.function = nullptr;
  setLimit(pc_);
  // Lanes still in the callee run first, so that they are back when this group goes on.
  return parked_.empty() ? pc_ : stopHere();
}

} // namespace gpusched::cpu
