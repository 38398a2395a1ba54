// WarpJoin.cpp - one warp operation that lanes reach at different instructions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: PTX lets a .sync operation complete when all lanes its mask names have executed one
// with the same qualifiers and the same mask; it need not be the same instruction. Both sides of
// an if may shuffle with each other, and an unrolled loop has one copy per round.
// Model: when such groups together hold all named lanes, their operands are gathered into a
// small frame, the operation's own handler runs there once, and each lane's results go back to
// where its instruction wants them. All named lanes wait, so nothing they do can change that.
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/LaneValue.h"
#include "rt/device/cpu/engine/Warp.h"
#include "rt/device/cpu/engine/WarpModes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace gpusched::cpu {
namespace {

constexpr uint32_t kResult = 0, kSource = 128, kAmount = 384, kClamp = 512, kMembers = 640,
                   kPredicate = 768, kBytes = 832;
constexpr unsigned kPredicateBits = 0, kAbsent = ~0u;

/// Bytes a lane of the operation's result and source: kPredicateBits for a predicate.
struct Shape {
  unsigned result, source;
};

std::optional<Shape> shapeOf(const MicroOp& op) {
  if (op.run == handlers::shuffle || op.run == handlers::reduce)
    return Shape{4, 4};
  if (op.run == handlers::elect)
    return Shape{4, kAbsent};
  if (op.run == handlers::match)
    return Shape{4, op.detail & kWideSource ? 8u : 4u};
  if (op.run != handlers::vote)
    return {};
  const bool ballot = static_cast<VoteMode>(op.detail & kModeBits) == VoteMode::Ballot;
  return Shape{ballot ? 4 : kPredicateBits, kPredicateBits};
}

bool negated(const MicroOp& op) {
  return op.run == handlers::vote && op.detail & kNegatedSource;
}

/// The handler and the qualifiers; a negated source is not one.
bool sameOperation(const MicroOp& a, const MicroOp& b) {
  const auto qualifiers = [](const MicroOp& op) {
    return op.detail & ~(negated(op) ? kNegatedSource : 0);
  };
  return a.run == b.run && qualifiers(a) == qualifiers(b);
}

void copyLanes(uint8_t* to, const uint8_t* from, unsigned bytes, Mask lanes) {
  if (bytes == kAbsent)
    return;
  if (bytes == kPredicateBits) {
    Mask old, next;
    std::memcpy(&old, to, sizeof old);
    std::memcpy(&next, from, sizeof next);
    next = (old & ~lanes) | (next & lanes);
    std::memcpy(to, &next, sizeof next);
    return;
  }
  for (Mask rest = lanes; rest; rest &= rest - 1) {
    const size_t at = std::countr_zero(rest) * bytes;
    std::memcpy(to + at, from + at, bytes);
  }
}

uint32_t membersOf(const Group& group, unsigned lane) {
  return laneValue<uint32_t>(group.frame->registers.get(), group.pc->slot[6], lane);
}

/// The lanes of a waiting group that name `members`.
Mask lanesNaming(const Group& group, uint32_t members) {
  Mask lanes = 0;
  for (Mask rest = group.mask; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    lanes |= Mask(membersOf(group, lane) == members) << lane;
  }
  return lanes;
}

class JoinedOperation {
public:
  explicit JoinedOperation(const MicroOp& like) : op_(like), shape_(*shapeOf(like)) {
    op_.detail &= static_cast<uint16_t>(~(negated(like) ? kNegatedSource : 0));
    op_.slot[0] = kResult;
    op_.slot[1] = kSource;
    op_.slot[2] = kAmount;
    op_.slot[3] = kClamp;
    op_.slot[5] = kPredicate;
    op_.slot[6] = kMembers;
  }

  void gather(const Group& group, Mask lanes) {
    const uint8_t* registers = group.frame->registers.get();
    const MicroOp& op = *group.pc;
    copyLanes(frame_ + kMembers, registers + op.slot[6], 4, lanes);
    if (negated(op)) {
      Mask source;
      std::memcpy(&source, registers + op.slot[1], sizeof source);
      source = ~source;
      copyLanes(frame_ + kSource, reinterpret_cast<const uint8_t*>(&source), kPredicateBits, lanes);
    } else {
      copyLanes(frame_ + kSource, registers + op.slot[1], shape_.source, lanes);
    }
    if (op.run != handlers::shuffle)
      return;
    copyLanes(frame_ + kAmount, registers + op.slot[2], 4, lanes);
    copyLanes(frame_ + kClamp, registers + op.slot[3], 4, lanes);
  }

  void run(Mask lanes, Warp& warp) { op_.run(frame_, &op_, lanes, warp); }

  void scatter(const Group& group, Mask lanes) const {
    uint8_t* registers = group.frame->registers.get();
    const MicroOp& op = *group.pc;
    copyLanes(registers + op.slot[0], frame_ + kResult, shape_.result, lanes);
    const bool pair = op.run == handlers::shuffle || op.run == handlers::elect ||
                      (op.run == handlers::match && op.detail & kMatchAll);
    if (pair)
      copyLanes(registers + op.slot[5], frame_ + kPredicate, kPredicateBits, lanes);
  }

private:
  MicroOp op_;
  Shape shape_;
  alignas(64) uint8_t frame_[kBytes] = {};
};

bool waitsForOthers(const Group& group) {
  return group.wait == GroupWait::Lanes && shapeOf(*group.pc);
}

} // namespace

void Warp::joinAcrossInstructions() {
  if (std::ranges::count_if(parked_, waitsForOthers) < 2)
    return;
  for (const Group& first : parked_) {
    if (!waitsForOthers(first))
      continue;
    for (Mask rest = first.mask; rest;) {
      const uint32_t members = membersOf(first, std::countr_zero(rest));
      rest &= ~lanesNaming(first, members);
      if (joinLanes(*first.pc, members))
        return; // parked_ has changed; what else is complete joins at the next choice
    }
  }
}

/// Runs `like` for all lanes that wait at such an operation and name `members`, if all are there.
bool Warp::joinLanes(const MicroOp& like, uint32_t members) {
  std::vector<Mask> taking(parked_.size());
  Mask lanes = 0;
  for (size_t i = 0; i < parked_.size(); ++i)
    if (waitsForOthers(parked_[i]) && sameOperation(*parked_[i].pc, like))
      lanes |= taking[i] = lanesNaming(parked_[i], members);
  if ((lanes & members & live) != (members & live))
    return false;
  JoinedOperation operation(like);
  for (size_t i = 0; i < taking.size(); ++i)
    if (taking[i])
      operation.gather(parked_[i], taking[i]);
  operation.run(lanes, *this);
  for (size_t i = 0; i < taking.size(); ++i) {
    if (!taking[i])
      continue;
    operation.scatter(parked_[i], taking[i]);
    leaveOperation(i, taking[i]);
  }
  return true;
}

/// `lanes` of a parked group go on after its operation; the rest tries it again.
void Warp::leaveOperation(size_t index, Mask lanes) {
  Group& group = parked_[index];
  Group after{group.pc + 1, group.frame, lanes};
  after.since = quanta_;
  group.mask &= ~lanes;
  if (!group.mask) {
    group = after;
    return;
  }
  group.wait = GroupWait::None;
  parkOthers(after);
}

} // namespace gpusched::cpu
