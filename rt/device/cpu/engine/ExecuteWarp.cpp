// ExecuteWarp.cpp - operations in which lanes of a warp see each other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a .sync operation needs all live lanes of its member mask. Rule: a group that lacks
// some of them waits and is joined by them; when they are all in one group the operation runs
// once for all. Lanes that come elsewhere: WarpJoin.cpp. Slots are said in DecodeWarp.cpp.
#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/Warp.h"
#include "rt/device/cpu/engine/WarpModes.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpusched::cpu::handlers {
namespace {

uint32_t* words(uint8_t* frame, uint32_t slot) {
  return reinterpret_cast<uint32_t*>(frame + slot);
}

void setPredicate(uint8_t* frame, uint32_t slot, Mask mask, Mask value) {
  uint32_t& out = *words(frame, slot);
  out = (out & ~mask) | (value & mask);
}

template <class Visit> void eachLane(Mask mask, Visit visit) {
  for (Mask rest = mask; rest; rest &= rest - 1)
    visit(static_cast<unsigned>(std::countr_zero(rest)));
}

/// Lanes of `mask` that name the same members as its first.
Mask sameMembers(const uint32_t* named, Mask mask) {
  Mask same = 0;
  const uint32_t first = named[std::countr_zero(mask)];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    same |= named[lane] == first ? Mask(1) << lane : 0;
  return same & mask;
}

/// The first lanes of `mask` that name the same members and have all of those; 0 if none do.
/// Sets differ from lane to lane after match.any, as in cooperative groups' labeled_partition.
Mask completeSet(const uint32_t* named, Mask mask, Mask live) {
  for (Mask rest = mask; rest;) {
    const Mask same = sameMembers(named, rest);
    const Mask needed = named[std::countr_zero(rest)] & live;
    if ((same & needed) == needed)
      return same;
    rest &= ~same;
  }
  return 0;
}

/// The lanes taking part, or 0 when the group must wait for more or be split.
Mask members(uint8_t* frame, const MicroOp* op, Mask mask, const Warp& warp) {
  if (op->detail & kNoMemberMask)
    return mask;
  const uint32_t* named = words(frame, op->slot[6]);
  const Mask needed = named[std::countr_zero(mask)] & warp.live;
  if (sameMembers(named, mask) != mask && completeSet(named, mask, warp.live))
    return 0;
  return (mask & needed) == needed ? (needed ? needed : mask) : 0;
}

const MicroOp* wait(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const uint32_t* named = words(frame, op->slot[6]);
  if (const Mask complete = completeSet(named, mask, warp.live))
    return warp.runFirst(op, mask, complete);
  return warp.waitForLanes(op, mask, named[std::countr_zero(mask)]);
}

/// PTX's shuffle: source[lane] is where `lane` reads, itself if that is outside its segment;
/// returns the lanes inside. No branch in the loop, so that it is vector code.
template <ShuffleMode kMode>
Mask shuffleSources(const int32_t* b, const int32_t* c, int32_t (&source)[kLanes]) {
  Mask insideLanes = 0;
  for (int32_t lane = 0; lane < int32_t(kLanes); ++lane) {
    const int32_t segment = c[lane] >> 8 & 31, clamp = c[lane] & 31, amount = b[lane] & 31;
    const int32_t last = (lane & segment) | (clamp & ~segment);
    int32_t from;
    if constexpr (kMode == ShuffleMode::Up)
      from = lane - amount;
    else if constexpr (kMode == ShuffleMode::Down)
      from = lane + amount;
    else if constexpr (kMode == ShuffleMode::Butterfly)
      from = lane ^ amount;
    else
      from = (lane & segment) | (amount & ~segment);
    const bool inside = kMode == ShuffleMode::Up ? from >= last : from <= last;
    insideLanes |= inside ? Mask(1) << lane : 0;
    source[lane] = (inside ? from : lane) & 31;
  }
  return insideLanes;
}

Mask shuffleSources(ShuffleMode mode, const int32_t* b, const int32_t* c,
                    int32_t (&source)[kLanes]) {
  switch (mode) {
  case ShuffleMode::Up:
    return shuffleSources<ShuffleMode::Up>(b, c, source);
  case ShuffleMode::Down:
    return shuffleSources<ShuffleMode::Down>(b, c, source);
  case ShuffleMode::Butterfly:
    return shuffleSources<ShuffleMode::Butterfly>(b, c, source);
  default:
    return shuffleSources<ShuffleMode::Index>(b, c, source);
  }
}

} // namespace

