// Warp.cpp - running a warp: groups, divergence and the interpreter loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Warp.h for the model. Calls and frames are in WarpCalls.cpp.
#include "rt/device/cpu/engine/Warp.h"

#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Program.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpusched::cpu {

/// The loop. Everything else in the engine is decoding, handlers, or bookkeeping between groups.
template <bool kCount> void Warp::interpret() {
  const MicroOp* op = pc_;
  while (op < limit) {
    uint8_t* const frameBytes = registers;
    uint32_t guard;
    std::memcpy(&guard, frameBytes + op->guard, sizeof guard);
    const Mask mask = active & (guard ^ op->guardFlip);
    if (kCount) {
      const unsigned lanes = mask == kAllLanes ? kLanes : std::popcount(mask);
      ++classCounts[static_cast<unsigned>(op->opClass)];
      laneInstructions += lanes;
      flops += lanes * op->flops;
    }
    op = mask ? op->run(frameBytes, op, mask, *this) : op + 1;
  }
  if (op != stopHere())
    pc_ = op;
}

WarpState Warp::run(int64_t quantum, bool count, bool watch) {
  budget = quantum;
  quantumOver_ = false;
  counting = count;
  changedMemory = false;
  beFair();
  while (pick()) {
    if (watch)
      interpretObserved();
    else
      count ? interpret<true>() : interpret<false>();
    if (faulted_)
      return WarpState::Faulted;
    if (quantumOver_) {
      endOpening();
      return WarpState::Runnable;
    }
  }
  if (endOpening())
    return WarpState::Runnable;
  return live ? stuck() : WarpState::Finished;
}

/// Only groups that stood still throughout the last quantum have a turn: others are about to meet
/// again, and to run them first would take apart what a program may expect to stay together.
void Warp::beFair() {
  ++quanta_;
  const auto waitsLong = [&](const Group& group) {
    return group.wait == GroupWait::None && group.since + 1 < quanta_;
  };
  const std::ptrdiff_t waiting = std::count_if(parked_.begin(), parked_.end(), waitsLong);
  fair_ = !fair_ && waiting > 0;
  if (!fair_)
    return;
  std::ptrdiff_t turn = static_cast<std::ptrdiff_t>(turn_++) % waiting;
  for (const Group& group : parked_)
    if (waitsLong(group) && turn-- == 0)
      fairLane_ = std::countr_zero(group.mask);
}

/// Chooses the group that runs next and makes it current; false if none can run.
bool Warp::pick() {
  if (parked_.empty()) {
    limit = stopHere();
    return active != 0;
  }
  if (!active && parked_.size() == 1 && parked_[0].wait <= GroupWait::Barrier)
    return resumeOnly();
  if (active)
    park(GroupWait::None, pc_);
  releaseWarpBarriers();
  mergeParked();
  joinAcrossInstructions();
  const int chosen = choose();
  if (chosen < 0)
    return false;
  const Group group = parked_[chosen];
  parked_.erase(parked_.begin() + chosen);
  active = group.mask;
  pc_ = group.pc;
  enter(*group.frame);
  setLimit(pc_);
  return true;
}

/// The common case at a barrier: all lanes in one parked group, with nobody to merge with.
bool Warp::resumeOnly() {
  const Group& group = parked_[0];
  if (!runnable(group))
    return false;
  active = group.mask;
  pc_ = group.pc;
  enter(*group.frame);
  parked_.clear();
  limit = stopHere();
  return true;
}

int Warp::choose() const {
  int best = -1;
  for (size_t i = 0; i < parked_.size(); ++i) {
    const Group& group = parked_[i];
    if (!runnable(group))
      continue;
    if (fair_ && (group.mask >> fairLane_ & 1))
      return static_cast<int>(i);
    if (best >= 0) {
      const Group& other = parked_[best];
      if (group.frame->depth < other.frame->depth)
        continue;
      if (group.frame->depth == other.frame->depth && group.pc >= other.pc)
        continue;
    }
    best = static_cast<int>(i);
  }
  return best;
}

bool Warp::runnable(const Group& group) const {
  if (opening_ && !inTwin(group.pc))
    return false;
  if (group.wait == GroupWait::None)
    return true;
  if (group.wait != GroupWait::Lanes)
    return false;
  const Mask needed = group.needed & live;
  return (group.mask & needed) == needed;
}

/// Groups that wait at a warp barrier continue when together they cover the lanes it names.
void Warp::releaseWarpBarriers() {
  for (const Group& first : parked_) {
    if (first.wait != GroupWait::WarpBarrier)
      continue;
    const Mask named = first.needed;
    Mask present = 0;
    for (const Group& group : parked_)
      if (group.wait == GroupWait::WarpBarrier && group.needed == named)
        present |= group.mask;
    if ((present & named & live) != (named & live))
      continue;
    for (Group& group : parked_)
      if (group.wait == GroupWait::WarpBarrier && group.needed == named)
        group.wait = GroupWait::None;
  }
}