const MicroOp* shuffle(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const Mask taking = members(frame, op, mask, warp);
  if (!taking)
    return wait(frame, op, mask, warp);
  const uint32_t* value = words(frame, op->slot[1]);
  uint32_t* out = words(frame, op->slot[0]);
  int32_t source[kLanes];
  const Mask inside = shuffleSources(static_cast<ShuffleMode>(op->detail & kModeBits),
                                     reinterpret_cast<const int32_t*>(frame + op->slot[2]),
                                     reinterpret_cast<const int32_t*>(frame + op->slot[3]), source);
  uint32_t result[kLanes]; // `out` may be any of the operands
  for (unsigned lane = 0; lane < kLanes; ++lane)
    result[lane] = value[source[lane]];
  if (mask == kAllLanes)
    std::memcpy(out, result, sizeof result);
  else
    eachLane(mask, [&](unsigned lane) { out[lane] = result[lane]; });
  setPredicate(frame, op->slot[5], mask, inside);
  return op + 1;
}

const MicroOp* vote(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const Mask taking = members(frame, op, mask, warp);
  if (!taking)
    return wait(frame, op, mask, warp);
  const Mask flip = op->detail & kNegatedSource ? kAllLanes : 0;
  const Mask yes = (*words(frame, op->slot[1]) ^ flip) & taking;
  bool result = false;
  switch (static_cast<VoteMode>(op->detail & kModeBits)) {
  case VoteMode::All:
    result = yes == taking;
    break;
  case VoteMode::Any:
    result = yes != 0;
    break;
  case VoteMode::Uniform:
    result = yes == 0 || yes == taking;
    break;
  case VoteMode::Ballot:
    eachLane(mask, [&](unsigned lane) { words(frame, op->slot[0])[lane] = yes; });
    return op + 1;
  }
  setPredicate(frame, op->slot[0], mask, result ? kAllLanes : 0);
  return op + 1;
}

const MicroOp* match(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const Mask taking = members(frame, op, mask, warp);
  if (!taking)
    return wait(frame, op, mask, warp);
  const bool wide = op->detail & kWideSource;
  uint64_t value[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    value[lane] = 0;
    std::memcpy(&value[lane], frame + op->slot[1] + lane * (wide ? 8 : 4), wide ? 8 : 4);
  }
  Mask result[kLanes] = {};
  bool allEqual = true;
  eachLane(taking, [&](unsigned lane) {
    eachLane(taking, [&](unsigned other) {
      if (value[lane] == value[other])
        result[lane] |= Mask(1) << other;
    });
    allEqual &= result[lane] == taking;
  });
  const bool all = op->detail & kMatchAll;
  eachLane(mask, [&](unsigned lane) {
    words(frame, op->slot[0])[lane] = all ? (allEqual ? taking : 0) : result[lane];
  });
  if (all)
    setPredicate(frame, op->slot[5], mask, allEqual ? kAllLanes : 0);
  return op + 1;
}

namespace {

uint32_t combine(ReduceMode mode, uint32_t a, uint32_t b) {
  switch (mode) {
  case ReduceMode::Add:
    return a + b;
  case ReduceMode::And:
    return a & b;
  case ReduceMode::Or:
    return a | b;
  case ReduceMode::Xor:
    return a ^ b;
  case ReduceMode::Min:
    return std::min(a, b);
  case ReduceMode::Max:
    return std::max(a, b);
  case ReduceMode::MinSigned:
    return static_cast<uint32_t>(std::min(static_cast<int32_t>(a), static_cast<int32_t>(b)));
  case ReduceMode::MaxSigned:
    return static_cast<uint32_t>(std::max(static_cast<int32_t>(a), static_cast<int32_t>(b)));
  }
  return a;
}

} // namespace

const MicroOp* reduce(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const Mask taking = members(frame, op, mask, warp);
  if (!taking)
    return wait(frame, op, mask, warp);
  const ReduceMode mode = static_cast<ReduceMode>(op->detail & kModeBits);
  const uint32_t* in = words(frame, op->slot[1]);
  uint32_t total = in[std::countr_zero(taking)];
  eachLane(taking & (taking - 1), [&](unsigned lane) { total = combine(mode, total, in[lane]); });
  eachLane(mask, [&](unsigned lane) { words(frame, op->slot[0])[lane] = total; });
  return op + 1;
}

const MicroOp* activeMask(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  eachLane(mask, [&](unsigned lane) { words(frame, op->slot[0])[lane] = mask; });
  return op + 1;
}

const MicroOp* elect(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const Mask taking = members(frame, op, mask, warp);
  if (!taking)
    return wait(frame, op, mask, warp);
  const unsigned leader = std::countr_zero(taking);
  eachLane(mask, [&](unsigned lane) { words(frame, op->slot[0])[lane] = leader; });
  setPredicate(frame, op->slot[5], mask, Mask(1) << leader);
  return op + 1;
}

const MicroOp* warpBarrier(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const uint32_t* const masks = words(frame, op->slot[6]);
  const Mask named = masks[std::countr_zero(mask)];
  if (const Mask alike = sameMembers(masks, mask); alike != mask)
    return warp.runFirst(op, mask, alike);
  if (warp.checker)
    warp.checker->warpBarrier(warp, mask, named);
  if (members(frame, op, mask, warp))
    return op + 1;
  return warp.waitAtWarpBarrier(op, mask, named);
}

} // namespace gpusched::cpu::handlers