void Warp::mergeParked() {
  for (size_t i = 0; i < parked_.size(); ++i) {
    Group& into = parked_[i];
    for (size_t j = i + 1; j < parked_.size();) {
      const Group& from = parked_[j];
      const bool same = from.pc == into.pc && from.frame == into.frame && from.wait == into.wait &&
                        from.barrier == into.barrier &&
                        (from.needed == into.needed || from.wait == GroupWait::Lanes);
      if (!same) {
        ++j;
        continue;
      }
      into.mask |= from.mask;
      into.since = quanta_;
      if (from.needed != into.needed)
        into.needed = 0; // the operation itself looks at every lane's members again
      parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

void Warp::park(GroupWait wait, const MicroOp* pc, Mask needed, uint8_t barrier) {
  parkOthers({pc, frame, active, wait, barrier, needed});
  active = 0;
}

void Warp::parkOthers(Group group) {
  group.since = quanta_;
  parked_.push_back(group);
}

/// The nearest place ahead of `pc` where a parked group of this frame could be joined.
void Warp::setLimit(const MicroOp* pc) {
  limit = stopHere();
  for (const Group& group : parked_)
    if (group.frame == frame && group.pc > pc && group.pc < limit)
      limit = group.pc;
}

void Warp::enter(Frame& next) {
  frame = &next;
  registers = next.registers.get();
}

/// No group can run: either another warp will release one, or nobody ever will.
WarpState Warp::stuck() {
  const Group* lost = nullptr;
  for (const Group& group : parked_) {
    if (group.wait == GroupWait::Barrier) {
      sleeping = true;
      return WarpState::Blocked;
    }
    lost = &group;
  }
  const MicroOp* at = lost->wait == GroupWait::WarpBarrier ? lost->pc - 1 : lost->pc;
  fault(at, "the warp can never continue: lanes named in the operation's mask do not reach it");
  return WarpState::Faulted;
}

const MicroOp* Warp::barrierOp() const {
  for (const Group& group : parked_)
    if (group.wait == GroupWait::Barrier)
      return group.pc - 1;
  return pc_;
}

const MicroOp* Warp::jump(const MicroOp* from, const MicroOp* target) {
  if (target > from)
    return target;
  budget -= from - target + 1;
  if (budget <= 0)
    return stopQuantum(target);
  if (!parked_.empty())
    setLimit(target);
  return target;
}

const MicroOp* Warp::diverge(const MicroOp* from, const MicroOp* target, Mask taken) {
  divergentBranches += counting;
  const MicroOp* const next = from + 1;
  const Mask staying = active & ~taken;
  if (target <= from)
    budget -= from - target + 1;
  const bool backward = target < next;
  parkOthers({backward ? next : target, frame, backward ? staying : taken});
  active = backward ? taken : staying;
  const MicroOp* const first = backward ? target : next;
  if (budget <= 0)
    return stopQuantum(first);
  setLimit(first);
  return first;
}

const MicroOp* Warp::stopQuantum(const MicroOp* next) {
  pc_ = next;
  quantumOver_ = true;
  return stopHere();
}

const MicroOp* Warp::reschedule(const MicroOp* from, const MicroOp* target) {
  if (target <= from)
    budget -= from - target + 1;
  if (budget <= 0)
    return stopQuantum(target);
  pc_ = target;
  return stopHere();
}

void Warp::splitOff(const MicroOp* op, Mask mask) {
  if (mask == active)
    return;
  parkOthers({op + 1, frame, active & ~mask});
  active = mask;
}

const MicroOp* Warp::waitForLanes(const MicroOp* op, Mask mask, Mask needed) {
  splitOff(op, mask);
  park(GroupWait::Lanes, op, needed);
  return stopHere();
}

const MicroOp* Warp::runFirst(const MicroOp* op, Mask mask, Mask first) {
  splitOff(op, mask);
  parkOthers({op, frame, active & ~first});
  active = first;
  return op;
}

const MicroOp* Warp::waitAtWarpBarrier(const MicroOp* op, Mask mask, Mask needed) {
  splitOff(op, mask);
  park(GroupWait::WarpBarrier, op + 1, needed);
  return stopHere();
}

const MicroOp* Warp::waitAtBarrier(const MicroOp* op, Mask mask, unsigned barrier) {
  splitOff(op, mask);
  park(GroupWait::Barrier, op + 1, 0, static_cast<uint8_t>(barrier));
  return stopHere();
}

const MicroOp* Warp::exit(const MicroOp* op, Mask mask) {
  live &= ~mask;
  active &= ~mask;
  block->lanesExited(*this, mask);
  return active ? op + 1 : stopHere();
}

const MicroOp* Warp::fault(const MicroOp* op, const std::string& what, Fault kind) {
  faulted_ = true;
  block->reportFault(*this, op, what, kind);
  return stopHere();
}

} // namespace gpusched::cpu
